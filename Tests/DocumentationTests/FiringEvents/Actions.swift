import Heraclitus
import Testing

private protocol LightState: WorkflowState {}
private final class BlueState: LightState, EmptyState {}
private final class RedState: LightState, EmptyState {}
private final class GreenState: LightState {
    let seconds: Int
    init(seconds: Int) { self.seconds = seconds }
}

extension UserInfo.Key<Int> { static var step: Self { Self("step") } }

private struct Light: Workflow {
    static var initial: any LightState { BlueState() }

    let stop = Event(from: BlueState.self, GreenState.self, to: RedState.self)
    let go = Event(from: RedState.self, to: GreenState.self)

    let switchOn = Action(in: BlueState.self) { blue, call in
        try call.machine.fire.stop(userInfo: call.userInfo)
    }
    let countdown = Action(in: GreenState.self) { green, call in
        Array(stride(from: green.seconds, to: 0, by: -(call.userInfo[.step] ?? 1)))
    }
}

@Suite("Actions") struct ActionArticleTests {
    @Test("An action runs in the states that allow it, and is rejected elsewhere")
    func allowed() throws {
        let light = StateMachine<Light>()
        #expect(light.allowedActions == ["switchOn"])
        let error = #expect(throws: InvalidTransition.self) {
            try light.perform(\.switchOn)
            try light.perform(named: "switchOn")  // refused: the light is red now
        }
        #expect(error?.source == "RedState" && light.revision == 1)
        try light.fire.go(GreenState(seconds: 3))
        #expect(try light.perform(\.countdown) == [3, 2, 1])
        let seconds = try light.perform(\.countdown, userInfo: UserInfo((.step, 2)))
        #expect(seconds == [3, 1])
        #expect(try light.perform(action: "measure", in: GreenState.self) { green in green.seconds } == 3)
    }
}
