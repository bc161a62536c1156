import Heraclitus

// The workload, in the style of a user of the library.

protocol DownloadState: WorkflowState {}

final class IdleState: DownloadState, EmptyState {}

final class LoadingState: DownloadState, Entering, Exiting {
    let url: String
    init(url: String) { self.url = url }
    func didEnter(_ transition: StateTransition) { keep(url.utf8.count) }
    func didExit(_ transition: StateTransition) { keep(url.utf8.count) }
}

final class CompletedState: DownloadState {
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}

final class FailureState: DownloadState {
    let error: DownloadError
    let url: String
    init(_ error: DownloadError, url: String) {
        self.error = error
        self.url = url
    }
}

final class CancelledState: DownloadState, EmptyState {}

struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }

    let load = Event(from: IdleState.self, to: LoadingState.self)
    let fail = Event(from: LoadingState.self, to: FailureState.self)
    let retry = Event(from: FailureState.self, to: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: CompletedState.self)
    let reset = Event(from: CompletedState.self, FailureState.self, CancelledState.self, to: IdleState.self)
    let cancel = Event(from: IdleState.self, LoadingState.self, to: CancelledState.self)

    /// Fired again and again by independent threads.
    let reload = Event(from: LoadingState.self, to: LoadingState.self)
}

struct DownloadError: Error, Codable {
    let code: Int
    let message: String
}

/// The contents of states, made once: strings too long for inline storage.
struct Content: Sendable {
    let url = "https://downloads.example.org/" + String(repeating: "a", count: CommandLine.arguments.count) + ".tar.gz"
    let error = DownloadError(
        code: 504,
        message: "the server did not answer in time, attempt \(CommandLine.arguments.count)"
    )

    static let shared = Content()
}

extension StateMachine<Download> {
    static let transitionsACycle = 5

    /// Fires one cycle of `transitionsACycle` transitions.
    func goAround(_ content: Content) throws(InvalidTransition) {
        try fire.load(LoadingState(url: content.url))
        try fire.fail(FailureState(content.error, url: content.url))
        try fire.retry { failure in LoadingState(url: failure.url) }
        try fire.finish(CompletedState(byteCount: 1024))
        try fire.reset()
    }
}
