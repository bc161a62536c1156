import Heraclitus

// The states of a traffic light, which is blue before it is switched on.

protocol LightState: WorkflowState {}

final class BlueState: LightState, EmptyState {
    static var name: String { "blue" }
}

final class RedState: LightState, EmptyState {
    static var name: String { "red" }
}

final class GreenState: LightState {
    static var name: String { "green" }
    let seconds: Int

    init(seconds: Int) { self.seconds = seconds }
}

struct Light: Workflow {
    static var initial: any LightState { BlueState() }

    let stop = Event(from: BlueState.self, GreenState.self, to: RedState.self)
    let go = Event(from: RedState.self, to: GreenState.self)

    // Methods in the definition: tables list them, and each can be performed by name with arguments.

    let remaining = Action(in: GreenState.self) { green, call in
        max(0, green.seconds - (call.userInfo["elapsed", as: Int.self] ?? 0))
    }
    let warn = Action(in: BlueState.self, RedState.self) { light, call in
        print("  the \(type(of: light).name) light warns: \(call.userInfo["of", as: String.self] ?? "stop")")
    }
}
