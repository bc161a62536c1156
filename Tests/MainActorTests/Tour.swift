import Heraclitus
import Testing

// A download in a module whose default isolation is the main actor.
//
// The state protocol and its extension say `nonisolated`, which makes every state nonisolated. A subclass of a state
// says it as well, and so does state data whose methods are called from states. Plain data and errors need nothing.

nonisolated struct Request: Codable, Sendable {
    let url: String
    func cancel() {}
}

enum DownloadError: Error, Codable {
    case timedOut
}

nonisolated protocol DownloadState: WorkflowState { var request: Request? { get } }
nonisolated extension DownloadState { var request: Request? { nil } }

final class IdleState: DownloadState, EmptyState {}
final class CancelledState: DownloadState, EmptyState {}
final class CompletedState: DownloadState {
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}
final class LoadingState: DownloadState, ExitPreparing {
    let request: Request?
    init(request: Request) { self.request = request }
    func willExit(_ transition: StateTransition) {
        if transition.destination is CancelledState { request?.cancel() }
    }
}
class FailureState: DownloadState, @unchecked Sendable {
    let error: DownloadError
    let retrying: Request?
    init(_ error: DownloadError, retrying: Request? = nil) {
        self.error = error
        self.retrying = retrying
    }
}
nonisolated final class TimedOutState: FailureState, @unchecked Sendable {}

struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }
    static var states: [any WorkflowState.Type] { [TimedOutState.self] }

    let load = Event(from: IdleState.self, FailureState.self, to: LoadingState.self)
        .guarded { source, loading, _ in
            if source.request?.url == loading.request?.url { throw DownloadError.timedOut }
        }
    let finish = Event(from: LoadingState.self, to: CompletedState.self)
    let fail = Event(from: LoadingState.self, to: FailureState.self)
    let cancel = Event(from: IdleState.self, LoadingState.self, to: CancelledState.self)
}

/// A screen's model with the events as methods, which observes its machine.
@MainActor final class Player: MachineOwner {
    let machine = StateMachine<Download>()
    var rejections = 0
    var refusals = 0

    nonisolated func note(_ occurrence: Occurrence) {
        MainActor.assumeIsolated {
            if occurrence.kind == .rejected { rejections += 1 }
            if occurrence.kind == .refused { refusals += 1 }
        }
    }

    func retry() throws {
        try machine.perform(in: FailureState.self) { failure in
            try machine.fire.load(LoadingState(request: failure.retrying ?? Request(url: "")))
        }
    }
}

/// A screen's model on the main actor, with hooks that use it.
final class Screen {
    let machine = StateMachine<Download>()
    var title = ""

    init() {
        machine.didEnter(LoadingState.self) { [weak self] loading, _ in
            MainActor.assumeIsolated { self?.title = loading.request?.url ?? "" }
        }
    }
}

@Suite("A module of the main actor") struct MainActorTests {
    @Test("The tour compiles and runs on the main actor")
    func tour() throws {
        let request = Request(url: "https://example.org")
        let screen = Screen()
        let machine = screen.machine
        try machine.fire.load(LoadingState(request: request), userInfo: ["attempt": 1])
        #expect(machine.state.request?.url == "https://example.org")
        #expect(screen.title == "https://example.org")
        try machine.fire.fail { loading in TimedOutState(.timedOut, retrying: loading.request) }
        #expect(!machine.can.cancel)
        do {
            try machine.fire.cancel()
            Issue.record("cancel must be rejected")
        } catch {
            #expect(error.reason == .notAllowed)
            #expect(error.allowedEvents == ["load"])
        }
        let later = try StateMachine<Download>(archive: machine.archive())
        later.activate()
        #expect(later.state is TimedOutState)
    }

    @Test("A machine may be fired from other threads as well")
    func offMain() async throws {
        let machine = StateMachine<Download>()
        try await Task.detached { try machine.fire.cancel() }.value
        #expect(machine.state is CancelledState)
    }

    @Test("An owner and an observer may belong to the main actor")
    func host() throws {
        let player = Player()
        player.machine.observe { [weak player] in player?.note($0) }
        #expect(throws: InvalidTransition.self) { try player.retry() }
        #expect(throws: InvalidTransition.self) { try player.fail(FailureState(.timedOut)) }
        #expect(player.rejections == 1 && player.refusals == 1)
        try player.load(LoadingState(request: Request(url: "a")))
        try player.fail { loading in FailureState(.timedOut, retrying: loading.request) }
        try player.retry()
        #expect(player.machine.isIn(LoadingState.self) && player.can.cancel && player.state.request?.url == "a")
    }
}
