import Heraclitus
import Synchronization
import Testing

private final class Request: Codable, Sendable {
    static let cancelled = Mutex(0)
    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {}
    func cancel() { Self.cancelled.withLock { $0 += 1 } }
}

private protocol DownloadState: WorkflowState {}
private final class IdleState: DownloadState, EmptyState {}

private protocol LiveState: DownloadState { var request: Request { get } }

extension StateGroup where State == any LiveState {
    fileprivate static var live: Self { Self { $0 is any LiveState.Type } }
}

private final class ConnectingState: LiveState {
    let request: Request
    init(_ request: Request) { self.request = request }
}

private final class LoadingState: LiveState {
    let request: Request
    init(_ request: Request) { self.request = request }
}

private struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }

    let connect = Event(from: IdleState.self, to: ConnectingState.self)
    let load = Event(from: ConnectingState.self, to: LoadingState.self)
    let cancel = Event(fromAny: .live, to: IdleState.self)
        .willFire { live, _, _ in live.request.cancel() }  // `live` is `any LiveState`
    let reset = Event(to: IdleState.self).ignored(in: .live)
}

@Suite("Groups of states") struct GroupArticleTests {
    @Test("An event from a group leads from each of its states, with the state typed")
    func group() throws {
        let machine = StateMachine<Download>()
        try machine.fire.connect(ConnectingState(Request()))
        #expect(machine.isIn((any LiveState).self))
        try machine.fire.reset()
        try machine.fire.load { connecting in LoadingState(connecting.request) }
        try machine.fire.cancel()
        #expect(machine.state is IdleState && Request.cancelled.withLock { $0 } == 1)
        #expect(Download.table.groups.map(\.states) == [["ConnectingState", "LoadingState"]])
        #expect(Download.diagnostics.isEmpty)
    }
}
