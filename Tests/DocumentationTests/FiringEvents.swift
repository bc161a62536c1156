import Heraclitus
import Testing

private final class IdleState: EmptyState {}
private final class LoadingState: WorkflowState {
    static func prepared() async -> LoadingState { LoadingState() }
}

private struct Download: Workflow {
    static var initial: any WorkflowState { IdleState() }
    let load = Event(from: IdleState.self, to: LoadingState.self)
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

@Suite("Firing events") struct FiringArticleTests {
    @Test("An argument that needs await is made beforehand")
    func prepared() async throws {
        let machine = StateMachine<Download>()
        let state = await LoadingState.prepared()
        try machine.fire.load(state)
        #expect(machine.state === state)
    }

    @Test("In a closure the type of the error is written down")
    func typed() {
        let machine = StateMachine<Download>()
        let fire = {
            do throws(InvalidTransition) {
                try machine.fire.cancel()
            } catch {
                print(error.reason, error.allowedEvents)
            }
        }
        fire()
        #expect(machine.revision == 0)
    }
}
