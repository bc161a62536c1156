import Heraclitus
import PublicModule
import Testing

private struct NotPermitted: Error {}

private struct Gate: Workflow {
    final class ClosedState: EmptyState {}
    final class OpenState: EmptyState {}

    static var initial: any WorkflowState { OpenState() }
    struct Permit: Codable, Sendable {}

    let slam = Event(from: OpenState.self, to: ClosedState.self)
        .guarded { _, _, transition in
            guard transition.userInfo["permit"] is Permit else { throw NotPermitted() }
        }
}

@Suite("Public modules") struct PublicModuleTests {
    @Test("A workflow of another module is usable through its public states and events")
    func door() throws {
        let door = StateMachine<Door>()
        try door.fire.open(OpenState(visitor: "Ada"))
        try door.fire.close()
        #expect(!door.state.isOpen && door.revision == 2)
    }

    @Test("An internal event may be fired by name, unless a guard needs more")
    func names() throws {
        let door = StateMachine<Door>(resumingIn: PublicModule.OpenState(visitor: "Ada"))
        try door.fire[named: "slam"]()
        let gate = StateMachine<Gate>()
        #expect(throws: InvalidTransition.self) { try gate.fire[named: "slam"]() }
        try gate.fire.slam(userInfo: ["permit": Gate.Permit()])
    }
}
