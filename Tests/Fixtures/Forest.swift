import Heraclitus

/// Workflows three levels deep: an order with two errands, each of which holds a lamp while it is busy.
enum Forest {
    /// The journal of the states' hooks.
    @TaskLocal static var journal = CallLog()

    /// Calls a body with its own journal.
    static func noting(_ body: (CallLog) throws -> Void) rethrows {
        let journal = CallLog()
        try $journal.withValue(journal) { try body(journal) }
    }

    /// A state that records every hook with the event and the source.
    protocol Noting: EntryPreparing, Entering, ExitPreparing, Exiting, Restoring {}

    // MARK: The lamp

    final class DarkState: EmptyState, Noting {}
    final class LitState: EmptyState, Noting {}
    final class BurntState: EmptyState, Noting {}

    struct Lamp: Workflow {
        static var initial: any WorkflowState { DarkState() }
        let light = Event(from: DarkState.self, to: LitState.self)
        let dim = Event(from: LitState.self, to: DarkState.self)
        let burn = Event(from: LitState.self, to: BurntState.self)
    }

    // MARK: The errand

    final class IdleState: EmptyState, Noting {}
    final class BusyState: Noting, Composite {
        let lamp: StateMachine<Lamp>
        init(lamp: StateMachine<Lamp> = StateMachine()) { self.lamp = lamp }
        var regions: [any Region] { [lamp] }
        func copied() -> BusyState { BusyState(lamp: lamp.copy()) }
    }
    final class EndState: EmptyState, Noting {}

    struct Errand: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let begin = Event(from: IdleState.self, to: BusyState.self)
        let pause = Event(from: BusyState.self, to: IdleState.self)
        let end = Event(from: IdleState.self, BusyState.self, to: EndState.self)
    }

    // MARK: The order

    final class CartState: EmptyState, Noting {}
    final class PlacedState: Noting, Composite {
        let note: String
        let first: StateMachine<Errand>
        let second: StateMachine<Errand>
        init(
            _ note: String = "",
            first: StateMachine<Errand> = StateMachine(),
            second: StateMachine<Errand> = StateMachine()
        ) {
            self.note = note
            self.first = first
            self.second = second
        }
        var regions: [any Region] { [first, second] }
        func copied() -> PlacedState { PlacedState(note, first: first.copy(), second: second.copy()) }
    }
    final class ShippedState: EmptyState, Noting {}

    struct Order: Workflow {
        static var initial: any WorkflowState { CartState() }
        let place = Event(from: CartState.self, to: PlacedState.self)
        let renote = Event(updating: PlacedState.self)
        let unplace = Event(from: PlacedState.self, to: CartState.self)
        let again = Event(from: PlacedState.self, to: PlacedState.self)
        let ship = Event(from: PlacedState.self, to: ShippedState.self)
    }

    /// A placed order with both errands busy and the lamp of the first one lit.
    static func busyOrder() throws -> StateMachine<Order> {
        let order = StateMachine<Order>()
        try order.fire.place(PlacedState())
        try order.first.fire.begin(BusyState())
        try order.second.fire.begin(BusyState())
        try order.first.lamp.fire.light()
        return order
    }
}

extension Forest.Noting {
    private func note(_ hook: String, _ transition: StateTransition) {
        let source = transition.source.map { type(of: $0).name } ?? "-"
        Forest.journal.write(
            "\(Self.name).\(hook) \(transition.event ?? "-"): \(source) → \(type(of: transition.destination).name)"
        )
    }
    func willEnter(_ transition: StateTransition) { note("willEnter", transition) }
    func didEnter(_ transition: StateTransition) { note("didEnter", transition) }
    func willExit(_ transition: StateTransition) { note("willExit", transition) }
    func didExit(_ transition: StateTransition) { note("didExit", transition) }
    func didRestore(_ transition: StateTransition) { note("didRestore", transition) }
}

extension StateMachine<Forest.Order> {
    private var placed: Forest.PlacedState {
        guard let placed = (state as? Forest.PlacedState) ?? (previousState as? Forest.PlacedState) else {
            preconditionFailure("The order was never placed.")
        }
        return placed
    }
    var first: StateMachine<Forest.Errand> { placed.first }
    var second: StateMachine<Forest.Errand> { placed.second }
}

extension StateMachine<Forest.Errand> {
    var lamp: StateMachine<Forest.Lamp> {
        guard let busy = (state as? Forest.BusyState) ?? (previousState as? Forest.BusyState) else {
            preconditionFailure("The errand was never busy.")
        }
        return busy.lamp
    }
}
