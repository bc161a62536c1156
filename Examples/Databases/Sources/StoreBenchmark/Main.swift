import Foundation
import Heraclitus
import HeraclitusStores

/// Compares the cost of a store with handwritten SQL on the same table, in alternation.
@main struct StoreBenchmark {
    private static let usage = """
        usage: store-benchmark sqlite FILE [SECONDS [MACHINES]]
               store-benchmark postgres DATABASE [SECONDS [MACHINES]]

        It makes MACHINES, 1000000 if they are left out, in an empty database, and measures each row for SECONDS, 5 if they are left out.
        """

    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        if arguments == ["--help"] { return print(usage) }
        let isWorker = arguments.first == "worker"
        if isWorker { arguments.removeFirst() }
        let (kind, place) = (arguments.popFirst(), arguments.popFirst())
        let seconds = arguments.popFirst().map { Double($0) ?? 0 } ?? 5
        let machines = arguments.popFirst().map { Int($0) ?? 0 } ?? 1_000_000
        guard let kind, let place, arguments.isEmpty, seconds > 0, seconds <= 86_400, machines >= 4_000 else {
            stop()
        }
        guard let candidates = try await Candidates(kind, place) else { stop() }
        if isWorker { return try await Worker(candidates).run() }
        guard try await candidates.store.ids(ArchiveQuery()).isEmpty else {
            return print("The database already has machines.")
        }
        let start = ContinuousClock.now
        try await candidates.store.makeMachines(machines)
        let perSecond = Double(machines) / ((ContinuousClock.now - start) / .seconds(1))
        print("\(machines) machines made, \(Int(perSecond)) a second")
        try measure(Comparison(kind: kind, place: place, seconds: seconds), machines)
    }

    private static func stop() -> Never {
        FileHandle.standardError.write(Data("\(usage)\n".utf8))
        exit(EX_USAGE)
    }

    private static func measure(_ comparison: Comparison, _ machines: Int) throws {
        for processes in [1, 4] {
            for which in Worker.Machines.allCases {
                try comparison.compare("a unit of work, \(processes) at once, \(which.rawValue)", processes) {
                    .units(which, byHand: $0, 400 / processes)
                }
            }
        }
        try comparison.compare("\(machines) ids by state", 1) { .list(byHand: $0) }
        try comparison.printMemory("the same \(machines) ids by pages of 1000", .pages, after: .pages)
        try comparison.printMemory(
            "10000 units of work",
            .units(.distinct, byHand: false, 10_000),
            after: .units(.distinct, byHand: false, 1_000)
        )
    }
}

extension ArchiveStore {
    /// Makes machines with the ids from 0.
    fileprivate func makeMachines(_ count: Int) async throws {
        let archive = try StateMachine<Counting>().archive()
        for start in stride(from: 0, to: count, by: 1_000) {
            try await save(
                (start..<min(start + 1_000, count)).map {
                    .save(
                        StoredArchive(
                            id: "\($0)",
                            revision: 0,
                            workflow: Counting.name,
                            version: Counting.version,
                            state: CountState.name,
                            archive: archive
                        )
                    )
                }
            )
        }
    }
}
