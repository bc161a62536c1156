import Heraclitus
import HeraclitusTesting
import Testing

private struct CartIsEmpty: Error {}

private final class CartState: WorkflowState {
    let items: [String]
    let total: Int
    init(items: [String], total: Int) { (self.items, self.total) = (items, total) }
}

private final class PlacedState: WorkflowState {
    let cart: CartState
    init(_ cart: CartState) { self.cart = cart }
}

private final class CancelledState: WorkflowState {
    let cart: CartState
    init(_ cart: CartState) { self.cart = cart }
    init(_ placed: PlacedState) { cart = CartState(items: [], total: placed.cart.total) }
}

private final class PaidState: EmptyState {}

private struct Order: Workflow {
    static var initial: any WorkflowState { CartState(items: [], total: 0) }

    let change = Event(updating: CartState.self)
    let place = Event(from: CartState.self, to: PlacedState.self)
        .guarded { cart, _, _ in if cart.items.isEmpty { throw CartIsEmpty() } }
    let pay = Event(from: PlacedState.self, to: PaidState.self)
    let cancel = Event(from: CartState.self, PlacedState.self, to: CancelledState.self)
    let reopen = Event(from: CancelledState.self, to: CartState.self)
}

@Suite("Exercising workflows, on the page of HeraclitusTesting") struct ExercisingArticleTests {
    @Test("The page prints the findings")
    func exercising() throws {
        func hasTotal(_ machine: StateMachine<Order>) -> Bool {
            (machine.state as? CartState).map { $0.total == 20 * $0.items.count } ?? true
        }
        let samples: [Sample<Order>] = [
            .event(\.change) { cart in CartState(items: cart.items + ["book"], total: cart.total + 20) },
            .event(\.reopen) { cancelled in CartState(items: cancelled.cart.items, total: cancelled.cart.total) },
            .state { (cart: CartState) in PlacedState(cart) },
            .state { (cart: CartState) in CancelledState(cart) },
            .state { (placed: PlacedState) in CancelledState(placed) },
        ]
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(Order.self, samples: samples, invariants: ["the total is that of the items": hasTotal])
        }
        let texts = try Documentation.blocks(Documentation.path(of: "HeraclitusTesting"), language: "text")
        #expect(try #require(failure).description + "\n" == texts[0])

        // The paths of the failure that the page prints.
        let machine = StateMachine<Order>()
        try machine.fire.change(samples[0](machine.state))
        try machine.fire.place(samples[2](machine.state))
        try machine.fire.cancel(samples[4](machine.state))
        try machine.fire.reopen(samples[1](machine.state))
        #expect(!hasTotal(machine))

        var printed = ""
        func print(_ untried: ExerciseReport.Untried) { printed += "\(untried)\n" }
        let emptyCarts = Array(samples.dropFirst()) + [.state(CartState(items: [], total: 0))]
        let report = try exercise(Order.self, samples: emptyCarts)
        for untried in report.untried { print(untried) }
        #expect(printed == texts[1])
    }

    @Test("The page's paths exist")
    func paths() throws {
        let path = Order.table.shortestPath(from: "CartState", to: "PaidState")
        let paths = Order.table.paths(covering: .transitions)
        let walk = Order.table.randomWalk(of: 100, seed: 1)
        #expect(path?.steps.count == 2 && !paths.isEmpty && walk != nil)
    }
}
