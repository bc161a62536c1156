// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The article shows it without.

public import Heraclitus

public protocol DoorState: WorkflowState {
    var isOpen: Bool { get }
}

public final class ClosedState: DoorState, EmptyState {
    public var isOpen: Bool { false }
    public init() {}
}

public final class OpenState: DoorState, Entering {
    public let visitor: String
    public var isOpen: Bool { true }

    public init(visitor: String) { self.visitor = visitor }

    public func didEnter(_ transition: StateTransition) { print("Hello, \(visitor)") }
}

public struct Door: Workflow {
    public static var initial: any DoorState { ClosedState() }

    public let open = Event(from: ClosedState.self, to: OpenState.self)
    public let close = Event(from: OpenState.self, to: ClosedState.self)
    let slam = Event(from: OpenState.self, to: ClosedState.self)

    public init() {}
}
