import Foundation
import Heraclitus
import Testing

private struct FetchError: Error {}
private struct NotPermitted: Error {
    let url: String
}

private final class IdleState: EmptyState {}
private final class LoadedState: WorkflowState {
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}

private final class LoadingState: WorkflowState {
    let url: String
    init(url: String) { self.url = url }
}

private struct Download: Workflow {
    static var initial: any WorkflowState { IdleState() }
    let load = Event(from: IdleState.self, to: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: LoadedState.self)
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

private protocol Client: Sendable {
    func fetch(_ url: String, then: @escaping @Sendable (Result<Int, FetchError>) -> Void)
}

private final class Downloader: Sendable {
    let machine: StateMachine<Download>
    private let client: any Client

    init(_ machine: StateMachine<Download> = StateMachine<Download>(), client: any Client) {
        self.machine = machine
        self.client = client
        machine.didEnterOrRestore(LoadingState.self) { [weak self] loading, _ in self?.fetch(loading) }
        machine.activate()
    }

    private func fetch(_ loading: LoadingState) {
        client.fetch(loading.url) { [weak machine] result in
            switch result {
            case .success(let byteCount): try? machine?.fire.finish(LoadedState(byteCount: byteCount))
            case .failure: try? machine?.fire.cancel()
            }
        }
    }
}

private struct ImmediateClient: Client {
    func fetch(_ url: String, then: @escaping @Sendable (Result<Int, FetchError>) -> Void) { then(.success(url.count)) }
}

private final class ClosedState: EmptyState {}
private final class OpenState: EmptyState {}

private struct Door: Workflow {
    static var initial: any WorkflowState { ClosedState() }
    let open = Event(from: ClosedState.self, to: OpenState.self)
        .guarded { _, _, transition in
            guard transition.userInfo["isAdult", as: Bool.self] == true else { throw NotPermitted(url: "door") }
        }
}

private final class Permissions: Sendable {
    func allow(_ url: String) -> Bool { url.hasPrefix("https") }
}

@Suite("Dependencies of states") struct DependencyArticleTests {
    @Test("The owner's client answers, for a new machine and a restored one")
    func owner() throws {
        let downloader = Downloader(client: ImmediateClient())
        try downloader.machine.fire.load(LoadingState(url: "https://example.org"))
        #expect((downloader.machine.state as? LoadedState)?.byteCount == 19)

        let loading = StateMachine<Download>()
        try loading.fire.load(LoadingState(url: "abc"))
        let restored = Downloader(try StateMachine<Download>(archive: loading.archive()), client: ImmediateClient())
        #expect((restored.machine.state as? LoadedState)?.byteCount == 3)
    }

    @Test("Guards ask the owner and the user info")
    func guards() throws {
        let machine = StateMachine<Download>()
        let permissions = Permissions()
        machine.guarded(\.load) { _, loading, _ in
            guard permissions.allow(loading.url) else { throw NotPermitted(url: loading.url) }
        }
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.load(LoadingState(url: "ftp:")) }
        #expect((error?.underlyingError as? NotPermitted)?.url == "ftp:")
        try machine.fire.load(LoadingState(url: "https:"))

        let door = StateMachine<Door>()
        #expect(throws: InvalidTransition.self) { try door.fire.open() }
        try door.fire.open(userInfo: ["isAdult": true])
    }
}
