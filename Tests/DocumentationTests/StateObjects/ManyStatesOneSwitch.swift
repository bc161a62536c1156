import Heraclitus
import Testing

private protocol PlayerState: WorkflowState {
    var title: String { get }
}

private final class StoppedState: PlayerState, EmptyState {
    var title: String { "Stopped" }
}

private final class PlayingState: PlayerState {
    let track: String
    var title: String { "Playing \(track)" }
    init(track: String) { self.track = track }
}

private final class PausedState: PlayerState {
    let track: String
    var title: String { "Paused" }
    init(track: String) { self.track = track }
}

private enum Screen {
    case stopped
    case playing(PlayingState)
    case paused(PausedState)
}

private protocol ScreenState: PlayerState {
    var screen: Screen { get }
}

extension StoppedState: ScreenState { var screen: Screen { .stopped } }
extension PlayingState: ScreenState { var screen: Screen { .playing(self) } }
extension PausedState: ScreenState { var screen: Screen { .paused(self) } }

private struct Player: Workflow {
    static var initial: any ScreenState { StoppedState() }

    let play = Event(from: StoppedState.self, PausedState.self, to: PlayingState.self)
    let pause = Event(from: PlayingState.self, to: PausedState.self)
    let stop = Event(from: PlayingState.self, PausedState.self, to: StoppedState.self)
}

private func text(of machine: StateMachine<Player>) -> String {
    switch machine.state.screen {
    case .stopped: "Press play"
    case .playing(let playing): "♪ \(playing.track)"
    case .paused(let paused): "‖ \(paused.track)"
    }
}

@Suite("Many states, one switch") struct SwitchArticleTests {
    @Test("Every state has its title and its screen")
    func titles() throws {
        let machine = StateMachine<Player>()
        #expect(text(of: machine) == "Press play" && machine.state.title == "Stopped")
        try machine.fire.play(PlayingState(track: "Air"))
        #expect(text(of: machine) == "♪ Air" && machine.state.title == "Playing Air")
        if let playing = machine.state as? PlayingState { print(playing.track) }
        try machine.fire.pause { playing in PausedState(track: playing.track) }
        #expect(text(of: machine) == "‖ Air" && machine.state.title == "Paused")
    }

    @Test("A table by state names has every state")
    func icons() {
        let icons = ["StoppedState": "stop", "PlayingState": "play", "PausedState": "pause"]
        #expect(Set(icons.keys) == Set(Player.table.states))
    }
}
