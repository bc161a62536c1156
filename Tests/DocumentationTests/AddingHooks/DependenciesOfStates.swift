import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

private struct NotPermitted: Error {
    let url: String
}

private final class IdleState: EmptyState {}
private final class LoadedState: WorkflowState {
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}

private final class LoadingState: WorkflowState, Working {
    let url: String
    init(url: String) { self.url = url }

    func work(_ call: WorkCall<Download>) async throws {
        let byteCount = try await call.context.fetch(url)
        try call.fire.finish(LoadedState(byteCount: byteCount))
    }
}

private protocol Client: Sendable {
    func fetch(_ url: String) async throws -> Int
    func mayFetch(_ url: String) -> Bool
}

private struct Download: Workflow {
    typealias Context = any Client
    static var initial: any WorkflowState { IdleState() }

    let load = Event(from: IdleState.self, to: LoadingState.self)
        .guarded { _, loading, transition in
            let client = transition.context(as: Download.self)
            guard client.mayFetch(loading.url) else { throw NotPermitted(url: loading.url) }
        }
    let finish = Event(from: LoadingState.self, to: LoadedState.self)
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

private struct ImmediateClient: Client {
    func fetch(_ url: String) async throws -> Int { url.count }
    func mayFetch(_ url: String) -> Bool { url.hasPrefix("https") }
}

private final class ClosedState: EmptyState {}
private final class OpenState: EmptyState {}

extension UserInfo.Key<Bool> { static var isAdult: Self { Self("isAdult") } }

private struct Door: Workflow {
    static var initial: any WorkflowState { ClosedState() }
    let open = Event(from: ClosedState.self, to: OpenState.self)
        .guarded { _, _, transition in
            guard transition.userInfo[.isAdult] == true else { throw NotPermitted(url: "door") }
        }
}

private final class Permissions: Sendable {
    func allow(_ url: String) -> Bool { !url.hasSuffix(".exe") }
}

@Suite("Dependencies of states", .timeLimit(.minutes(20))) struct DependencyArticleTests {
    private let client = ImmediateClient()

    @Test("A state uses the client of its machine's context")
    func context() async throws {
        let clock = ManualClock()
        let machine = StateMachine<Download>(context: ImmediateClient(), scheduler: clock.scheduler)
        try machine.fire.load(LoadingState(url: "https://example.org"))
        await clock.advance(by: .zero)
        #expect((machine.state as? LoadedState)?.byteCount == 19)
    }

    @Test("A restored machine gets a client as well")
    func restored() async throws {
        let archive = try StateMachine<Download>(context: client).archive()
        let machine = StateMachine<Download>(context: client)
        let restored = try StateMachine<Download>(archive: archive, context: client)
        #expect(throws: InvalidTransition.self) { try restored.fire.load(LoadingState(url: "ftp:")) }
        #expect(machine.context != nil)
    }

    @Test("A machine from a plain decoder gets its context at its activation")
    func decoded() throws {
        let decoder = JSONDecoder()
        let archive = try JSONEncoder().encode(StateMachine<Download>(context: client))
        let machine = try decoder.decode(StateMachine<Download>.self, from: archive)
        machine.activate(context: client)
        #expect(machine.isActive)
    }

    @Test("A store passes the context to its machines")
    func store() async throws {
        let store = Archive.inMemory()
        try await store.workflow(Download.self, context: client).update("42") { download in
            try download.fire.load(LoadingState(url: "https://example.org"))
        }
        #expect(try await store.workflow(Download.self, context: client).ids(in: [LoadingState.self]) == ["42"])
    }

    @Test("Guards use the owner and the user info")
    func guards() throws {
        let machine = StateMachine<Download>(context: client)
        let permissions = Permissions()
        machine.guarded(\.load) { _, loading, _ in
            guard permissions.allow(loading.url) else { throw NotPermitted(url: loading.url) }
        }
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.load(LoadingState(url: "https:a.exe")) }
        #expect((error?.underlyingError as? NotPermitted)?.url == "https:a.exe")
        try machine.fire.load(LoadingState(url: "https:"))

        let door = StateMachine<Door>()
        #expect(throws: InvalidTransition.self) { try door.fire.open() }
        try door.fire.open(userInfo: UserInfo((.isAdult, true)))
    }
}
