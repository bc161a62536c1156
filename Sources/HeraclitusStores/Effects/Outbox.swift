import Heraclitus
import HeraclitusEssentials

/// The waiting effects of a machine, in order.
struct Outbox {
    private struct Entry: Codable {
        var name: String
        var data: JSONValue

        /// Part of the key; `series` and `index` are unique among the effects of a store.
        let series: Int
        let index: Int

        /// The version of the workflow that saved the effect.
        var version: Int?
        var attempts: Int?
        var error: String?
        var parked: Bool?

        /// Whether a parked effect holds up the effects after it.
        var blocks: Bool?

        var isParked: Bool { parked == true }
    }

    private struct Content: Codable {
        var effects: [Entry] = []

        /// The key of the next added effect.
        var series: Int
        var next = 0
    }

    /// The id of the machine.
    private let id: String
    private var content: Content
    private(set) var worker: String?

    /// The date from which the next effect may run.
    private(set) var date: Date

    /// Reads the effects of a store.
    init(_ waiting: WaitingEffects?, of id: String) throws(StoreError) {
        self.id = id
        guard let waiting else {
            // Every JSON reader keeps this number exactly. Earlier releases used revisions as keys, which are smaller.
            content = Content(series: Int.random(in: (1 << 40)..<(1 << 53)))
            (worker, date) = (nil, .distantPast)
            return
        }
        (worker, date) = (waiting.worker, waiting.date)
        do {
            content = try ArchiveDecoder(text: waiting.content).decode(Content.self)
        } catch {
            throw .damaged(id: id, explanation: "Its effects cannot be read. \(ArchiveError.explanation(of: error))")
        }
        if !(0..<(1 << 53)).contains(content.next) {
            throw .damaged(id: id, explanation: "\(content.next) is no number of its next effect.")
        }
    }

    /// The effects for the store; `nil` if there are none.
    func waiting() throws(StoreError) -> WaitingEffects? {
        // A worker may still run a discarded effect; its lease stays.
        if content.effects.isEmpty, worker == nil { return nil }
        do {
            return WaitingEffects(
                content: try ArchiveEncoder.data(of: content),
                next: next?.name,
                date: next == nil && worker == nil ? .distantFuture : date,
                worker: worker
            )
        } catch {
            throw .damaged(id: id, explanation: "Its effects cannot be written. \(ArchiveError.explanation(of: error))")
        }
    }

    var effects: [StoredEffect] { content.effects.map(effect) }

    /// The next effect to carry out.
    ///
    /// A parked effect holds up the others if its policy says so.
    var head: Int? {
        for (index, entry) in content.effects.enumerated() {
            if !entry.isParked { return index }
            if entry.blocks == true { return nil }
        }
        return nil
    }

    var next: StoredEffect? { head.map { effect(content.effects[$0]) } }

    /// The key of the next added effect.
    var end: EffectKey { EffectKey(id: id, series: content.series, index: content.next) }

    /// The next effect, unless it was added after `end`.
    func next(before end: EffectKey) -> StoredEffect? {
        guard let next, content.series == end.series else { return nil }
        // Effects of earlier releases have another series.
        return next.key.series != end.series || next.key.index < end.index ? next : nil
    }

    func index(of key: EffectKey) -> Int? {
        content.effects.firstIndex { $0.series == key.series && $0.index == key.index }
    }

    private func effect(_ entry: Entry) -> StoredEffect {
        StoredEffect(
            key: EffectKey(id: id, series: entry.series, index: entry.index),
            name: entry.name,
            data: entry.data,
            version: entry.version,
            attempts: entry.attempts ?? 0,
            error: entry.error,
            isParked: entry.isParked
        )
    }

    // MARK: - Changes

    /// Leases the effects.
    mutating func lease(to worker: String, until date: Date) {
        (self.worker, self.date) = (worker, min(date, .distantFuture))
    }

    /// Ends the lease.
    ///
    /// A later date than the distant future would hide the effects from listings.
    mutating func release(until date: Date) { (worker, self.date) = (nil, min(date, .distantFuture)) }

    /// Removes an effect.
    mutating func remove(_ index: Int) {
        let former = head
        content.effects.remove(at: index)
        // The effects after a failed or blocking effect waited only because of it.
        if worker == nil, former == index || former == nil { date = .distantPast }
    }

    /// Records a failed attempt.
    /// - Returns: The number of failures.
    mutating func noteFailure(of index: Int, _ error: any Error) -> Int {
        // Stored data may contain the largest number.
        let failures = min(content.effects[index].attempts ?? 0, .max - 1) + 1
        content.effects[index].attempts = failures
        content.effects[index].error = String(text(of: error).prefix(1_000))
        return failures
    }

