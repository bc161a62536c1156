import Foundation
import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

@Suite("Streams and waiting", .timeLimit(.minutes(20))) struct StreamTests {
    @Test("Several readers each get all transitions from their start on, in order, and end with the machine")
    func readers() async throws {
        var door: StateMachine<Door>? = StateMachine<Door>()
        let first = try #require(door).transitions()
        try door?.fire.open(OpenState())
        let second = try #require(door).transitions()
        try door?.fire.swing(OpenState(1))
        try door?.fire.close()
        let third = try #require(door).transitions()
        // Unread elements leave the machine unretained.
        weak let weakDoor = door
        try door?.fire.smash()
        for await transition in third {
            #expect(transition.machine(as: Door.self) === door && transition.source is ClosedState)
            break
        }
        door = nil
        #expect(weakDoor == nil)
        var heard: [String] = []
        for await transition in first {
            heard.append(transition.event ?? "")
            #expect(transition.machine(as: Door.self) == nil)
        }
        #expect(heard == ["open", "swing", "close", "smash"])
        heard = []
        for await transition in second { heard.append(transition.event ?? "") }
        #expect(heard == ["swing", "close", "smash"])
    }

    @Test("A state that passed before the timeout counts, also if both tasks of the wait are late")
    func passedBeforeTimeout() async throws {
        let (late, clock) = (HeldExecutor(), ManualClock())
        let door = StateMachine<Door>(scheduler: clock.scheduler)
        let waiting = Task(executorPreference: late) {
            try await door.wait(for: OpenState.self, timeout: .seconds(1))
        }
        late.runWhatWaits(latestFirst: true)
        try door.fire.open(OpenState(3))
        try door.fire.close()
        await clock.advance(by: .seconds(1))
        late.runWhatWaits(latestFirst: true)
        late.runAlways()
        #expect(try await waiting.value.angle == 3)
    }

    @Test("A wait without time finds the state that the machine is in")
    func noTime() async throws {
        let door = StateMachine<Door>()
        for _ in 0..<500 { try await door.wait(for: ClosedState.self, timeout: .zero) }
    }

    @Test("A slow reader has as many waiting transitions as the policy says")
    func policies() async throws {
        var door: StateMachine<Door>? = StateMachine<Door>(resumingIn: OpenState(0))
        let newest = try #require(door).transitions(buffering: .bufferingNewest(2))
        let oldest = try #require(door).transitions(buffering: .bufferingOldest(2))
        let states = try #require(door).states(buffering: .bufferingNewest(1))
        for angle in 1...5 { try door?.fire.swing(OpenState(angle)) }
        door = nil
        func angles(_ transitions: AsyncStream<StateTransition>) async -> [Int] {
            var angles: [Int] = []
            for await transition in transitions { angles.append((transition.destination as? OpenState)?.angle ?? -1) }
            return angles
        }
        #expect(await angles(newest) == [4, 5])
        #expect(await angles(oldest) == [1, 2])
        var last: [Int] = []
        for await state in states { last.append((state as? OpenState)?.angle ?? -1) }
        #expect(last == [5])
    }

    @Test("The states begin with the current one, and each comes once despite concurrent fires")
    func states() async throws {
        final class NumberState: WorkflowState {
            let number: Int
            init(_ number: Int) { self.number = number }
        }
        struct Counter: Workflow {
            static var initial: NumberState { NumberState(0) }
            let count = Event(from: NumberState.self, to: NumberState.self)
        }
        for _ in 0..<20 {
            let machine = StateMachine<Counter>()
            let read = Lock<[Int]>([])
            async let reading: Void = {
                for await state in machine.states() {
                    // A stream may pass an element to a task that is about to wait, without an order that the thread
                    // sanitizer sees.
                    _ = machine.state
                    read.withLock { $0.append(state.number) }
                    if state.number == 400 { return }
                }
            }()
            let threads = (0..<2).map { _ in
                onThread { for _ in 0..<200 { try? machine.fire.count { NumberState($0.number + 1) } } }
            }
            await reading
            for thread in threads { #expect(thread.comes()) }
            let numbers = read.withLock { $0 }
            let first = try #require(numbers.first)
            #expect(numbers == Array(first...400))
        }
    }

    @Test("A cancelled reader ends, and a stream without a reader retains nothing")
    func cancelled() async throws {
        let door = StateMachine<Door>()
        let hasBegun = AsyncStream<Void>.makeStream()
        let task = Task {
            var count = 0
            for await _ in door.states() {
                count += 1
                hasBegun.continuation.yield()
            }
            return count
        }
        for await _ in hasBegun.stream { break }
        task.cancel()
        #expect(await task.value == 1)

        // A stream that was never read retains nothing either.
        var state: OpenState? = OpenState()
        weak let weakState = state
        var unread: AsyncStream<StateTransition>? = door.transitions()
        try door.fire.open(#require(state))
        state = nil
        try door.fire.close()
        try door.fire.open(OpenState())
        #expect(weakState != nil && unread != nil)
        unread = nil
        #expect(weakState == nil)
    }

    /// A state that fires its machine when it is released.
    final class ParthianState: WorkflowState {
        let fire: Lock<(@Sendable () -> Void)?>
        init(_ fire: @escaping @Sendable () -> Void = {}) { self.fire = Lock(fire) }
        init(from decoder: any Decoder) { fire = Lock(nil) }
        func encode(to encoder: any Encoder) {}
        deinit { fire.withLock { $0 }?() }
    }

    struct Parthian: Workflow {
        static var initial: any WorkflowState { ParthianState() }
        let ride = Event(from: ParthianState.self, to: ParthianState.self)
    }

    @Test("A dropped state that fires when it is released blocks no thread")
    func released() async throws {
        let machine = StateMachine<Parthian>()
        let shots = Atomic(0)
        let stream = machine.states(buffering: .bufferingNewest(1))
        for _ in 0..<10 {
            try machine.fire.ride(
                ParthianState { [weak machine] in
                    if shots.add(1, ordering: .relaxed).newValue < 50 { try? machine?.fire.ride(ParthianState()) }
                }
            )
        }
        #expect(shots.load(ordering: .relaxed) > 5)
        withExtendedLifetime(stream) {}
    }

    @Test("A wait returns the object, at once for the current state, and also for a state that passes")
    func wait() async throws {
        let door = StateMachine<Door>()
        #expect(try await door.wait(for: (any DoorState).self) is ClosedState)
        let passing = Task {
            let locked = try await door.wait(for: LockedState.self)
            // As above.
            _ = door.state
            return locked.code
        }
        let isOver = Atomic(false)
        let opening = onThread {
            // Repeated until the wait begins.
            while !isOver.load(ordering: .relaxed) {
                try? door.fire.lock(LockedState(3))
                try? door.fire.unlock(userInfo: ["code": 3])
            }
        }
        #expect(try await passing.value == 3)
        isOver.store(true, ordering: .relaxed)
        while !opening.comes(within: 0) { await Task.yield() }
        let locked = LockedState(4)
        try door.fire.lock(locked)
        #expect(try await door.wait(for: LockedState.self) === locked)
    }

    @Test("A wait for an unreachable state throws, at once or as soon as it is unreachable")
    func unreachable() async throws {
        let door = StateMachine<Door>()
        let waiting = Task { try await door.wait(for: OpenState.self) }
        try await Task.sleep(for: .milliseconds(20))
        try door.fire.smash()
        let error = await #expect(throws: InvalidTransition.self) { try await waiting.value }
        #expect(error?.reason == .unreachable && error?.workflow == "Door")
        #expect(error?.source == "SmashedState" && error?.destination == "OpenState" && error?.event == nil)
        #expect(
            error?.description
                == "Door cannot wait for OpenState in SmashedState: no events lead from SmashedState to OpenState."
        )
        #expect(error?.failureReason == "no events lead from SmashedState to OpenState.")
        #expect(error?.recoverySuggestion == nil && error?.allowedEvents == [])
        await #expect(throws: InvalidTransition.self) { try await door.wait(for: ClosedState.self) }
        await #expect(throws: InvalidTransition.self) { try await door.wait(for: (any EmptyStateOfNobody).self) }
        #expect(try await door.wait(for: SmashedState.self) === door.state)
    }

    @Test("A wait for a foreign type throws at once, and for a protocol it waits")
    func waitForNoState() async throws {
        let door = StateMachine<Door>()
        let foreign = await #expect(throws: InvalidTransition.self) { try await door.wait(for: String.self) }
        #expect(foreign?.reason == .unreachable && foreign?.destination == "String")
        await #expect(throws: InvalidTransition.self) { try await door.wait(for: [OpenState].self) }
        await #expect(throws: InvalidTransition.self) { try await door.wait(for: EmptyKeyOfNobody.self) }
        let lockings = [
            Task { try await door.wait(for: (any LockedKind).self) as any Sendable },
            Task { try await door.wait(for: (any LockedKind & Sendable).self) as any Sendable },
            Task { try await door.wait(for: (any KeyedKind<Int>).self) as any Sendable },
            Task { try await door.wait(for: (any DoorState & LockedKind).self) as any Sendable },
        ]
        try await Task.sleep(for: .milliseconds(20))
        let locked = LockedState(3)
        try door.fire.lock(locked)
        for locking in lockings { #expect(try await locking.value as AnyObject === locked) }
        #expect(try await door.wait(for: (any Sendable).self) as AnyObject === locked)
    }

    @Test("A wait ends with an error when its task is cancelled")
    func waitCancelled() async throws {
        let door = StateMachine<Door>()
        let waiting = Task { try await door.wait(for: OpenState.self) }
        try await Task.sleep(for: .milliseconds(20))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}

protocol EmptyStateOfNobody: WorkflowState {}
private protocol LockedKind: Sendable {}
private protocol KeyedKind<Key>: Sendable { associatedtype Key }
private struct EmptyKeyOfNobody: Sendable {}
extension LockedState: LockedKind, KeyedKind {
    typealias Key = Int
}
