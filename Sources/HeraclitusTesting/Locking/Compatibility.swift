import Foundation
import Heraclitus

/// Finds archives of one version that the current version cannot read, or would lose a part of.
struct Compatibility<W: Workflow> {
    typealias Break = IncompatibleArchives.Break

    let lock: ArchiveLock
    let today: ArchiveLock
    let except: Set<String>

    /// The machines of today's archives.
    let machinesOfToday: [StoredMachine]

    /// The shapes of the states of the lock's migrated archives, and of today's archives.
    let storedShapes: ShapesOfStates
    let shapesOfToday: ShapesOfStates

    init(_ lock: ArchiveLock, _ today: ArchiveLock, except: Set<String>) {
        (self.lock, self.today, self.except) = (lock, today, except)
        storedShapes = ShapesOfStates(of: lock.archives.compactMap { StoredMachine(Self.migrated($0)) }.flatMap(\.all))
        machinesOfToday = today.archives.compactMap { StoredMachine($0) }.flatMap(\.all)
        shapesOfToday = ShapesOfStates(of: machinesOfToday)
    }

    /// The breaks, each remedy once with the explanations of all breaks that it mends.
    func breaks() throws -> [Break] {
        let found = try lock.archives.flatMap(breaks) + lostEvents + effectBreaks()
        let alike = Dictionary(grouping: found) { [$0.state, $0.remedy] }
        return found.map { [$0.state, $0.remedy] }.once.compactMap { key in
            guard let breaks = alike[key], let first = breaks.first else { return nil }
            // A few values are enough to show the change.
            return made(first.state, breaks.map(\.explanation).once.prefix(3).joined(separator: " "), first.remedy)
        }
    }

    private func breaks(_ archive: JSONValue) throws -> [Break] {
        guard let stored = StoredMachine(archive),
            let migrated = StoredMachine(Self.migrated(archive), in: stored.state)
        else { return [] }
        do {
            // Reads twice: a value that differs on each read counts as unchanged.
            let (restored, again) = (try readAgain(archive), try readAgain(archive))
            guard let restored, let again else { return [] }
            return compare(stored, migrated, restored, again)
        } catch let error as ArchiveError {
            return [found(error, in: migrated)]
        }
    }

    /// A migrated archive as the decoder sees it; the archive itself if a step throws.
    private static func migrated(_ archive: JSONValue) -> JSONValue {
        let definition = TransitionValidator<W>().definition
        guard let changed = try? definition.migrated(RawArchive(archive), at: "") else { return archive }
        var migrated = archive
        migrated["state"] = .string(W.nameToday(ofState: changed.state))
        migrated["data"] = changed.data
        return (try? JSONValue(encoding: migrated, at: [])) ?? archive
    }

    /// Restores and archives a machine, leaving out unread keys, which are lost when the machine leaves the state.
    private func readAgain(_ archive: JSONValue) throws -> StoredMachine? {
        let decoder = try ArchiveDecoder(text: ArchiveEncoder.data(of: archive))
        let state = try StateArchive<W>(from: decoder).state
        let json = try ArchiveEncoder.data(of: StateArchive<W>(state), userInfo: [.leavesUnreadOut: true])
        return StoredMachine(try JSONValue(text: json))
    }

    private var lostEvents: [Break] {
        guard lock.version == today.version else { return [] }
        return lock.events.filter { !today.events.contains($0) }.map(\.debugDescription).map { event in
            let explanation = "The event \(event) is gone. Archived events and occurrences name it."
            return made(nil, explanation, "Event(\(event), …)  // whichever property has taken its place")
        }
    }

    func made(_ state: String?, _ explanation: String, _ remedy: String) -> Break {
        Break(version: lock.version, state: state, explanation: explanation, remedy: remedy)
    }
}

extension RawArchive {
    init(_ archive: JSONValue) {
        self.init(
            workflow: archive["workflow"]?.stringValue ?? "",
            version: archive["version"]?.intValue ?? 1,
            revision: archive["revision"]?.intValue ?? 0,
            state: archive["state"]?.stringValue ?? "",
            data: archive["data"] ?? .null
        )
    }
}

/// The shapes of the states of each workflow.
struct ShapesOfStates {
    private let shapes: [String?: [String: JSONShape]]

    init(of machines: [StoredMachine]) {
        shapes = Dictionary(grouping: machines, by: Self.key)
            .mapValues { Dictionary(grouping: $0) { $0.state }.mapValues { JSONShape(of: $0.map(\.data)) } }
    }

    /// The shapes of the states of a machine's workflow, by state name.
    subscript(machine: StoredMachine) -> [String: JSONShape] { shapes[Self.key(of: machine)] ?? [:] }

    /// The shape of a machine's state, which is empty for an unknown state.
    func shape(of machine: StoredMachine) -> JSONShape { self[machine][machine.state] ?? JSONShape(of: []) }

    /// The name of an inner machine's workflow; the outermost workflow may have a new name.
    private static func key(of machine: StoredMachine) -> String? { machine.place.isEmpty ? nil : machine.workflow }
}
