import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

@Suite("Registrations") struct RegistrationTests {
    @Test("A closure is called until it is cancelled")
    func cancel() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        let kept = machine.didEnter(AState.self) { _, _ in journal.write("heard") }
        try machine.fire.again(AState())
        kept.cancel()
        kept.cancel()
        try machine.fire.again(AState())
        #expect(journal.entries == ["heard"])
    }

    @Test("A closure stays on its machine without a reference to its registration")
    func dropped() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        machine.didEnter(AState.self) { _, _ in journal.write("heard") }
        _ = machine.didExit(AState.self) { _, _ in journal.write("left") }
        try machine.fire.again(AState())
        #expect(journal.entries == ["left", "heard"])
    }

    @Test("A guard is asked after the last use of its registration")
    func guarded() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        let registrations = [machine.guarded(\.again) { _, _, _ in throw Objection() }]
        #expect(registrations.count == 1)
        for _ in 0..<3 {
            let error = #expect(throws: InvalidTransition.self) { try machine.fire.again(AState()) }
            #expect(error?.underlyingError is Objection)
        }
    }

    @Test("Cancelled closures take no room on their machine, however often", .enabled(if: PeakMemory.isCounted))
    func cancelledOften() async {
        await #expect(processExitsWith: .success) {
            let machine = StateMachine<Door>()
            func change(_ count: Int) {
                for _ in 0..<count { machine.didFire(\.open) { _, _, _ in }.cancel() }
            }
            change(1_000)
            let growth = try #require(PeakMemory.growth { change(50_000) })
            #expect(growth < 1 << 19, "\(growth)")
        }
    }

    @Test("The captures of a cancelled closure are released when the machine is usable again")
    func released() throws {
        let journal = CallLog()
        let machine = StateMachine<Door>()
        let registration: Registration
        do {
            let token = ReentrancyTests.Token { [weak machine] in
                machine?.onTransition { _ in journal.write("heard") }
                journal.write(machine?.stateName ?? "gone")
            }
            registration = machine.didEnter(OpenState.self) { _, _ in withExtendedLifetime(token) {} }
        }
        #expect(journal.entries == [])
        registration.cancel()
        #expect(journal.entries == ["ClosedState"])
        try machine.fire.open(OpenState())
        #expect(journal.entries == ["ClosedState", "heard"])
    }

    @Test("A closure added by a callback is called from the next phase on, in the same transition")
    func addedMeanwhile() throws {
        let journal = CallLog()
        // The states have no hooks, so only closures are called.
        let machine = StateMachine<Door>()
        machine.didExit(ClosedState.self) { _, transition in
            guard let machine = transition.machine(as: Door.self), machine.revision == 1 else { return }
            machine.didExit(ClosedState.self) { _, _ in journal.write("did exit") }
            machine.didEnter(OpenState.self) { _, _ in journal.write("did enter") }
        }
        try machine.fire.open(OpenState())
        #expect(journal.entries == ["did enter"])
    }

    @Test("No call begins after a cancellation in turn with the transitions")
    func cancelledInTurn() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        let isCancelled = Atomic(false)
        let late = Atomic(0)
        let isOver = Atomic(false)
        let firing = onThread {
            while !isOver.load(ordering: .acquiring) { try? machine.fire.again(AState()) }
        }
        for _ in 0..<500 {
            isCancelled.store(false, ordering: .sequentiallyConsistent)
            let registration = machine.didEnter(AState.self) { _, _ in
                if isCancelled.load(ordering: .sequentiallyConsistent) { late.add(1, ordering: .relaxed) }
            }
            try machine.perform { _ in
                registration.cancel()
                isCancelled.store(true, ordering: .sequentiallyConsistent)
            }
        }
        isOver.store(true, ordering: .releasing)
        #expect(firing.comes())
        #expect(late.load(ordering: .relaxed) == 0)
    }

    @Test("A closure cancelled by another one during a transition is no longer called in it")
    func cancelledMeanwhile() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        let registrations = Kept()
        machine.didEnter(AState.self) { _, _ in
            journal.write("first")
            registrations.cancelAll()
        }
        registrations.add(machine.didEnter(AState.self) { _, _ in journal.write("second") })
        registrations.add(machine.onTransition { _ in journal.write("third") })
        try machine.fire.again(AState())
        #expect(journal.entries == ["first"])
    }

    @Test("A closure that cancels itself is called once")
    func cancelsItself() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        let registrations = Kept()
        registrations.add(
            machine.didEnter(AState.self) { _, _ in
                journal.write("heard")
                registrations.cancelAll()
            }
        )
        try machine.fire.again(AState())
        try machine.fire.again(AState())
        #expect(journal.entries == ["heard"])
    }

    @Test("Neither a registration nor a cancelled closure retains anything")
    func lifetime() throws {
        var machine: StateMachine<Heard>? = StateMachine<Heard>.active(CallLog())
        var first: CallLog? = CallLog()
        var second: CallLog? = CallLog()
        weak let weakMachine = machine
        weak let weakFirst = first
        weak let weakSecond = second
        let cancelled = try #require(machine).didEnter(AState.self) { [first] _, _ in first?.write("heard") }
        let kept = try #require(machine).didEnter(AState.self) { [second] _, _ in second?.write("heard") }
        first = nil
        second = nil
        #expect(weakFirst != nil)
        cancelled.cancel()
        #expect(weakFirst == nil)
        machine = nil
        #expect(weakMachine == nil)
        #expect(weakSecond == nil)
        kept.cancel()
    }

    @Test("A superclass's closure covers its subclasses, and a subclass's closure not its superclass")
    func superclass() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        machine.didEnter(LoudState.self) { state, _ in journal.write("Loud hears \(type(of: state).name)") }
        machine.didEnter(BState.self) { _, _ in journal.write("B hears B") }
        machine.didExit(LoudState.self) { state, _ in journal.write("\(type(of: state).name) is left") }
        machine.didExit(CState.self) { _, _ in journal.write("never") }
        try machine.fire.again(AState())
        try machine.fire.go(BState())
        #expect(journal.entries == ["A is left", "Loud hears A", "A is left", "Loud hears B", "B hears B"])
    }

    @Test("A closure for a protocol covers every conforming state")
    func conformance() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        machine.didEnter((any HeardState).self) { state, _ in journal.write("\(type(of: state).name)") }
        machine.didExit((any HeardState).self) { _, transition in journal.write("\(transition.isUpdate)") }
        machine.didFire(\.touch) { _, _, transition in journal.write("\(transition.isUpdate)") }
        machine.didEnter((any EmptyState).self) { _, _ in journal.write("never") }
        try machine.fire.touch { _ in AState() }
        try machine.fire.go(BState())
        #expect(journal.entries == ["true", "false", "B"])
        #expect(machine.isIn((any HeardState).self))
        #expect(!machine.isIn((any EmptyState).self))
    }

    @Test("A hook of an event covers only the event")
    func event() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        machine.didFire(\.go) { a, b, transition in
            journal.write("\(type(of: a).name) \(type(of: b).name) \(transition.event ?? "")")
        }
        try machine.fire.again(AState())
        try machine.fire.go(BState())
        #expect(journal.entries == ["A B go"])
    }
}

/// Registrations that closures themselves can reach.
final class Kept: Sendable {
    private let registrations = Lock<[Registration]>([])

    func add(_ registration: Registration) { registrations.withLock { $0.append(registration) } }

    func cancelAll() { for registration in registrations.withLock({ $0 }) { registration.cancel() } }
}
