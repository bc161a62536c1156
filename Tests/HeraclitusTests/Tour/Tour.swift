import Foundation
import Heraclitus
import Testing

// What the README shows, word for word: `ReadmeTests` compares. Around it stands what it takes for granted.

struct Request: Codable, Sendable {
    let url: String
    func cancel() {}
}

enum DownloadError: Error, Codable {
    case timedOut
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
class FailureState: DownloadState, @unchecked Sendable {  // constants only, and it may have subclasses
    let error: DownloadError
    let retrying: Request?
    init(_ error: DownloadError, retrying: Request? = nil) {
        self.error = error
        self.retrying = retrying
    }
}

// Events lead from states to states. A property's name is the event's name, unless one is given: Event("Load it", from: …).
struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }

    let load = Event(from: IdleState.self, FailureState.self, to: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: CompletedState.self)
    let fail = Event(from: LoadingState.self, to: FailureState.self)
    let cancel = Event(from: IdleState.self, LoadingState.self, to: CancelledState.self)
}

class OnState: WorkflowState, @unchecked Sendable {
    let level: Int
    init(level: Int) { self.level = level }
}
final class FlickeringState: OnState, @unchecked Sendable {}
final class OffState: WorkflowState, EmptyState {}
final class BrokenState: WorkflowState, EmptyState {}
struct NoBulb: Error {}
private func checkFuse() throws {}

struct Lamp: Workflow {
    static var initial: any WorkflowState { OffState() }
    static var states: [any WorkflowState.Type] { [FlickeringState.self] }  // a subclass that no event names

    let toggle = Event(from: OffState.self, to: OnState.self).or(from: OnState.self, to: OffState.self)
    let dim = Event(updating: OnState.self)  // new data, no exit and no enter
    let burnOut = Event(to: BrokenState.self).ignored(in: BrokenState.self)  // from any state; once more is no error
    let replace = Event("Replace the Bulb", from: BrokenState.self, to: OffState.self)
        .guarded { broken, off, transition in
            guard transition.userInfo["bulb", as: String.self] != nil else { throw NoBulb() }
        }
        .didFire { broken, off, transition in print(transition) }
}

@Suite("The tour") struct TourTests {
    @Test("A download does what the README says")
    func download() throws {
        let request = Request(url: "https://example.org")
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(request: request), userInfo: ["attempt": 1])
        print(machine.state.request?.url ?? "none")  // `state` is `any DownloadState`: no cast

        // Built from the state that is being left.
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
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"activated":true,"data":{"error":{"timedOut":{}},"retrying":{"url":"https://example.org"}},"#
                + #""format":1,"revision":2,"state":"FailureState","version":1,"workflow":"Download"}"#
        )
        #expect((later.state as? FailureState)?.retrying?.url == "https://example.org")
        #expect(later.isActive)
    }

    @Test("A lamp does what the README says")
    func lamp() throws {
        let lamp = StateMachine<Lamp>()
        lamp.didEnter(OnState.self) { on, transition in print("shines at", on.level) }  // hears subclasses, too
        lamp.guarded(\.toggle) { source, destination, transition in try checkFuse() }
        let dark = lamp.onTransition(from: OnState.self, to: OffState.self) { on, off, transition in print("dark") }
        try lamp.enter(OnState(level: 3))  // fires the one event that leads there
        try lamp.fire.dim { on in OnState(level: on.level - 1) }
        try lamp.fire(\.toggle)  // a key path in hand
        try lamp.fire.burnOut()
        try lamp.fire(named: "Replace the Bulb", userInfo: ["bulb": "LED"])  // a name that arrived as text
        let twin = lamp.copy()
        dark.cancel()  // the others stay as long as the lamp

        #expect(twin.state is OffState)
        #expect(lamp.revision == 5)
    }

    @Test("A lamp is observed as the README says")
    func observed() async throws {
        let lamp = StateMachine<Lamp>()
        lamp.log { entry in print(entry) }  // a line about everything, refusals included
        lamp.observe { occurrence in if case .rejected(let error) = occurrence.outcome { print(error.reason) } }
        let transitions = lamp.transitions  // a stream for each reader, which ends with the machine
        try lamp.perform(action: "clean", in: OffState.self) { off in print("clean") }  // in turn, in that state only
        try lamp.fire.burnOut()
        let broken = try await lamp.wait(for: BrokenState.self)  // throws when it can come no more
        for await transition in transitions {
            print(transition)
            if transition.destination === broken { break }
        }

        #expect(lamp.state === broken && lamp.revision == 1)
    }
}
