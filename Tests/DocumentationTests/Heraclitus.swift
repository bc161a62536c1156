import Heraclitus
import Testing

private protocol DownloadState: WorkflowState {}
private final class IdleState: DownloadState, EmptyState {}
private final class LoadingState: DownloadState {
    let url: String
    init(url: String) { self.url = url }
}

private struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }
    let load = Event(from: IdleState.self, to: LoadingState.self)
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

@Suite("The landing page") struct LandingPageTests {
    @Test("Its code does what it says")
    func code() throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(url: "https://example.org"))
        try machine.fire.cancel()
        #expect(machine.state is IdleState && machine.revision == 2)
    }
}
