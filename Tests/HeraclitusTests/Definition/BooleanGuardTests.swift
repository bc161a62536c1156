import Heraclitus
import Testing

private final class Open: EmptyState {}
private final class Paid: WorkflowState {
    let amount: Int
    init(amount: Int) { self.amount = amount }
}

private struct Invoice: Workflow {
    static var initial: any WorkflowState { Open() }
    let pay = Event(from: Open.self, to: Paid.self)
}

@available(*, deprecated, message: "It uses what is deprecated.")
private struct CheckedInvoice: Workflow {
    static var initial: any WorkflowState { Open() }
    let pay = Event(from: Open.self, to: Paid.self).guarded { _, paid, _ in paid.amount > 0 }
}

@available(*, deprecated, message: "It uses what is deprecated.")
private func decline<W: Workflow>(_ fire: () throws(InvalidTransition) -> Void, _ machine: StateMachine<W>) {
    let error = #expect(throws: InvalidTransition.self) { try fire() }
    #expect(error?.reason == .declined)
    #expect(error.map { "\($0)" }?.contains("the guard returned false") == true)
    #expect(machine.state is Open)
}

@Suite("Guards that return a Boolean value") struct BooleanGuardTests {
    @available(*, deprecated, message: "It uses what is deprecated.")
    @Test("False declines, and true passes, for an event's guard")
    func event() throws {
        let machine = StateMachine<CheckedInvoice>()
        decline({ () throws(InvalidTransition) in try machine.fire.pay(Paid(amount: 0)) }, machine)
        try machine.fire.pay(Paid(amount: 1))
        #expect(machine.state is Paid)
    }

    @available(*, deprecated, message: "It uses what is deprecated.")
    @Test("False declines, and true passes, for a machine's guard")
    func machine() throws {
        let machine = StateMachine<Invoice>()
        let guarding = machine.guarded(\.pay) { _, paid, _ in paid.amount > 0 }
        decline({ () throws(InvalidTransition) in try machine.fire.pay(Paid(amount: 0)) }, machine)
        guarding.cancel()
        try machine.fire.pay(Paid(amount: 0))
        #expect(machine.state is Paid)
    }
}
