import Heraclitus
import Testing

@testable import Fixtures

@Suite("Contexts that the holder's workflow makes for regions") struct MadeRegionContextTests {
    struct Bank: Sendable { let name: String }
    struct Services: Sendable { let bank: Bank }

    final class PaidState: EmptyState {}
    final class DueState: EmptyState, Entering, Restoring {
        func didEnter(_ transition: StateTransition) { heard(transition) }
        func didRestore(_ transition: StateTransition) { heard(transition) }
        private func heard(_ transition: StateTransition) {
            #expect(transition.context(as: Payment.self).name == "Ada's")
        }
    }

    struct Payment: Workflow {
        typealias Context = Bank
        static var initial: any WorkflowState { DueState() }
        let pay = Event(from: DueState.self, to: PaidState.self)
    }

    final class PlacedState: Composite {
        let payment: StateMachine<Payment>
        var regions: [any Region] { [payment] }
        init(_ payment: StateMachine<Payment>) { self.payment = payment }
        func copied() -> PlacedState { PlacedState(payment.copy()) }
    }

    struct Order: Workflow {
        typealias Context = Services
        static var initial: any WorkflowState { PaidState() }
        static var regionContexts: [RegionContext] {
            [RegionContext(of: Payment.self) { (services: Services) in services.bank }]
        }
        let place = Event(from: PaidState.self, to: PlacedState.self)
    }

    /// A workflow that makes no context for its payment.
    struct Careless: Workflow {
        typealias Context = Services
        static var initial: any WorkflowState { PaidState() }
        let place = Event(from: PaidState.self, to: PlacedState.self)
    }

    private let services = Services(bank: Bank(name: "Ada's"))

    private func placed<W: Workflow>(_ machine: StateMachine<W>) throws -> (
        archive: StateMachine<W>, StateMachine<Payment>
    )
    where W.Context == Services {
        let restored = try StateMachine<W>(archive: machine.archive(), context: services)
        return (restored, try #require(restored.state as? PlacedState).payment)
    }

    @Test("A restored machine in a state gets the context that its holder's workflow makes for it")
    func restored() throws {
        let order = StateMachine<Order>(context: services)
        try order.fire.place(PlacedState(StateMachine(context: services.bank)))
        let (later, payment) = try placed(order)
        #expect(payment.context == nil)
        later.activate()
        #expect(payment.context?.name == "Ada's")
        try payment.fire.pay()
    }

    /// A workflow with an event that waits for the payment, and without a context for it.
    struct Hasty: Workflow {
        typealias Context = Services
        static var initial: any WorkflowState { PaidState() }
        let place = Event(from: PaidState.self, to: PlacedState.self)
        let pay = Event(from: PlacedState.self, to: PaidState.self).whenFinal(\.payment)
    }

    /// A workflow whose closure takes another context than the workflow's own.
    struct Mistaken: Workflow {
        typealias Context = Services
        static var initial: any WorkflowState { PaidState() }
        static var regionContexts: [RegionContext] { [RegionContext(of: Payment.self) { (bank: Bank) in bank }] }
        let place = Event(from: PaidState.self, to: PlacedState.self)
        let pay = Event(from: PlacedState.self, to: PaidState.self).whenFinal(\.payment)
    }

    /// A workflow with the context that its payment needs.
    struct Same: Workflow {
        typealias Context = Bank
        static var initial: any WorkflowState { PaidState() }
        let place = Event(from: PaidState.self, to: PlacedState.self)
        let pay = Event(from: PlacedState.self, to: PaidState.self).whenFinal(\.payment)
    }

    /// A workflow with the payment in an empty state.
    struct Empty: Workflow {
        final class HoldingState: EmptyState, Composite {
            let payment = StateMachine<Payment>(context: Bank(name: "Ada's"))
            private enum CodingKeys: CodingKey {}
            var regions: [any Region] { [payment] }
            func copied() -> HoldingState { HoldingState() }
        }
        static var initial: any WorkflowState { PaidState() }
        let hold = Event(from: PaidState.self, to: HoldingState.self)
    }

    @Test("Diagnostics name the workflow of inner machines without a context")
    func diagnostics() throws {
        #expect(Hasty.diagnostics.facts == ["missingRegionContext Payment"])
        #expect(Mistaken.diagnostics == Hasty.diagnostics && Empty.diagnostics == Hasty.diagnostics)
        let problem = try #require(Hasty.diagnostics.first)
        #expect(Order.diagnostics.isEmpty && Same.diagnostics.isEmpty)
        #expect("\(problem)".contains("Add a `RegionContext` of Payment to `regionContexts`"))
        #expect(!problem.stopsTheProgram)
    }

    @Test("An inner machine without a context tells its observers that it is inactive")
    func missing() throws {
        let careless = StateMachine<Careless>(context: services)
        try careless.fire.place(PlacedState(StateMachine(context: services.bank)))
        let (later, payment) = try placed(careless)
        let heard = Lock<[String?]>([])
        payment.observe { occurrence in heard.withLock { $0.append(occurrence.reason) } }
        later.activate()
        #expect(heard.withLock { $0 } == ["missingContext"])
    }

    @Test("A new machine for a state gets its context from its holder, and rejects fires before")
    func madeWithout() throws {
        let payment = StateMachine<Payment>()
        let early = #expect(throws: InvalidTransition.self) { try payment.fire.pay() }
        #expect(early?.reason == .missingContext)
        #expect(early?.description.contains("In a machine's state it gets its holder's context") == true)
        let order = StateMachine<Order>(context: services)
        try order.fire.place(PlacedState(payment))
        #expect(payment.context?.name == "Ada's" && payment.isActive)
        try payment.fire.pay()

        let same = StateMachine<Same>(entering: PlacedState(.init(entering: DueState())), context: services.bank)
        let inner = try #require(same.state as? PlacedState).payment
        try inner.fire.pay()
        #expect(same.isIn(PaidState.self))
    }

    @Test("A machine made for a state enters its first state, and restores nothing")
    func entersItsState() throws {
        let heard = Lock<[String]>([])
        for payment in [StateMachine<Payment>(), StateMachine<Payment>(entering: DueState())] {
            payment.didEnter(DueState.self) { _, _ in heard.withLock { $0.append("didEnter") } }
            payment.didRestore(DueState.self) { _, _ in heard.withLock { $0.append("didRestore") } }
            try StateMachine<Order>(context: services).fire.place(PlacedState(payment))
        }
        #expect(heard.withLock { $0 } == ["didEnter", "didEnter"])
    }

    @Test("A new machine whose holder has no context for it says where to add one")
    func neverGiven() throws {
        let payment = StateMachine<Payment>()
        try StateMachine<Careless>(context: services).fire.place(PlacedState(payment))
        let careless = StateMachine<Careless>(entering: PlacedState(.init()), context: services)
        let held = try #require(careless.state as? PlacedState).payment
        careless.activate()
        let error = #expect(throws: InvalidTransition.self) { try held.fire.pay() }
        #expect(error?.reason == .missingContext && error?.path == "Careless.payment")
        #expect(error?.description.contains("add a `RegionContext` to `regionContexts` of the holder's") == true)
    }
}
