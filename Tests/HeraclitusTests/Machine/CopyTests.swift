import Heraclitus
import Testing

@Suite("Copies") struct CopyTests {
    @Test("A copy is in the same state at the same revision, and independent")
    func independent() throws {
        let machine = StateMachine<Heard>.active(Journal())
        try machine.fire.go(BState())
        let copy = machine.copy()
        #expect(copy !== machine)
        #expect(copy.state === machine.state)
        #expect(copy.previousState === machine.previousState)
        #expect(copy.revision == 1)
        #expect(copy.isActive)
        try copy.fire.back(AState())
        #expect(machine.stateName == "B")
        #expect(copy.stateName == "A")
        #expect(copy.revision == 2)
    }

    @Test("A copy has the definition's hooks and none of the original's own closures")
    func hooks() throws {
        let journal = Journal()
        let machine = StateMachine<Heard>.active(journal)
        let kept = [
            machine.didEnter(BState.self) { _, _ in journal.write("own") },
            machine.guarded(\.go) { _, _, _ in throw Refusal() },
        ]
        let copy = machine.copy()
        try copy.fire.go(BState(journal))
        #expect(journal.entries.contains("go.guard1"))
        #expect(journal.entries.contains("B.didEnter"))
        #expect(!journal.entries.contains("own"))
        withExtendedLifetime(kept) {}
    }

    @Test("A copy of a machine that was not activated enters its state later, a restored one is told then")
    func activation() throws {
        let journal = Journal()
        let copy = StateMachine<Heard>(initially: AState(journal)).copy()
        #expect(!copy.isActive)
        #expect(journal.entries.isEmpty)
        copy.activate()
        #expect(journal.entries == ["A.willEnter", "A.didEnter"])
        StateMachine<Heard>(in: BState(journal)).copy().activate()
        #expect(journal.entries.last == "B.didRestore")
    }

    @Test("A copy made in a callback shows the committed state and has none of the pending work")
    func duringTransition() throws {
        let machine = StateMachine<Heard>.active(Journal())
        let copies = Journal()
        let kept = [
            machine.willExit(AState.self) { _, transition in
                let copy = transition.machine(as: Heard.self)?.copy()
                copies.write("\(copy?.stateName ?? "") \(copy?.revision ?? -1)")
            },
            machine.didEnter(BState.self) { _, transition in
                try? transition.machine(as: Heard.self)?.fire.onward(CState())
                let copy = transition.machine(as: Heard.self)?.copy()
                copies.write("\(copy?.stateName ?? "") \(copy?.revision ?? -1) \(copy?.can.back ?? false)")
            },
        ]
        try machine.fire.go(BState())
        #expect(copies.entries == ["A 0", "B 1 true"])
        #expect(machine.stateName == "C")
        withExtendedLifetime(kept) {}
    }

    // A composite: a state that holds a machine.
    final class PayingState: WorkflowState, Copying {
        let payment: StateMachine<Download>
        init(payment: StateMachine<Download> = StateMachine()) { self.payment = payment }
        func copied() -> Self { Self(payment: payment.copy()) }
    }
    final class DoneState: WorkflowState, EmptyState {}
    struct Order: Workflow {
        static var initial: any WorkflowState { PayingState() }
        let done = Event(from: PayingState.self, to: DoneState.self)
    }

    @Test("A state that is Copying is copied with what it holds, as current and as previous state")
    func copying() throws {
        let machine = StateMachine<Order>()
        let copy = machine.copy()
        let original = try #require(machine.state as? PayingState)
        let copied = try #require(copy.state as? PayingState)
        try copied.payment.fire.cancel()
        #expect(original.payment.state is IdleState)
        #expect(copied.payment.state is CancelledState)
        try machine.fire.done()
        #expect((machine.copy().previousState as? PayingState)?.payment !== original.payment)
    }

    final class CarelessState: WorkflowState {
        let payments: [StateMachine<Download>]
        init() { payments = [] }
    }
    final class LateState: WorkflowState {
        struct Details: Codable, Sendable { var payment: StateMachine<Download>? }
        let details: Details
        init() { details = Details() }
    }
    final class LuckyState: WorkflowState {
        enum Payment: Codable, Sendable {
            case none
            case paying(StateMachine<Download>)
        }
        let payment: Payment
        init(_ payment: Payment) { self.payment = payment }
    }
    struct Lucky: Workflow {
        static var initial: any WorkflowState { LuckyState(.none) }
        let pay = Event(updating: LuckyState.self)
    }

    @Test("A state that held no machine when it was first copied is found when it does")
    func lucky() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let machine = StateMachine<Lucky>()
                _ = machine.copy()
                try machine.fire.pay(LuckyState(.paying(StateMachine())))
                _ = machine.copy()
            }
        )
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self).contains("LuckyState holds a state machine")
        )
    }

    struct Careless: Workflow {
        static var initial: any WorkflowState { CarelessState() }
        static var states: [any WorkflowState.Type] { [CarelessState.self, LateState.self] }
        let leave = Event(to: DoneState.self)
    }

    @Test("A state that can hold a machine and is not Copying is found at its first copy, even while it holds none")
    func careless() async throws {
        let array = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Careless>().copy()
            }
        )
        #expect(
            String(decoding: array.standardErrorContent, as: UTF8.self).contains(
                "CarelessState holds a state machine in `payments`"
            )
        )
        let optional = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Careless>(in: LateState()).copy()
            }
        )
        #expect(String(decoding: optional.standardErrorContent, as: UTF8.self).contains("`details.payment`"))
    }
}
