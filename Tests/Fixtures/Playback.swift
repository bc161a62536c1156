import Heraclitus

// Players in two groups: players that can stop, and players with a position. Every class is final, and one is in both
// groups.
protocol PlayerState: WorkflowState {}
protocol Running: PlayerState { var speed: Double { get } }
protocol Positioned: PlayerState { var position: Int { get } }
extension StateGroup where State == any Running {
    static var running: Self { Self { $0 is any Running.Type } }
}
extension StateGroup where State == any Positioned {
    static var positioned: Self { Self(named: "With Position") { $0 is any Positioned.Type } }
}

final class StoppedState: PlayerState, EmptyState {}
final class BufferingState: Running, EmptyState { var speed: Double { 0 } }
final class PlayingState: Running, Positioned {
    let speed: Double
    let position: Int
    init(speed: Double = 1, position: Int = 0) {
        self.speed = speed
        self.position = position
    }
}
final class PausedState: Positioned {
    let position: Int
    init(position: Int) { self.position = position }
}
/// A superclass in a group.
///
/// So is its subclass, which no event names.
class RewindingState: Running, @unchecked Sendable {
    var speed: Double { -1 }
    required init() {}
}
final class FastRewindingState: RewindingState, EmptyState, @unchecked Sendable {
    override var speed: Double { -8 }
}

struct Playback: Workflow {
    static var initial: any PlayerState { StoppedState() }
    static var states: [any WorkflowState.Type] { [FastRewindingState.self] }
    static let paused = StateGroup(PausedState.self) { $0 is PausedState.Type }
    static let rewinding = StateGroup(RewindingState.self) { $0 is RewindingState.Type }
    static let moving = StateGroup.running

    let buffer = Event(from: StoppedState.self, to: BufferingState.self)
    let play = Event(from: BufferingState.self, PausedState.self, to: PlayingState.self)
    let stop = Event(fromAny: .running, to: StoppedState.self)
        .guarded { running, _, transition in
            if let limit = transition.userInfo["limit", as: Double.self], running.speed > limit { throw Objection() }
        }
    let pause = Event(
        fromAny: StateGroup((any Positioned).self, named: "With Position") { $0 is any Positioned.Type },
        to: PausedState.self
    ).ignored(in: PausedState.self)
    let rewind = Event(fromAny: .positioned, to: [RewindingState.self, FastRewindingState.self])
    let seek = Event(updatingAny: .positioned)
    let panic = Event(to: StoppedState.self).ignored(in: .positioned)
    let eject = Event(fromAny: .running, to: StoppedState.self).or(from: StoppedState.self, to: StoppedState.self)
    let stay = Event(from: PlayingState.self, to: StoppedState.self).ignored(in: .running)
}
