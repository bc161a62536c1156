import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

/// The work of many states that begins at about the same time.
@Suite("Work of many machines", .timeLimit(.minutes(20))) struct ManyWorksTests {
    /// The context of the machines.
    final class Hall: Sendable {
        /// The numbers of states whose work has begun, and of those whose work was cancelled.
        let begun = Lock<[Int]>([])
        let cancelled = Lock<[Int]>([])
        let stateCount = Lock(0)

        /// Expects a condition to become true.
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

        /// The number of a state that its own work leaves at once.
        static let inAHurry = -1

        /// The number of a state whose work computes for half a millisecond.
        static let computing = -2

        static var initial: any WorkflowState { OutState() }
        let enter = Event(from: OutState.self, to: PlayingState.self)
        let leave = Event(from: PlayingState.self, to: OutState.self)

        final class OutState: WorkflowState, EmptyState {}
        final class PlayingState: WorkflowState, Working {
            let number: Int
            let hall: Hall?
            let onRelease: (@Sendable () -> Void)?

            init(_ number: Int, _ hall: Hall, onRelease: (@Sendable () -> Void)? = nil) {
                self.number = number
                self.hall = hall
                self.onRelease = onRelease
                hall.stateCount.withLock { $0 += 1 }
            }
            init(from decoder: any Decoder) throws {
                number = 0
                hall = nil
                onRelease = nil
            }
            func encode(to encoder: any Encoder) throws {}
            deinit {
                hall?.stateCount.withLock { $0 -= 1 }
                onRelease?()
            }

            /// Runs until it is cancelled.
            func work(_ call: WorkCall<Game>) async throws {
                call.context.begun.withLock { $0.append(number) }
                if number == Game.inAHurry { try call.fire.leave() }
                if number == Game.computing { return compute() }
                try? await Latch().wait()
                call.context.cancelled.withLock { $0.append(number) }
            }
        }
    }

    private let hall = Hall()

    @Test("Each work begins, however many there are, and each is cancelled separately")
    func many() async throws {
        var machines = (0..<500).map { _ in StateMachine<Game>(context: hall) }
        for (number, machine) in machines.enumerated() { try machine.fire.enter(Game.PlayingState(number, hall)) }
        try await hall.wait { $0.begunCount == 500 }
        for number in stride(from: 0, to: 500, by: 2) { try machines[number].fire.leave() }
        try await hall.wait { $0.cancelledCount == 250 }
        #expect(hall.cancelled.withLock { $0.sorted() } == Array(stride(from: 0, to: 500, by: 2)))
        #expect(hall.begun.withLock { $0.sorted() } == Array(0..<500))
        for number in stride(from: 1, to: 500, by: 2) { try machines[number].fire.leave() }
        try await hall.wait { $0.cancelledCount == 500 }
        // Each machine keeps its previous state.
        machines = []
        try await hall.wait { $0.stateCount.withLock { $0 } == 0 }
    }

    @Test("Work whose state is left just after its beginning is cancelled")
    func leftByItself() async throws {
        let machines = (0..<500).map { _ in StateMachine<Game>(context: hall) }
        for round in 1...5 {
            for machine in machines { try machine.fire.enter(Game.PlayingState(Game.inAHurry, hall)) }
            try await hall.wait { $0.cancelledCount == 500 * round }
        }
        withExtendedLifetime(machines) {}
    }

    @Test("Long work retains none of the states left before it")
    func released() async throws {
        let machine = StateMachine<Game>(context: hall)
        for number in 0..<2_000 {
            if number > 0 { try machine.fire.leave() }
            try machine.fire.enter(Game.PlayingState(number, hall))
        }
        try await hall.wait { $0.begun.withLock { $0.contains(1_999) } }
        // The current state; the previous one is outside.
        try await hall.wait { $0.stateCount.withLock { $0 } == 1 }
        try await hall.wait { $0.cancelledCount == $0.begunCount - 1 }
        try machine.fire.leave()
        try await hall.wait { $0.cancelledCount == $0.begunCount }
    }

    @Test("A state left before a thread is free begins no work, and is released")
    func leftBefore() async {
        await #expect(processExitsWith: .success) {
            let hall = Hall()
            let machines = (0..<200).map { _ in StateMachine<Game>(context: hall) }
            try await onOwnThread {
                try onBusyThreadsOfTasks {
                    for (number, machine) in machines.enumerated() {
                        try machine.fire.enter(Game.PlayingState(number, hall))
                        try machine.fire.leave()
                        // The state before the last one is released.
                        try machine.fire.enter(Game.PlayingState(number, hall))
                        if number > 0 { try machine.fire.leave() }
                    }
                    #expect(hall.stateCount.withLock { $0 } == 200)
                }
            }
            try await hall.wait { $0.begunCount == 1 }
            // Leaves time for work that would begin.
            try await Task.sleep(for: .milliseconds(50))
            #expect(hall.begun.withLock { $0 } == [0])
            withExtendedLifetime(machines) {}
        }
    }

    @Test("A machine released before a thread is free releases its state, and begins no work")
    func releasedBefore() async {
        await #expect(processExitsWith: .success) {
            let hall = Hall()
            try await onOwnThread {
                try onBusyThreadsOfTasks {
                    let machine = StateMachine<Game>(context: hall)
                    try machine.fire.enter(Game.PlayingState(1, hall))
                    #expect(hall.stateCount.withLock { $0 } == 1)
                    withExtendedLifetime(machine) {}
                }
                #expect(hall.stateCount.withLock { $0 } == 0)
            }
            let other = StateMachine<Game>(context: hall)
            try other.fire.enter(Game.PlayingState(2, hall))
            try await hall.wait { $0.begunCount > 0 }
            // Leaves time for work that would begin.
            try await Task.sleep(for: .milliseconds(50))
            #expect(hall.begun.withLock { $0 } == [2])
            withExtendedLifetime(other) {}
        }
    }

    @Test("A slow `deinit` of a state left before its work begins may enter another state")
    func slowRelease() async {
        await #expect(processExitsWith: .success) {
            let hall = Hall()
            let released = DispatchSemaphore(value: 0)
            try await onOwnThread {
                let (first, second, third) = (machine(), machine(), machine())
                func machine() -> StateMachine<Game> { StateMachine(context: hall) }
                let slow = Lock<DispatchSemaphore?>(nil)
                try onBusyThreadsOfTasks {
                    // A separate scope: a reference of this thread would be the last one, and keep the threads of tasks
                    // busy.
                    do {
                        let state = Game.PlayingState(1, hall) {
                            #expect(throws: Never.self) { try second.fire.enter(Game.PlayingState(2, hall)) }
                            #expect(released.comes())
                        }
                        try first.fire.enter(state)
                    }
                    try first.fire.leave()
                    // Releases the state, which takes until the work of others has begun.
                    let done = onThread {
                        #expect(throws: Never.self) { try first.fire.enter(Game.PlayingState(3, hall)) }
                    }
                    slow.withLock { $0 = done }
                    try third.fire.enter(Game.PlayingState(4, hall))
                }
                for _ in 0..<30_000 where !Set([2, 4]).isSubset(of: hall.begun.withLock { $0 }) { usleep(1_000) }
                #expect(Set([2, 4]).isSubset(of: hall.begun.withLock { $0 }))
                released.signal()
                #expect(slow.withLock { $0 }?.comes() == true)
                for _ in 0..<30_000 where hall.begunCount < 3 { usleep(1_000) }
                #expect(Set(hall.begun.withLock { $0 }) == [2, 3, 4])
                withExtendedLifetime((first, second, third)) {}
            }
        }
    }

    @Test("Work that begins and ends on several threads at once has finally begun or was cancelled")
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
        // Cancelled work had begun. One work of each machine remains.
        try await hall.wait { $0.begunCount - $0.cancelledCount == 400 && Set($0.begun.withLock { $0 }).count == 400 }
        try await hall.wait { $0.stateCount.withLock { $0 } == 400 }
        for machine in machines { try machine.fire.leave() }
        machines = []
        try await hall.wait { $0.begunCount == $0.cancelledCount && $0.stateCount.withLock { $0 } == 0 }
    }
}

/// Keeps a thread busy for a moment.
private func compute() {
    let end = ContinuousClock.now + .microseconds(500)
    while ContinuousClock.now < end {}
}
