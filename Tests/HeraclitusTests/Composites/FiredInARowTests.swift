import Foundation
import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

/// A machine in a state that is fired many times in a row needs no turn of its holders.
///
/// The difference is invisible.
@Suite("Inner machines that are fired many times in a row") struct FiredInARowTests {
    typealias Order = Forest.Order
    typealias PlacedState = Forest.PlacedState

    /// Fires a lamp so often that it needs no turn of its holders; the lamp ends as it began.
    private static func blink(_ lamp: StateMachine<Forest.Lamp>, times: Int = 20) throws {
        for _ in 0..<times {
            if lamp.can.dim {
                try lamp.fire.dim()
                try lamp.fire.light()
            } else {
                try lamp.fire.light()
                try lamp.fire.dim()
            }
        }
    }

    // MARK: Equal with and without many fires

    /// A scenario in a tree, which is recorded.
    enum Scenario: CaseIterable {
        case callbackFiresAll, callbackLeaves, callbackFiresSibling, holderLeaves, middleLeaves, holderUpdates,
            rejection
        case archive, copy, builder, guarding, action, rehearsal

        func run(_ order: StateMachine<Order>, _ journal: CallLog) throws {
            let (first, second) = (order.first, order.second)
            let lamp = first.lamp
            @Sendable func attempt(_ body: () throws -> Void) {
                do { try body() } catch { journal.write("\(error)") }
            }
            switch self {
            case .callbackFiresAll:
                lamp.didEnter(Forest.DarkState.self) { _, _ in
                    journal.write("\(order.can.unplace) \(first.can.pause)")
                    attempt { try first.fire.pause() }
                    attempt { try order.fire.ship() }
                    attempt { try order.fire.ship() }
                    attempt { try lamp.fire.light() }
                    journal.write("\(order.stateName) \(order.can.unplace) \(first.stateName) \(first.can.pause)")
                }
                try lamp.fire.dim()
            case .callbackLeaves:
                lamp.didExit(Forest.LitState.self) { _, transition in
                    attempt { try order.fire.unplace() }
                    journal.write("\(order.stateName) \(order.can.place) \(lamp.can.light)")
                }
                try lamp.fire.dim()
                attempt { try lamp.fire.light() }
            case .callbackFiresSibling:
                lamp.didEnter(Forest.DarkState.self) { _, _ in
                    attempt { try second.lamp.fire.light() }
                    attempt { try second.fire.end() }
                    journal.write("\(second.stateName)")
                }
                try lamp.fire.dim()
                try lamp.fire.light()
            case .holderLeaves:
                try order.fire.unplace()
                attempt { try lamp.fire.dim() }
                try order.fire.place(PlacedState(first: first, second: second))
                try lamp.fire.dim()
            case .middleLeaves:
                try first.fire.pause()
                attempt { try lamp.fire.dim() }
                attempt { try second.lamp.fire.light() }
                try first.fire.begin(Forest.BusyState(lamp: lamp))
                try lamp.fire.dim()
            case .holderUpdates:
                try order.fire.renote { PlacedState("new", first: $0.first, second: $0.second) }
                try lamp.fire.dim()
                try order.fire.renote { PlacedState("new", second: $0.second) }
                attempt { try lamp.fire.light() }
            case .rejection:
                order.observe(regions: true) { journal.write($0.message) }
                attempt { try lamp.fire.light() }
                attempt { try order.fire.place(PlacedState()) }
            case .archive:
                lamp.didEnter(Forest.DarkState.self) { _, _ in
                    attempt { journal.write(String(decoding: try order.archive(), as: UTF8.self)) }
                }
                try lamp.fire.dim()
                journal.write(String(decoding: try order.archive(), as: UTF8.self))
            case .copy:
                let copy = order.copy()
                try copy.first.lamp.fire.dim()
                try lamp.fire.burn()
                journal.write("\(copy.first.lamp) \(lamp) \(order.isIn(Forest.BurntState.self))")
            case .builder:
                attempt {
                    try order.fire.renote {
                        try lamp.fire.dim()
                        return $0
                    }
                }
                attempt { try lamp.fire.dim() }
            case .guarding:
                struct Refusal: Error {}
                lamp.onTransition { _ in journal.write("\(order.revision)") }
                lamp.shouldExit(Forest.LitState.self) { _, _ in
                    attempt { try order.fire.renote { $0 } }
                    throw Refusal()
                }
                attempt { try lamp.fire.dim() }
            case .action:
                try lamp.perform { _ in
                    attempt { try lamp.fire.dim() }
                    attempt { try order.fire.unplace() }
                    attempt { try lamp.fire.light() }
                    journal.write("\(lamp) \(order)")
                }
            case .rehearsal:
                attempt { try lamp.rehearse.dim() }
                attempt { try order.rehearse.ship() }
                attempt { try lamp.rehearse.light() }
                journal.write("\(lamp.allowedEvents) \(order.allowedEvents)")
            }
            journal.write("\(order.stateName) \(first.stateName) \(second.stateName) \(lamp.stateName)")
        }
    }

    @Test(
        "Scenarios in a tree are equal and in order, whether a machine was fired many times before or not"
    )
    func same() throws {
        for scenario in Scenario.allCases {
            let journals = try [0, 20].map { times in
                let journal = CallLog()
                return try Forest.$journal.withValue(journal) {
                    let order = try Forest.busyOrder()
                    try Self.blink(order.first.lamp, times: times)
                    journal.clear()
                    try scenario.run(order, journal)
                    // Blinking changes only revisions.
                    return journal.entries.map { entry in
                        [(41, 1), (42, 2)].reduce(entry) { entry, numbers in
                            entry.replacing("revision \(numbers.0)", with: "revision \(numbers.1)")
                                .replacing("\"revision\":\(numbers.0)", with: "\"revision\":\(numbers.1)")
                        }
                    }
                }
            }
            #expect(!journals[0].isEmpty)
            #expect(journals[0] == journals[1], "\(scenario)")
        }
    }

