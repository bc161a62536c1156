import Heraclitus
import Testing

@testable import Fixtures

@Suite("Activation") struct ActivationTests {
    @Test("A new machine enters its initial state once, without guards, event, source and revision")
    func new() {
        let journal = CallLog()
        let machine = StateMachine<Heard>(entering: AState(journal, declinesEntry: true))
        machine.willEnter(AState.self) { _, transition in
            journal.write("own.willEnter \(transition.event ?? "no event") \(transition.source == nil)")
            #expect(transition.machine(as: Heard.self)?.isActive == false)
        }
        machine.didEnter(AState.self) { _, transition in
            journal.write("own.didEnter \(transition.userInfo["key", as: Int.self] ?? 0)")
            #expect(transition.machine(as: Heard.self)?.isActive == true)
        }
        machine.onTransition { _ in journal.write("observer") }
        #expect(!machine.isActive)
        machine.activate(userInfo: ["key": 3])
        machine.activate()
        #expect(machine.isActive)
        #expect(journal.entries == ["A.willEnter", "own.willEnter no event true", "A.didEnter", "own.didEnter 3"])
        #expect(machine.revision == 0)
        #expect(machine.previousState == nil)
    }

    @Test("The will hooks of an activation must not fire, and its did hooks may")
    func willHooks() {
        let journal = CallLog()
        let machine = StateMachine<Heard>()
        machine.willEnter(AState.self) { _, transition in
            let error = #expect(throws: InvalidTransition.self) {
                try transition.machine(as: Heard.self)?.fire.go(BState())
            }
            if let error { journal.write("\(error.reason)") }
        }
        machine.didEnter(AState.self) { _, transition in
            #expect(throws: Never.self) { try transition.machine(as: Heard.self)?.fire.go(BState()) }
        }
        machine.activate()
        #expect(journal.entries == ["transitionInProgress"])
        #expect(machine.stateName == "B")
    }

    @Test("The first fire activates first, and the activation stays even if the fire is rejected")
    func firstFire() {
        let journal = CallLog()
        let machine = StateMachine<Heard>(entering: AState(journal))
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.onward(CState()) }
        #expect(error?.reason == .notAllowed)
        #expect(journal.entries == ["A.willEnter", "A.didEnter"])
        #expect(machine.isActive)
    }

    @Test("Fires of the activation are carried out before the first fire is validated")
    func activationFires() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>(entering: AState(journal))
        machine.didEnter(AState.self) { _, transition in
            #expect(throws: Never.self) { try transition.machine(as: Heard.self)?.fire.go(BState(journal)) }
        }
        try machine.fire.onward(CState(journal))
        #expect(machine.stateName == "C")
        #expect(machine.revision == 2)
    }

    /// Adds the closures of a machine's owner.
    private func wire(_ machine: StateMachine<Heard>, _ journal: CallLog) {
        machine.didEnter(BState.self) { _, _ in journal.write("didEnter") }
        machine.didRestore(AState.self) { _, _ in journal.write("didRestore another state") }
        machine.didRestore((any HeardState).self) { state, transition in
            #expect(transition.event == nil && transition.source == nil && transition.destination === state)
            journal.write("didRestore \(transition.userInfo["key", as: Int.self] ?? 0)")
        }
        let start = { @Sendable (state: BState, transition: StateTransition) in
            #expect(transition.destination === state)
            journal.write("start")
        }
        machine.didEnter(BState.self, start)
        machine.didRestore(BState.self, start)
    }

    @Test(
        "Closures are told of a restoration right after the state, and one closure serves both ways into a state"
    )
    func restoredClosures() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>(resumingIn: BState(journal))
        wire(machine, journal)
        #expect(!machine.isActive)
        machine.activate(userInfo: ["key": 3])
        machine.activate()
        #expect(journal.entries == ["B.didRestore", "didRestore 3", "start"])
    }

    @Test("A closure is told of entries by activation and by fires, and not of updates")
    func enteredClosures() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>(entering: BState(journal))
        wire(machine, journal)
        machine.activate()
        #expect(journal.entries == ["B.willEnter", "B.didEnter", "didEnter", "start"])
        let fired = StateMachine<Heard>.active(journal)
        let heard = fired.didEnter(LoudState.self) { state, _ in journal.write("in \(type(of: state).name)") }
        try fired.fire.touch(AState())
        try fired.fire.go(BState())
        #expect(journal.entries.filter { $0.hasPrefix("in ") } == ["in B"])
        heard.cancel()
        try fired.fire.back(AState())
        #expect(journal.entries.filter { $0.hasPrefix("in ") } == ["in B"])
    }

    @Test("A machine fired from `didRestore` goes on from its state")
    func restoreFires() throws {
        let machine = StateMachine<Waiting>(resumingIn: WaitState())
        try machine.fire.rest()
        #expect(machine.stateName == "RestState")
        #expect(machine.revision == 2)
    }

    final class WaitState: WorkflowState, EmptyState, Restoring {
        func didRestore(_ transition: StateTransition) {
            #expect(throws: Never.self) { try transition.machine(as: Waiting.self)?.fire.wake() }
        }
    }
    final class AwakeState: WorkflowState, EmptyState {}
    final class RestState: WorkflowState, EmptyState {}
    struct Waiting: Workflow {
        static var initial: any WorkflowState { WaitState() }
        let wake = Event(from: WaitState.self, to: AwakeState.self)
        let rest = Event(from: AwakeState.self, to: RestState.self)
    }

    @Test("Activating from a callback of the activation does nothing")
    func again() {
        let machine = StateMachine<Heard>(entering: AState())
        machine.willEnter(AState.self) { _, transition in transition.machine(as: Heard.self)?.activate() }
        machine.didEnter(AState.self) { _, transition in transition.machine(as: Heard.self)?.activate() }
        machine.activate()
        #expect(machine.isActive)
    }
}
