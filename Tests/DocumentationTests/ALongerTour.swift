import Foundation
import Heraclitus
import Testing

private struct Request: Codable, Sendable {
    let url: String
    func cancel() {}
}

private enum DownloadError: Error, Codable {
    case timedOut
}

// What every state of this workflow can be asked. Only some states have a request.
private protocol DownloadState: WorkflowState { var request: Request? { get } }
extension DownloadState { var request: Request? { nil } }

// States are classes with their own data. The compiler synthesizes `Codable`.
private final class IdleState: DownloadState, EmptyState {}
private final class CancelledState: DownloadState, EmptyState {}
private final class CompletedState: DownloadState {
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}
private final class LoadingState: DownloadState, ExitPreparing {
    let request: Request?
    init(request: Request) { self.request = request }
    func willExit(_ transition: StateTransition) {
        if transition.destination is CancelledState { request?.cancel() }
    }
}
private final class FailureState: DownloadState {
    let error: DownloadError
    let retrying: Request?
    init(_ error: DownloadError, retrying: Request? = nil) {
        self.error = error
        self.retrying = retrying
    }
}

// Events lead from states to states. A property's name is the event's name, unless you give one: Event("Load it", from: …).
private struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }

    let load = Event(from: IdleState.self, FailureState.self, to: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: CompletedState.self)
    let fail = Event(from: LoadingState.self, to: FailureState.self)
    let cancel = Event(from: IdleState.self, LoadingState.self, to: CancelledState.self)
}

private class OnState: WorkflowState, @unchecked Sendable {
    let level: Int
    init(level: Int) { self.level = level }
}
private final class FlickeringState: OnState, @unchecked Sendable {}
private final class OffState: WorkflowState, EmptyState {}
private final class BrokenState: WorkflowState, EmptyState {}
private struct NoBulb: Error {}
private func checkFuse() throws {}

private struct Lamp: Workflow {
    static var initial: any WorkflowState { OffState() }
    static var states: [any WorkflowState.Type] { [FlickeringState.self] }  // a subclass that no event names

    let toggle = Event(from: OffState.self, to: OnState.self).or(from: OnState.self, to: OffState.self)
    let dim = Event(updating: OnState.self)  // new data; no exit or entry hook runs
    let burnOut = Event(to: BrokenState.self).ignored(in: BrokenState.self)  // from any state
    let replace = Event("Replace the Bulb", from: BrokenState.self, to: OffState.self)
        .guarded { broken, off, transition in
            guard transition.userInfo["bulb", as: String.self] != nil else { throw NoBulb() }
        }
        .didFire { broken, off, transition in print(transition) }
}

@Suite("A longer tour") struct LongerTourTests {
    @Test("A download does what the tour says")
    func download() throws {
        let request = Request(url: "https://example.org")
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(request: request), userInfo: ["attempt": 1])
        print(machine.state.request?.url ?? "none")  // `state` is `any DownloadState`: no cast

        // The closure builds the new state from the state that the machine leaves.
        try machine.fire.fail { loading in FailureState(.timedOut, retrying: loading.request) }
        print(machine.can.cancel)  // false

        do {
            try machine.fire.cancel()  // an EmptyState needs no argument
        } catch {
            print(error)  // `error` is an InvalidTransition
            print(error.event ?? "", error.source, error.reason, error.allowedEvents, error.userInfo)
        }

        let json = try machine.archive()
        let later = try StateMachine<Download>(archive: json)  // or with any decoder
        later.activate()

        #expect(machine.revision == 2)
        try expectBlock(String(decoding: json, as: UTF8.self), in: "ALongerTour")
        #expect((later.state as? FailureState)?.retrying?.url == "https://example.org")
        #expect(later.isActive)
    }

    @Test("A lamp does what the tour says")
    func lamp() throws {
        let lamp = StateMachine<Lamp>()
        lamp.didEnter(OnState.self) { on, transition in print("level", on.level) }  // called for subclasses, too
        lamp.guarded(\.toggle) { source, destination, transition in try checkFuse() }
        let dark = lamp.onTransition(from: OnState.self, to: OffState.self) { on, off, transition in print("dark") }
        try lamp.enter(OnState(level: 3))  // fires the one event that leads there
        try lamp.fire.dim { on in OnState(level: on.level - 1) }
        try lamp.fire(\.toggle)  // an event given by key path
        try lamp.fire.burnOut()
        try lamp.fire(named: "Replace the Bulb", userInfo: ["bulb": "LED"])  // an event given by name
        let twin = lamp.copy()
        dark.cancel()  // the other closures stay as long as the lamp

        #expect(twin.state is OffState)
        #expect(lamp.revision == 5)
    }

    @Test("A lamp is observed as the tour says")
    func observed() async throws {
        let lamp = StateMachine<Lamp>()
        lamp.log { entry in print(entry) }  // one line for everything, rejections included
        lamp.observe { occurrence in if occurrence.kind == .rejected { print(occurrence.reason ?? "") } }
        let transitions = lamp.transitions  // a stream for each reader, which ends with the machine
        try lamp.perform(action: "clean", in: OffState.self) { off in print("clean") }  // in that state only
        try lamp.fire.burnOut()
        let broken = try await lamp.wait(for: BrokenState.self)  // throws when no event leads there any more
        for await transition in transitions {
            print(transition)
            if transition.destination === broken { break }
        }

        #expect(lamp.state === broken && lamp.revision == 1)
    }
}
