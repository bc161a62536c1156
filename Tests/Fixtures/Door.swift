import Heraclitus

// A door that is closed, open, locked, or broken for good.

protocol DoorState: WorkflowState {}

final class ClosedState: DoorState, EmptyState {}
final class OpenState: DoorState {
    let angle: Int
    init(_ angle: Int = 90) { self.angle = angle }
}
final class LockedState: DoorState {
    let code: Int
    init(_ code: Int) { self.code = code }
}
final class SmashedState: DoorState, EmptyState {}

struct WrongCode: Error {}

struct Door: Workflow {
    static var initial: any DoorState { ClosedState() }

    let open = Event(from: ClosedState.self, to: OpenState.self)
    let close = Event(from: OpenState.self, to: ClosedState.self)
    let swing = Event(updating: OpenState.self)
    let lock = Event(from: ClosedState.self, to: LockedState.self)
    let unlock = Event(from: LockedState.self, to: ClosedState.self)
        .guarded { locked, _, transition in
            if transition.userInfo["code", as: Int.self] != locked.code { throw WrongCode() }
        }
    let smash = Event(from: ClosedState.self, OpenState.self, LockedState.self, to: SmashedState.self)
}
