import Heraclitus
import Testing

private protocol DownloadState: WorkflowState {}
private final class IdleState: DownloadState, EmptyState {}
private final class LoadingState: DownloadState {
    let url: String
    init(url: String) { self.url = url }
}

private final class LoadedState: DownloadState {
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}

private struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }
    let load = Event(from: IdleState.self, LoadedState.self, to: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: LoadedState.self)
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

@Suite("The landing page") struct LandingPageTests {
    @Test("The page's code runs")
    func code() throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(url: "https://example.org"))
        let restored = try StateMachine<Download>(archive: machine.archive())
        try restored.fire.finish(LoadedState(byteCount: 1256))
        #expect(machine.state is LoadingState && (restored.state as? LoadedState)?.byteCount == 1256)
    }
}

extension Picture {
    static let download = Picture(name: "download", page: "Heraclitus", table: Download.table)
}
