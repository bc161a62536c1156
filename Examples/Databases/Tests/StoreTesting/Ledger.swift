public import Foundation
public import Heraclitus
public import HeraclitusStores

/// A file in which processes record acknowledged saves and executed effects.
///
/// Each line is written at once, so that it survives a kill of the process.
public final class Ledger: Sendable {
    /// The file.
    public let file: URL

    private let descriptor: Int32

    /// Opens or makes a ledger.
    public init(at file: URL) {
        self.file = file
        descriptor = unsafe open(file.path, O_WRONLY | O_CREAT | O_APPEND, 0o666)
        precondition(descriptor >= 0, "\(file.path) cannot be written.")
    }

    deinit { close(descriptor) }

    /// Records a saved number.
    public func noteSaved(_ id: String, _ number: Int) { note("saved \(id) \(number)") }

    /// Records a save with an unclear outcome.
    public func noteUnclear(_ id: String) { note("unclear \(id)") }

    /// Records an executed effect.
    public func note(_ effect: any Effect, _ key: EffectKey) {
        note("effect \(key) \((effect as? Meter.Reading)?.number ?? -1)")
    }

    private func note(_ line: String) {
        // The last word shows that a line is complete.
        let bytes = Array((line + " .\n").utf8)
        _ = unsafe write(descriptor, bytes, bytes.count)
    }

    private func lines(_ word: String) throws -> [[String]] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .map { $0.split(separator: " ").map(String.init) }.filter { $0.first == word && $0.last == "." }
    }

    /// The acknowledged numbers of an id.
    public func saved(_ id: String) throws -> [Int] {
        try lines("saved").filter { $0[1] == id }.compactMap { Int($0[2]) }
    }

    /// The number of acknowledged saves.
    public var savedCount: Int { get throws { try lines("saved").count } }

    /// Compares the ledger with the store, after all effects have been delivered.
    /// - Returns: A sentence for each difference.
    public func differences(from store: any ArchiveStore, ids: [String]) async throws -> [String] {
        var differences: [String] = []
        var keys: [String: [String: [Int]]] = [:]
        for line in try lines("effect") {
            let id = String(line[1].prefix { $0 != "/" })
            keys[id, default: [:]][line[1], default: []].append(Int(line[2]) ?? -1)
        }
        for id in ids {
            let last = try await store.counted(id)
            let saved = try self.saved(id)
            if let lost = saved.max(), lost > last { differences.append("\(id): \(lost) was saved, \(last) is there.") }
            if Set(saved).count < saved.count { differences.append("\(id): A number was saved twice.") }
            let effects = keys[id, default: [:]]
            for (key, numbers) in effects where Set(numbers).count > 1 {
                differences.append("\(key) was carried out with different contents: \(numbers)")
            }
            let done = effects.values.compactMap(\.first).sorted()
            if done != Array(1...max(1, last)) && last > 0 {
                let missing = Set(1...last).subtracting(done)
                differences.append(
                    "\(id): Of \(last) effects \(missing.sorted()) are missing; there are \(done.count)."
                )
            }
        }
        return differences
    }

    /// Whether the effects of each machine were carried out in order, apart from repetitions.
    public func isInOrder() throws -> Bool {
        var seen: [String: Int] = [:]
        for line in try lines("effect") {
            let id = String(line[1].prefix { $0 != "/" })
            let number = Int(line[2]) ?? -1
            guard number <= seen[id, default: 0] + 1 else { return false }
            seen[id] = max(seen[id, default: 0], number)
        }
        return true
    }
}

extension Ledger {
    /// Handlers that record effects of ``Meter``.
    public var handlers: EffectHandlers {
        EffectHandlers().on(Meter.Reading.self) { [self] reading, key in note(reading, key) }
    }
}

extension ArchiveStore {
    /// Delivers the remaining effects of ``Meter`` into a ledger, after the leases of killed processes have ended.
    public func deliverAll(into ledger: Ledger, later: Duration = .seconds(3_600)) async throws {
        let scheduler = Scheduler(ContinuousClock()) { Date() + later / .seconds(1) }
        let meters = workflow(Meter.self, scheduler: scheduler)
        var count = 1
        while count > 0 {
            let report = try await meters.deliver(to: ledger.handlers)
            try report.throwFirstFailure()
            count = report.count
        }
    }
}
