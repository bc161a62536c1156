import CBenchmarkAllocator
import Heraclitus

// Figures of the creation and retention of machines.

extension Figure {
    static var living: [Figure] {
        [
            Figure(
                name: "creating a machine, and letting go of it",
                unit: "ns",
                goal: 1.3,
                ours: perOperation { rounds in for _ in 0..<rounds { keep(StateMachine<Download>()) } },
                limit: perOperation { rounds in for _ in 0..<rounds { keep(HandMachine()) } }
            ),
            Figure(
                name: "memory of an idle machine with its state",
                unit: "B",
                goal: 128.0 / 96.0,
                ours: bytes { StateMachine<Download>() },
                limit: bytes { HandMachine() }
            ),
        ]
    }

    /// The bytes that the allocator uses for one of many live objects.
    private static func bytes(_ make: @escaping () -> AnyObject) -> Side {
        { _ in
            let count = 200_000
            var objects: [AnyObject] = []
            objects.reserveCapacity(count)
            let before = allocatedBytes()
            for _ in 0..<count { objects.append(make()) }
            let bytes = allocatedBytes() - before
            return Double(bytes) / Double(objects.count)
        }
    }

    private static func allocatedBytes() -> Int {
        #if canImport(Darwin)
            var statistics = malloc_statistics_t()
            malloc_zone_statistics(nil, &statistics)
            return Int(statistics.size_in_use)
        #else
            return Int(mallinfo2().uordblks)
        #endif
    }
}
