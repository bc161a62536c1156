import Synchronization
import Testing

@testable import Fixtures
@testable import Heraclitus

/// A table that threads read without a lock while one thread adds to it.
@Suite("Table that is read while it grows") struct PublishedTableTests {
    private final class Shared: Sendable {
        let table = PublishedTable<Int>()
    }

    /// A type for each of many numbers.
    private enum Number<High, Low> {}
    private static let digits: [Any.Type] = [
        Int.self, Int8.self, Int16.self, Int32.self, UInt.self, UInt8.self, UInt16.self, UInt32.self,
    ]
    private static let types: [Any.Type] = digits.flatMap { high in digits.map { pair(high, $0) } }

    private static func pair(_ high: Any.Type, _ low: Any.Type) -> Any.Type {
        func first<High>(_: High.Type) -> Any.Type {
            func second<Low>(_: Low.Type) -> Any.Type { Number<High, Low>.self }
            return _openExistential(low, do: second)
        }
        return _openExistential(high, do: first)
    }

    @Test("A type that was never added has no value, despite concurrent additions")
    func races() async throws {
        // On its own thread, and for a limited time, because sanitizers are slow.
        try await onOwnThread { Self.race(until: .now + .seconds(10)) }
    }

    private static func race(until end: ContinuousClock.Instant) {
        let added = Self.types.prefix(32)
        let others = Self.types.suffix(32)
        let values = added.indices.map { Immortal($0) }
        let rounds = (0..<200).map { _ in Shared() }
        let current = Atomic(0)
        let wrong = Atomic(0)
        onThreads(3) { thread in
            guard thread > 0 else {
                defer { current.store(rounds.count, ordering: .releasing) }
                for round in rounds where ContinuousClock.now < end {
                    for (index, type) in added.enumerated() {
                        let value = round.table.add(for: type) { values[index] }
                        if value.value != index { wrong.add(1, ordering: .relaxed) }
                    }
                    current.add(1, ordering: .releasing)
                }
                return
            }
            while true {
                let round = current.load(ordering: .acquiring)
                guard round < rounds.count else { return }
                let table = rounds[round]
                for type in others where table.table[type] != nil { wrong.add(1, ordering: .relaxed) }
                for (index, type) in added.enumerated() {
                    guard let value = table.table[type] else { continue }
                    if value.value != index { wrong.add(1, ordering: .relaxed) }
                }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }

    @Test("A table that has grown has every value once")
    func growth() {
        let shared = Shared()
        let values = Self.types.indices.map { Immortal($0) }
        onThreads(4) { _ in
            for (index, type) in Self.types.enumerated() { _ = shared.table.add(for: type) { values[index] } }
        }
        for (index, type) in Self.types.enumerated() { #expect(shared.table[type]?.value == index) }
    }
}