    /// Parks an effect.
    mutating func park(_ index: Int, blocks: Bool) {
        content.effects[index].parked = true
        content.effects[index].blocks = blocks ? true : nil
    }

    /// Resets an effect as if it had never failed.
    mutating func retry(_ index: Int) {
        let hadNext = head != nil
        (content.effects[index].parked, content.effects[index].blocks) = (nil, nil)
        content.effects[index].attempts = nil
        // A worker keeps its lease. A retried effect behind a waiting effect waits as well.
        if worker == nil, head == index || !hadNext { date = .distantPast }
    }

    /// Migrates the effects of older versions.
    /// - Returns: Whether there were any.
    mutating func migrate(to known: KnownEffects) throws(ArchiveError) -> Bool {
        var isChanged = false
        for (index, entry) in content.effects.enumerated() {
            guard let version = entry.version, version < known.version else { continue }
            // An effect of an unknown type keeps its version, so that a later step still applies.
            do throws(ArchiveError) { _ = try self.effect(entry).effect(of: known) } catch {
                if case .unknownEffect = error { continue }
                throw error
            }
            do {
                let effect = try known.migrated(RawEffect(name: entry.name, data: entry.data), from: version)
                (content.effects[index].name, content.effects[index].data) = (effect.name, effect.data)
                content.effects[index].version = known.version
                isChanged = true
            } catch {
                throw .brokenEffect(entry.name, underlyingError: error)
            }
        }
        return isChanged
    }

    /// Removes the effects that are not wanted in a state.
    /// - Returns: Whether there were any.
    mutating func removeUnwanted(in state: any WorkflowState, of known: KnownEffects) -> Bool {
        // The effects of most workflows are wanted in every state, and need not be read.
        guard known.types.contains(where: { $0 is any StateBoundEffect.Type }) else { return false }
        let count = content.effects.count
        for index in content.effects.indices.reversed() {
            let effect = try? self.effect(content.effects[index]).effect(of: known)
            if let effect = effect as? any StateBoundEffect, !effect.isWanted(in: state) { remove(index) }
        }
        return content.effects.count < count
    }

    /// Adds the effects of the states that were entered.
    mutating func add(
        _ entered: [any Effect],
        of known: KnownEffects,
        wantedIn state: any WorkflowState,
        at date: Date
    ) throws(ArchiveError) {
        let types = Set(known.types.map { ObjectIdentifier($0) })
        for effect in entered {
            let type = Swift.type(of: effect)
            guard types.contains(ObjectIdentifier(type)) else {
                throw .unknownEffect(type.name, known: known.types.map { $0.name })
            }
            if let effect = effect as? any StateBoundEffect, !effect.isWanted(in: state) { continue }
            // A worker that still runs a discarded effect keeps its lease until the lease ends.
            if head == nil, worker == nil || self.date <= date { release(until: date) }
            do {
                let place = [JSONKey("effects"), JSONKey(index: content.effects.count), JSONKey("data")]
                let data = try JSONValue(encoding: effect, at: place)
                content.effects.append(
                    Entry(
                        name: type.name,
                        data: data,
                        series: content.series,
                        index: content.next,
                        version: known.version
                    )
                )
                content.next += 1
            } catch {
                throw .unwritableEffect(type.name, underlyingError: error)
            }
        }
    }
}

// MARK: - Earlier releases

extension Outbox {
    /// Reads effects that earlier releases kept within an archive.
    ///
    /// Their key was the revision of the save.
    init(former json: JSONValue, of id: String, revision: Int, version: Int?) throws {
        struct Former: Decodable {
            let effects: [JSONValue]
            let worker: String?
            let at: String?
        }
        let former = try json.decoded(as: Former.self)
        self = try Outbox(nil, of: id)
        // The series is fixed, so that each reading of the row gives the same keys.
        content.series = (1 << 40) &+ revision
        // Damaged data may contain the largest number.
        let numbered = former.effects.filter { $0["revision"]?.intValue == revision }
        var next = (numbered.compactMap { $0["index"]?.intValue }.max() ?? -1) &+ 1
        for var effect in former.effects {
            effect["series"] = effect["revision"] ?? .integer(revision)
            effect["version"] = version.map { .integer($0) }
            if effect["index"] == nil {
                effect["index"] = .integer(next)
                next &+= 1
            }
            content.effects.append(try effect.decoded(as: Entry.self))
        }
        worker = former.worker
        date = former.at.flatMap(ArchivedDate.date(of:)) ?? .distantPast
    }
}
