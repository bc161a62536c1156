import Heraclitus

/// A box that may hold other boxes, at any depth.
///
/// Opening a box has an effect.
protocol BoxState: WorkflowState {}

final class ShutBoxState: BoxState, EmptyState {}

final class OpenBoxState: BoxState, Effecting {
    let name: String
    init(_ name: String) { self.name = name }
    var effects: [any Effect] { [Opened(name: name)] }
}

/// A box that holds boxes and has no effect of its own.
final class FullBoxState: BoxState, Composite {
    let boxes: [StateMachine<Nesting>]
    init(_ boxes: StateMachine<Nesting>...) { self.boxes = boxes }
    private init(copies boxes: [StateMachine<Nesting>]) { self.boxes = boxes }
    var regions: [any Region] { boxes }
    func copied() -> FullBoxState { FullBoxState(copies: boxes.map { $0.copy() }) }
}

/// A box that opens its inner box when it is entered.
final class EagerBoxState: BoxState, Composite, Effecting, Entering {
    let box: StateMachine<Nesting>
    let name: String
    init(_ name: String, _ box: StateMachine<Nesting> = StateMachine()) { (self.name, self.box) = (name, box) }
    var regions: [any Region] { [box] }
    var effects: [any Effect] { [Opened(name: name)] }
    func didEnter(_ transition: StateTransition) { try? box.fire.open(OpenBoxState(name + " within")) }
    func copied() -> EagerBoxState { EagerBoxState(name, box.copy()) }
}

struct Opened: Effect {
    let name: String
}

struct Nesting: Workflow {
    static var initial: any BoxState { ShutBoxState() }
    static var effects: [any Effect.Type] { [Opened.self] }
    let open = Event(from: ShutBoxState.self, OpenBoxState.self, to: OpenBoxState.self)
    let rename = Event(updating: OpenBoxState.self)
    let hold = Event(from: ShutBoxState.self, to: FullBoxState.self)
    let refill = Event(updating: FullBoxState.self)
    let hurry = Event(from: ShutBoxState.self, to: EagerBoxState.self)
    let shut = Event(from: OpenBoxState.self, FullBoxState.self, EagerBoxState.self, to: ShutBoxState.self)
}

extension StateMachine<Nesting> {
    /// The inner boxes.
    var boxes: [StateMachine<Nesting>] { (state as? FullBoxState)?.boxes ?? [] }
}