    // MARK: Ends

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

    private static func play(_ round: StateMachine<Round>, times: Int = 20) throws {
        for _ in 0..<times {
            try round.fire.go()
            try round.fire.back()
        }
    }

    @Test("A machine that ends after many fires ends its holder's waiting once, before its fire returns")
    func end() throws {
        let round = StateMachine<Round>()
        let game = StateMachine<Game>(entering: Game.PlayingState(round))
        let won = CallLog()
        game.onTransition { won.write("\($0)") }
        try Self.play(round)
        round.didEnter(Round.OverState.self) { _, _ in won.write(game.stateName) }
        try round.fire.end()
        #expect(won.entries == ["PlayingState", "win: PlayingState → WonState"])
        #expect(game.isIn(Game.WonState.self))
    }

    @Test("A machine whose idle holder was released is left: it rejects fires, and has no deadlines")
    func released() throws {
        let clock = ManualClock()
        let round = StateMachine<Round>(scheduler: clock.scheduler)
        var game: StateMachine<Game>? = StateMachine(entering: Game.PlayingState(round), scheduler: clock.scheduler)
        try Self.play(round)
        try round.fire.go()
        #expect(clock.scheduler.count == 1)
        withExtendedLifetime(game) {}
        game = nil
        #expect(clock.scheduler.count == 0)
        #expect(throws: InvalidTransition.self) { try round.fire.back() }
        do { try round.fire.back() } catch { #expect(error.reason == .notCurrent) }
        // It goes on in the next holder.
        let next = StateMachine<Game>(entering: Game.PlayingState(round), scheduler: clock.scheduler)
        next.activate()
        #expect(clock.scheduler.count == 1)
        try Self.play(round, times: 0)
        try round.fire.back()
        try Self.play(round)
        try round.fire.end()
        #expect(next.isIn(Game.WonState.self))
    }

    @Test(
        "A callback may release the last reference to the holder: the fire completes, and the next one is rejected"
    )
    func releasedInCallback() throws {
        let clock = ManualClock()
        let round = StateMachine<Round>(scheduler: clock.scheduler)
        let game = Lock<StateMachine<Game>?>(
            StateMachine(entering: Game.PlayingState(round), scheduler: clock.scheduler)
        )
        try Self.play(round)
        round.didEnter(Round.OtherState.self) { _, _ in
            let last = game.withLock { $0.take() }
            withExtendedLifetime(last) {}
        }
        try round.fire.go()
        #expect(round.isIn(Round.OtherState.self))
        #expect(clock.scheduler.count == 0)
        do {
            try round.fire.back()
            Issue.record("It belongs to nobody.")
        } catch {
            #expect(error.reason == .notCurrent)
        }
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
                try FiredInARowTests.play(round)
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

    @Test("Another thread may release the last reference to the holder during a fire", arguments: 0..<50)
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

    // MARK: Other machines

    @Test("A machine fired in a row is refused to other holders, and moves with its tree")
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

    struct Switch: Workflow {
        static var initial: any WorkflowState { Match.BreakState() }
        let take = Event(from: Match.BreakState.self, to: Game.PlayingState.self)
        let drop = Event(from: Game.PlayingState.self, to: Match.BreakState.self)
    }

    @Test(
        "While each thread fires its own machine in a row and one fires the root, transitions are sequential"
    )
    func threads() throws {
        let order = try Forest.busyOrder()
        let machines = [order.first.lamp, order.second.lamp]
        let inside = Atomic<Int>(0)
        let count = Atomic<Int>(0)
        @Sendable func enter(_ transition: StateTransition) {
            #expect(inside.add(1, ordering: .sequentiallyConsistent).newValue == 1)
            count.add(1, ordering: .relaxed)
            inside.subtract(1, ordering: .sequentiallyConsistent)
        }
        order.onTransition(enter)
        for machine in machines { machine.onTransition(enter) }
        onThreads(3) { index in
            for round in 0..<200 {
                do {
                    if index < 2 {
                        try Self.blink(machines[index], times: 10)
                    } else if round.isMultiple(of: 4) {
                        try order.fire.renote { PlacedState("\(round)", first: $0.first, second: $0.second) }
                    }
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
        #expect(count.load(ordering: .relaxed) == 2 * 200 * 20 + 50)
        #expect(inside.load(ordering: .relaxed) == 0)
    }

    @Test("A thread that waits for the root during an inner machine's fires gets its turn in the order of arrival")
    func waiting() throws {
        let round = StateMachine<Round>()
        let game = StateMachine<Game>(entering: Game.PlayingState(round))
        try Self.play(round)
        let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let registration = round.didEnter(Round.OtherState.self) { _, _ in
            isInside.signal()
            mayLeave.wait()
        }
        let firing = onThread { #expect(throws: Never.self) { try round.fire.go() } }
        isInside.wait()
        registration.cancel()
        let stopping = onThread { #expect(throws: Never.self) { try game.fire.stop() } }
        let late = onThread { _ = try? round.fire.back() }
        Thread.sleep(forTimeInterval: 0.05)
        #expect(game.isIn(Game.PlayingState.self))
        mayLeave.signal()
        #expect(firing.comes() && stopping.comes() && late.comes())
        #expect(game.isIn(Game.WonState.self))
    }
}
