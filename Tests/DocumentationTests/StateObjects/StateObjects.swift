import Foundation
import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

private enum Flags {
    final class Request { func cancel() {} }

    class Downloader {
        var request: Request?
        var isLoading = false
        var isCancelled = false
        var error: (any Error)?
        var byteCount: Int?

        func cancel() {
            if isLoading, let request {  // or was it `if !isCancelled`?
                request.cancel()
                isLoading = false
                isCancelled = true
                self.request = nil  // and the error?
            }
        }
    }
}

private struct Part: Codable, Sendable, Equatable {
    let url: String
    var byteCount = 0
}

/// A request that counts its calls for each URL.
private final class Request: Sendable {
    static let made = Mutex<[String: Int]>([:])
    static let opened = Mutex<[String: Int]>([:])
    static let cancelled = Mutex<[String: Int]>([:])

    private let url: String
    private let isOpen = Mutex(false)

    init(_ part: Part) {
        url = part.url
        Self.made.withLock { $0[part.url, default: 0] += 1 }
    }

    func open(for machine: StateMachine<Download>?) {
        isOpen.withLock { $0 = true }
        Self.opened.withLock { $0[url, default: 0] += 1 }
    }

    func cancel() {
        let url = isOpen.withLock { $0 } ? url : "never opened"
        Self.cancelled.withLock { $0[url, default: 0] += 1 }
    }
}

private protocol DownloadState: WorkflowState { var part: Part? { get } }  // what has been loaded of the file so far
extension DownloadState { var part: Part? { nil } }

private final class IdleState: DownloadState, EmptyState {}

private final class LoadingState: DownloadState, Entering, Restoring, ExitPreparing {
    private let current: Part
    private let request: Request
    var part: Part? { current }

    init(_ part: Part) {
        current = part
        request = Request(part)
    }

    /// Makes the state of an update, which takes over the request.
    private init(_ part: Part, continuing request: Request) {
        current = part
        self.request = request
    }

    func with(_ part: Part) -> LoadingState { LoadingState(part, continuing: request) }

    func didEnter(_ transition: StateTransition) { request.open(for: transition.machine(as: Download.self)) }
    func didRestore(_ transition: StateTransition) { request.open(for: transition.machine(as: Download.self)) }

    func willExit(_ transition: StateTransition) {
        if transition.destination is CancelledState { request.cancel() }
    }

    private enum CodingKeys: String, CodingKey { case current = "part" }  // the request is not archived

    convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.container(keyedBy: CodingKeys.self).decode(Part.self, forKey: .current))
    }
}

private final class CompletedState: DownloadState {
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}

private final class CancelledState: DownloadState {
    let part: Part?
    init(_ part: Part?) { self.part = part }
}

private class FailureState: DownloadState, @unchecked Sendable {  // constants only; it has subclasses
    let part: Part?
    init(_ part: Part?) { self.part = part }
    var reason: String { "something went wrong" }
}

private final class TimedOutState: FailureState, @unchecked Sendable {
    override var reason: String { "the server does not answer" }
}

private struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }
    static var states: [any WorkflowState.Type] { [TimedOutState.self] }  // a subclass that no event names

    let load = Event(from: IdleState.self, CancelledState.self, FailureState.self, to: LoadingState.self)
    let progress = Event(updating: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: CompletedState.self)
    let fail = Event(from: LoadingState.self, to: FailureState.self)
    let cancel = Event(from: IdleState.self, LoadingState.self, to: CancelledState.self)
}

@Suite("State objects") struct StateObjectsTests {
    @Test("An update hands over the request, which is opened once and cancelled")
    func oneRequest() throws {
        let part = Part(url: "one request")
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(part))
        try machine.fire.progress { loading in loading.with(Part(url: part.url, byteCount: 512)) }
        try machine.fire.cancel { state in CancelledState(state.part) }
        #expect(machine.revision == 3)
        #expect((machine.state as? CancelledState)?.part?.byteCount == 512)
        #expect(Request.made.withLock { $0["one request"] } == 1)
        #expect(Request.opened.withLock { $0["one request"] } == 1)
        #expect(Request.cancelled.withLock { $0["one request"] } == 1)
        #expect(Request.cancelled.withLock { $0["never opened"] } == nil)
    }

    @Test("Many updates make and open no further request")
    func manyUpdates() throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(Part(url: "many updates")))
        for count in 1...100 {
            try machine.fire.progress { loading in loading.with(Part(url: "many updates", byteCount: count)) }
        }
        #expect(machine.state.part?.byteCount == 100)
        #expect(Request.made.withLock { $0["many updates"] } == 1)
        #expect(Request.opened.withLock { $0["many updates"] } == 1)
    }

    @Test("A restored machine opens the request of its loading state once")
    func restoredRequest() throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(Part(url: "restored")))
        let archive = try machine.archive()
        #expect(Request.opened.withLock { $0["restored"] } == 1)
        let restored = try StateMachine<Download>(archive: archive)
        restored.activate()
        #expect(Request.opened.withLock { $0["restored"] } == 2)
        #expect(restored.state.part == Part(url: "restored"))
        try restored.fire.cancel { state in CancelledState(state.part) }
        #expect(Request.cancelled.withLock { $0["restored"] } == 1)
        try expectArchives(LoadingState(Part(url: "x")), except: ["request"])
    }

    @Test("A late piece is rejected")
    func tooLate() throws {
        let machine = StateMachine<Download>()
        try machine.fire.cancel(CancelledState(nil))
        #expect(throws: InvalidTransition.self) { try machine.fire.progress { $0.with(Part(url: "late")) } }
    }
}
