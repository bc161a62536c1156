import Foundation
import Heraclitus
import Testing

// Groups, actions and hooks in a module of the main actor. Only the protocols of states and groups say `nonisolated`.

nonisolated protocol TrackState: WorkflowState {}
nonisolated protocol Audible: TrackState { var volume: Int { get } }
extension StateGroup where State == any Audible { static var audible: Self { Self { $0 is any Audible.Type } } }

final class SilentState: TrackState, EmptyState {}
final class LoudState: Audible, ExitGuarding, ExitPreparing, Entering, Restoring {
    let volume: Int
    init(volume: Int) { self.volume = volume }
    func shouldExit(_ transition: StateTransition) throws {}
    func willExit(_ transition: StateTransition) {}
    func didEnter(_ transition: StateTransition) {
        if volume > 11 { try? transition.machine(as: Track.self)?.fire.mute() }
    }
    func didRestore(_ transition: StateTransition) {}
}
final class QuietState: Audible {
    let volume: Int
    init(volume: Int) { self.volume = volume }
}

struct Track: Workflow {
    static var initial: any TrackState { SilentState() }
    static var groups: [any AnyStateGroup] { [StateGroup.audible] }
    static let audible = StateGroup.audible
    static let loud = StateGroup(LoudState.self) { $0 is LoudState.Type }

    let play = Event(from: SilentState.self, to: LoudState.self, QuietState.self)
    let mute = Event(fromAny: .audible, to: SilentState.self).willFire { audible, _, _ in
        precondition(audible.volume > 0)
    }
    let fade = Action(in: .audible) { audible, call in
        try call.machine.fire.mute()
        return audible.volume
    }
}

/// A display of a track.
final class Display {
    let machine = StateMachine<Track>()
    var volume = 0

    init() {
        machine.didEnter((any Audible).self) { [weak self] audible, _ in
            MainActor.assumeIsolated { self?.volume = audible.volume }
        }
    }
}

@Suite("Groups and actions in a module of the main actor") struct MainActorGroupTests {
    @Test("Groups and actions compile, and run on the main actor")
    func groups() throws {
        let display = Display()
        let machine = display.machine
        try machine.fire.play(QuietState(volume: 3))
        #expect(machine.is.audible && !machine.is.loud && display.volume == 3)
        #expect(try machine.perform(\.fade) == 3)
        try machine.fire.play(LoudState(volume: 12))
        #expect(machine.isIn(SilentState.self) && machine.revision == 4)
        let json = try JSONEncoder().encode(StateArchive<Track>(LoudState(volume: 5)))
        let state = try JSONDecoder().decode(StateArchive<Track>.self, from: json).state
        #expect((state as? any Audible)?.volume == 5)
        #expect(Track.diagnostics.isEmpty)
    }
}
