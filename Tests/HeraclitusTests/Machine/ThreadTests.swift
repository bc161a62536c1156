import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

@Suite("Threads") struct ThreadTests {
    final class NumberState: WorkflowState {
        let number: Int
        init(_ number: Int = 0) { self.number = number }
    }
    final class EvenState: WorkflowState, EmptyState {}
    final class OddState: WorkflowState, EmptyState {}

    /// A state that is left in the turn that has entered it.
    final class PassingState: WorkflowState, EmptyState, Entering {
        func didEnter(_ transition: StateTransition) {
            #expect(throws: Never.self) { try transition.machine(as: Counter.self)?.fire.stay(NumberState()) }
        }
    }

    struct Counter: Workflow {
        static var initial: any WorkflowState { NumberState() }
        let count = Event(from: NumberState.self, to: NumberState.self)
        let pass = Event(from: NumberState.self, to: PassingState.self)
        let stay = Event(from: PassingState.self, to: NumberState.self)
        let toOdd = Event(from: EvenState.self, to: OddState.self)
    }

    struct Toggle: Workflow {
        static var initial: any WorkflowState { EvenState() }
        let toOdd = Event(from: EvenState.self, to: OddState.self)
        let toEven = Event(from: OddState.self, to: EvenState.self)
    }

    @Test("Many threads that fire one machine lose and invent no transition")
    func counting() {
        let machine = StateMachine<Counter>()
        let heard = Atomic<Int>(0)
        let inside = Atomic<Int>(0)
        machine.onTransition { _ in
            #expect(inside.add(1, ordering: .sequentiallyConsistent).newValue == 1)
            heard.add(1, ordering: .relaxed)
            inside.subtract(1, ordering: .sequentiallyConsistent)
        }
        onThreads(8) { _ in
            for _ in 0..<300 {
                do {
                    try machine.fire.count { NumberState($0.number + 1) }
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect((machine.state as? NumberState)?.number == 2_400)
        #expect(machine.revision == 2_400)
        #expect(heard.load(ordering: .relaxed) == 2_400)
    }

    @Test("Each of many racing threads gets its own result")
    func racing() {
        let machine = StateMachine<Toggle>()
        let accepted = Atomic<Int>(0)
        let rejected = Atomic<Int>(0)
        onThreads(8) { index in
            for _ in 0..<500 {
                do throws(InvalidTransition) {
                    if index.isMultiple(of: 2) { try machine.fire.toOdd() } else { try machine.fire.toEven() }
                    accepted.add(1, ordering: .relaxed)
                } catch {
                    #expect(error.reason == .notAllowed)
                    rejected.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(accepted.load(ordering: .relaxed) == machine.revision)
        #expect(accepted.load(ordering: .relaxed) + rejected.load(ordering: .relaxed) == 4_000)
        #expect(machine.isIn(OddState.self) == !machine.revision.isMultiple(of: 2))
    }

    @Test("No fire is rejected because of an intermediate state of another thread's turn")
    func passing() {
        let machine = StateMachine<Counter>()
        let isDone = Atomic(false)
        onThreads(3) { index in
            if index == 0 {
                for _ in 0..<2_000 { #expect(throws: Never.self) { try machine.fire.pass() } }
                isDone.store(true, ordering: .releasing)
            } else {
                while !isDone.load(ordering: .acquiring) {
                    // The fire comes at a random moment of a turn, rather than right after a wait.
                    for _ in 0..<Int.random(in: 0..<100) { _ = machine.revision }
                    do throws(InvalidTransition) { try machine.fire.toOdd() } catch {
                        if error.source != NumberState.name { Issue.record(error) }
                    }
                }
            }
        }
        #expect(machine.isIn(NumberState.self))
    }

    @Test("A blocked callback blocks no reader, copy or archive")
    func blockedCallback() throws {
        let machine = StateMachine<Toggle>()
        machine.activate()
        let entered = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        machine.willEnter(OddState.self) { _, _ in
            entered.signal()
            goOn.wait()
        }
        let fired = onThread { try? machine.fire.toOdd() }
        #expect(entered.comes())
        let read = onThread {
            #expect(machine.state is EvenState)
            #expect(machine.stateName == "EvenState")
            #expect(machine.revision == 0)
            #expect(machine.isActive)
            #expect(machine.can.toOdd)
            #expect(machine.allowedEvents == ["toOdd"])
            #expect(machine.previousState == nil)
            #expect(machine.copy().state is EvenState)
            #expect((try? machine.archive()).map { String(decoding: $0, as: UTF8.self) }?.contains("EvenState") == true)
            machine.activate()
            machine.didEnter(EvenState.self) { _, _ in }.cancel()
        }
        #expect(read.comes())
        goOn.signal()
        #expect(fired.comes())
        #expect(machine.state is OddState)
    }

    @Test("A fire waits for the transition under way on another thread, then sees its result")
    func waiting() throws {
        let machine = StateMachine<Toggle>()
        let entered = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        machine.didEnter(OddState.self) { _, _ in
            entered.signal()
            goOn.wait()
        }
        let first = onThread { try? machine.fire.toOdd() }
        #expect(entered.comes())
        let second = onThread { #expect(throws: Never.self) { try machine.fire.toEven() } }
        #expect(!second.comes(within: 0.1))
        goOn.signal()
        #expect(first.comes())
        #expect(second.comes())
        #expect(machine.revision == 2)
    }

    @Test("The object being left is released after the turn")
    func release() throws {
        let released = DispatchSemaphore(value: 0)
        let machine = StateMachine<Releasing>(entering: HeavyState(nil))
        machine.activate()
        // The releasing thread waits for another thread's fire of the same machine.
        let heavy: @Sendable () -> HeavyState = {
            HeavyState {
                let other = onThread { #expect(throws: Never.self) { try machine.fire.swap(HeavyState(nil)) } }
                #expect(other.comes())
                released.signal()
            }
        }
        let done = onThread {
            try? machine.fire.swap(heavy())
            try? machine.fire.swap(HeavyState(nil))
            try? machine.fire.swap(HeavyState(nil))
        }
        #expect(released.comes())
        #expect(done.comes())
        let declined = onThread { try? machine.fire.decline(heavy()) }
        #expect(released.comes())
        #expect(declined.comes())
    }

    final class HeavyState: WorkflowState {
        let onRelease: (@Sendable () -> Void)?
        init(_ onRelease: (@Sendable () -> Void)?) { self.onRelease = onRelease }
        init(from decoder: any Decoder) throws { onRelease = nil }
        func encode(to encoder: any Encoder) throws {}
        deinit { onRelease?() }
    }
    struct Releasing: Workflow {
        static var initial: any WorkflowState { HeavyState(nil) }
        let swap = Event(from: HeavyState.self, to: HeavyState.self)
        let decline = Event(from: HeavyState.self, to: HeavyState.self).guarded { _, _, _ in throw Objection() }
    }

    @Test("Reading, copying and encoding during fires show one moment each time")
    func consistent() throws {
        let machine = StateMachine<Counter>()
        let stop = Atomic<Bool>(false)
        let writer = onThread {
            for _ in 0..<1_000 { try? machine.fire.count { NumberState($0.number + 1) } }
            stop.store(true, ordering: .relaxed)
        }
        onThreads(3) { _ in
            while !stop.load(ordering: .relaxed) {
                let copy = machine.copy()
                #expect((copy.state as? NumberState)?.number == copy.revision)
                guard let data = try? machine.archive(), let restored = try? StateMachine<Counter>(archive: data) else {
                    Issue.record("must be archived and restored")
                    return
                }
                #expect((restored.state as? NumberState)?.number == restored.revision)
            }
        }
        #expect(writer.comes())
    }

    @Test("Closures come and go during fires, and none is called after its cancellation has returned")
    func closuresComeAndGo() throws {
        let machine = StateMachine<Counter>()
        let stop = Atomic<Bool>(false)
        let writer = onThread {
            for _ in 0..<1_000 { try? machine.fire.count { NumberState($0.number + 1) } }
            stop.store(true, ordering: .relaxed)
        }
        onThreads(3) { _ in
            while !stop.load(ordering: .relaxed) {
                let kept = machine.didEnter(NumberState.self) { _, _ in }
                kept.cancel()
            }
        }
        #expect(writer.comes())
        #expect(machine.revision == 1_000)
    }

    @Test("A workflow used first by many threads at once has one definition")
    func firstUse() {
        let machines = Lock<[StateMachine<Fresh>]>([])
        onThreads(8) { _ in
            let machine = StateMachine<Fresh>()
            try? machine.fire.toOdd()
            machines.withLock { $0.append(machine) }
        }
        #expect(machines.withLock { $0.map(\.revision) } == Array(repeating: 1, count: 8))
        #expect(Fresh.events.toOdd == Fresh.events.toOdd)
    }

    struct Fresh: Workflow {
        static var initial: any WorkflowState { EvenState() }
        let toOdd = Event(from: EvenState.self, to: OddState.self)
    }
}
