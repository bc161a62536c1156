import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

/// The work of many states that begins at about the same time.
@Suite("Work of many machines", .timeLimit(.minutes(20))) struct WorkLineTests {
    /// What the machines of a test are given.
    final class Hall: Sendable {
        /// The numbers of the states whose work has begun, and of those whose work was cancelled.
        let begun = Lock<[Int]>([])
        let cancelled = Lock<[Int]>([])
        let stateCount = Lock(0)

        /// Waits until a condition holds, which is expected.
        func wait(until condition: @Sendable (Hall) -> Bool) async throws {
            let end = ContinuousClock.now + .seconds(600)
            while !condition(self), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(1)) }
            #expect(condition(self))
        }

        var begunCount: Int { begun.withLock { $0.count } }
        var cancelledCount: Int { cancelled.withLock { $0.count } }
    }

    struct Game: Workflow {
        typealias Context = Hall

        /// A number of states that are left by their work, as soon as it has begun.
        static let inAHurry = -1

        static var initial: any WorkflowState { OutState() }
        let enter = Event(from: OutState.self, to: PlayingState.self)
        let leave = Event(from: PlayingState.self, to: OutState.self)

        final class OutState: WorkflowState, EmptyState {}
        final class PlayingState: WorkflowState, Working {
            let number: Int
            let hall: Hall?

            init(_ number: Int, _ hall: Hall) {
                self.number = number
                self.hall = hall
                hall.stateCount.withLock { $0 += 1 }
            }
            init(from decoder: any Decoder) throws {
                number = 0
                hall = nil
            }
            func encode(to encoder: any Encoder) throws {}
            deinit { hall?.stateCount.withLock { $0 -= 1 } }

            /// Goes on until it is cancelled.
            func work(_ here: Workplace<Game>) async throws {
                here.context.begun.withLock { $0.append(number) }
                if number == Game.inAHurry { try here.fire.leave() }
                try? await Latch().wait()
                here.context.cancelled.withLock { $0.append(number) }
            }
        }
    }

    private let hall = Hall()

    @Test("Each begins, however many there are, and each is cancelled by itself")
    func many() async throws {
        var machines = (0..<2_000).map { _ in StateMachine<Game>(context: hall) }
        for (number, machine) in machines.enumerated() { try machine.fire.enter(Game.PlayingState(number, hall)) }
        try await hall.wait { $0.begunCount == 2_000 }
        for number in stride(from: 0, to: 2_000, by: 2) { try machines[number].fire.leave() }
        try await hall.wait { $0.cancelledCount == 1_000 }
        #expect(hall.cancelled.withLock { $0.sorted() } == Array(stride(from: 0, to: 2_000, by: 2)))
        #expect(hall.begun.withLock { $0.sorted() } == Array(0..<2_000))
        for number in stride(from: 1, to: 2_000, by: 2) { try machines[number].fire.leave() }
        try await hall.wait { $0.cancelledCount == 2_000 }
        // Each keeps the state before.
        machines = []
        try await hall.wait { $0.stateCount.withLock { $0 } == 0 }
    }

    @Test("Work whose state is left as soon as it has begun is cancelled")
    func leftByItself() async throws {
        let machines = (0..<2_000).map { _ in StateMachine<Game>(context: hall) }
        for round in 1...10 {
            for machine in machines { try machine.fire.enter(Game.PlayingState(Game.inAHurry, hall)) }
            try await hall.wait { $0.cancelledCount == 2_000 * round }
        }
    }

    @Test("Work that goes on keeps none of the states that were left before it")
    func released() async throws {
        let machine = StateMachine<Game>(context: hall)
        for number in 0..<10_000 {
            if number > 0 { try machine.fire.leave() }
            try machine.fire.enter(Game.PlayingState(number, hall))
        }
        try await hall.wait { $0.begun.withLock { $0.last } == 9_999 }
        // The current one; the previous one is that outside.
        try await hall.wait { $0.stateCount.withLock { $0 } == 1 }
        try await hall.wait { $0.cancelledCount == $0.begunCount - 1 }
        try machine.fire.leave()
        try await hall.wait { $0.cancelledCount == $0.begunCount }
    }

    @Test("What begins and ends on several threads at once has begun in the end, or was cancelled")
    func threads() async throws {
        var machines = (0..<400).map { _ in StateMachine<Game>(context: hall) }
        try await onOwnThread { [hall, machines] in
            onThreads(4) { thread in
                for round in 0..<10 {
                    for number in stride(from: thread, to: 400, by: 4) {
                        let machine = machines[number]
                        if round > 0, (number + round) % 3 > 0 { continue }
                        #expect(throws: Never.self) {
                            if machine.isIn(Game.PlayingState.self) { try machine.fire.leave() }
                            try machine.fire.enter(Game.PlayingState(number, hall))
                        }
                    }
                }
            }
        }
        // What was cancelled had begun. What is left goes on, one of each machine.
        try await hall.wait { $0.begunCount - $0.cancelledCount == 400 && Set($0.begun.withLock { $0 }).count == 400 }
        try await hall.wait { $0.stateCount.withLock { $0 } == 400 }
        for machine in machines { try machine.fire.leave() }
        machines = []
        try await hall.wait { $0.begunCount == $0.cancelledCount && $0.stateCount.withLock { $0 } == 0 }
    }
}
