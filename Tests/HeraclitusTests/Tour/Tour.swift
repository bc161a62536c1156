import Heraclitus
import Testing

// The tour of the README, word for word but for what surrounds it.

struct Request: Codable, Sendable {
    let url: String
    func cancel() {}
}

enum DownloadError: Error, Codable {
    case timedOut
    case broken
}

// What every state of this workflow can be asked. Only some have something to say.
protocol DownloadState: WorkflowState { var request: Request? { get } }
extension DownloadState { var request: Request? { nil } }

// States are classes that carry their own data. Codable comes for free.
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

// Events lead from states to states. A property's name is the event's name.
struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }

    let load = Event(from: IdleState.self, FailureState.self, to: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: CompletedState.self)
    let fail = Event(from: LoadingState.self, to: FailureState.self)
    let cancel = Event(from: IdleState.self, LoadingState.self, to: CancelledState.self)
}

@Suite struct TourTests {
    @Test("The tour does what it says")
    func tour() throws {
        let request = Request(url: "https://example.org")
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(request: request), userInfo: ["attempt": 1])
        #expect(machine.state.request?.url == "https://example.org")
        try machine.fire.fail { loading in FailureState(.timedOut, retrying: loading.request) }
        #expect(!machine.can.cancel)
        do {
            try machine.fire.cancel()
            Issue.record("cancel must be refused")
        } catch {
            #expect(error.event == "cancel")
            #expect(error.source == "FailureState")
            #expect(error.reason == .notAllowed)
            #expect(error.allowedEvents == ["load"])
            #expect(error.userInfo.isEmpty)
            print(error)
        }
        let json = try machine.archive()
        print(String(decoding: json, as: UTF8.self))
        let later = try StateMachine<Download>(archive: json)
        later.activate()
        #expect((later.state as? FailureState)?.retrying?.url == "https://example.org")
    }
}
