import Heraclitus

// A download, used by many tests.

struct Request: Codable, Sendable {
    let url: String
    func cancel() {}
}

enum DownloadError: Error, Codable {
    case timedOut
}

// The properties of every state. Some states override the defaults.
protocol DownloadState: WorkflowState { var request: Request? { get } }
extension DownloadState { var request: Request? { nil } }

// States are classes with their own data, and are Codable by default.
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
class FailureState: DownloadState, @unchecked Sendable {  // constants only; the class may have subclasses
    let error: DownloadError
    let retrying: Request?
    init(_ error: DownloadError, retrying: Request? = nil) {
        self.error = error
        self.retrying = retrying
    }
}

// An event leads from states to states. Its name is that of its property, unless one is given: Event("Load it", from:
// …).
struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }

    let load = Event(from: IdleState.self, FailureState.self, to: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: CompletedState.self)
    let fail = Event(from: LoadingState.self, to: FailureState.self)
    let cancel = Event(from: IdleState.self, LoadingState.self, to: CancelledState.self)
}
