import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Inner machines whose holders are released or taken") struct ReleasedHolderTests {
    struct Round: Workflow {
        static var initial: any WorkflowState { OneState() }
        let go = Event(from: OneState.self, to: OtherState.self)
        let back = Event(from: OtherState.self, to: OneState.self)
        let ring = Event(from: OtherState.self, to: OneState.self).due(after: .seconds(60))
        let end = Event(from: OneState.self, to: OverState.self)
        final class OneState: WorkflowState, EmptyState {}
        final class OtherState: WorkflowState, EmptyState {}
        final class OverState: WorkflowState, EmptyState {}
    }

    struct Game: Workflow {
        static var initial: any WorkflowState { PlayingState(StateMachine()) }
        let win = Event(from: PlayingState.self, to: WonState.self).whenFinal(\.round)
        let stop = Event(from: PlayingState.self, to: WonState.self)
        final class WonState: WorkflowState, EmptyState {}
        final class PlayingState: Composite {
            let round: StateMachine<Round>
            init(_ round: StateMachine<Round>) { self.round = round }
            var regions: [any Region] { [round] }
            func copied() -> PlayingState { PlayingState(round.copy()) }
        }
    }

    struct Switch: Workflow {
        static var initial: any WorkflowState { Match.BreakState() }
        let take = Event(from: Match.BreakState.self, to: Game.PlayingState.self)
        let drop = Event(from: Game.PlayingState.self, to: Match.BreakState.self)
    }

    private static func play(_ round: StateMachine<Round>) throws {
        try round.fire.go()
        try round.fire.back()
    }

    /// A state that hands its machine to another holder when it is released.
    final class HandingState: Composite {
        let round: StateMachine<Round>
        let next: StateMachine<Switch>?
        init(_ round: StateMachine<Round>, _ next: StateMachine<Switch>?) { (self.round, self.next) = (round, next) }
        convenience init(from decoder: any Decoder) throws { self.init(StateMachine(), nil) }
        func encode(to encoder: any Encoder) throws {}
        var regions: [any Region] { [round] }
        func copied() -> HandingState { HandingState(round.copy(), nil) }
        deinit {
            guard let next else { return }
            #expect(throws: Never.self) {
                try next.fire.take(Game.PlayingState(round))
                try ReleasedHolderTests.play(round)
            }
        }
    }

    struct Handing: Workflow {
        static var initial: any WorkflowState { HandingState(StateMachine(), nil) }
        let again = Event(updating: HandingState.self)
    }

    @Test("A machine that goes to another holder during the release of the old one stays with the new one")
    func handedOver() throws {
        let round = StateMachine<Round>()
        let next = StateMachine<Switch>()
        var holder: StateMachine<Handing>? = StateMachine(entering: HandingState(round, next))
        try Self.play(round)
        withExtendedLifetime(holder) {}
        holder = nil
        #expect(next.isIn(Round.OneState.self))
        let goingOn = onThread {
            #expect(throws: Never.self) { try Self.play(round) }
            #expect(throws: Never.self) { try next.fire.drop() }
        }
        #expect(goingOn.comes())
    }

    @Test("Another thread may release the last reference to the holder during a fire", arguments: [0, 1, 3, 10, 30])
    func releasedElsewhere(_ index: Int) throws {
        let clock = ManualClock()
        let round = StateMachine<Round>(scheduler: clock.scheduler)
        let game = Lock<StateMachine<Game>?>(
            StateMachine(entering: Game.PlayingState(round), scheduler: clock.scheduler)
        )
        try Self.play(round)
        let reasons = Lock<Set<String>>([])
        onThreads(2) { thread in
            if thread == 0 {
                for _ in 0..<index { _ = round.state }
                let last = game.withLock { $0.take() }
                withExtendedLifetime(last) {}
            } else {
                for number in 0..<100 {
                    do throws(InvalidTransition) {
                        if number.isMultiple(of: 2) { try round.fire.go() } else { try round.fire.back() }
                    } catch {
                        _ = reasons.withLock { $0.insert("\(error.reason)") }
                    }
                }
            }
        }
        #expect(reasons.withLock { $0 }.isSubset(of: ["notCurrent", "notAllowed"]))
        #expect(clock.scheduler.count == 0)
        do {
            if round.can.go { try round.fire.go() } else { try round.fire.back() }
            Issue.record("It belongs to nobody.")
        } catch {
            #expect(error.reason == .notCurrent)
        }
    }

    @Test("A machine with a holder is refused to others, and moves with its tree")
    func taken() throws {
        let round = StateMachine<Round>()
        let game = StateMachine<Game>(entering: Game.PlayingState(round))
        try Self.play(round)
        let other = StateMachine<Switch>()
        do {
            try other.fire.take(Game.PlayingState(round))
            Issue.record("It belongs to the game.")
        } catch {
            #expect(error.reason == .regionInUse)
            #expect(error.machines == ["Round", "Game"])
        }
        let match = StateMachine<Match>()
        try match.fire.begin(Match.GameState(game))
        try Self.play(round)
        do { try round.fire.back() } catch { #expect(error.path == "Match.game.round") }
        try round.fire.end()
        #expect(game.isIn(Game.WonState.self))
        #expect(match.isIn(Game.WonState.self))
    }

    struct Match: Workflow {
        static var initial: any WorkflowState { BreakState() }
        let begin = Event(from: BreakState.self, to: GameState.self)
        let end = Event(from: GameState.self, to: BreakState.self)
        final class BreakState: WorkflowState, EmptyState {}
        final class GameState: Composite {
            let game: StateMachine<Game>
            init(_ game: StateMachine<Game>) { self.game = game }
            var regions: [any Region] { [game] }
            func copied() -> GameState { GameState(game.copy()) }
        }
    }
}
