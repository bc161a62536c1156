import Testing

@testable import Heraclitus

/// The decisions of a turn, without a machine or a thread.
@Suite("The decisions of a turn") struct TurnTests {
    typealias Decisions = Turn<String, Int>

    /// The remaining steps, in order.
    static func drained(_ turn: inout Decisions) -> [String] {
        var done: [String] = []
        while let next = turn.next() {
            switch next {
            case .transition(let transition): done.append(transition)
            case .notice(let notice): done.append("\(notice)")
            }
        }
        return done
    }

    /// A turn after the commit of a fire from outside, whose callbacks run.
    static func openTurn() -> Decisions {
        var turn = Decisions(in: 0)
        _ = turn.beginFire()
        _ = turn.accept(leadingTo: 1)
        turn.commit()
        return turn
    }

    @Test("A fire from outside is decided against the turn's first state, and carried out at once")
    func outside() {
        var turn = Decisions(in: 7)
        #expect(turn.stage == .idle)
        #expect(turn.expected == 7)
        #expect(turn.beginFire() == nil)
        #expect(turn.stage == .deciding(isNested: false))
        #expect(turn.accept(leadingTo: 3) == false)
        #expect(turn.expected == 3)
        turn.commit()
        #expect(turn.stage == .open)
        turn.endFire()
        #expect(turn.stage == .open)
        #expect(turn.next() == nil)
        #expect(turn.stage == .idle)
    }

    @Test("During the decision of a fire another one is rejected, and the decision goes on")
    func inProgress() {
        var turn = Decisions(in: 0)
        _ = turn.beginFire()
        #expect(turn.beginFire() == .transitionInProgress)
        #expect(turn.stage == .deciding(isNested: false))
        #expect(turn.accept(leadingTo: 1) == false)
    }

    @Test("A rejected or ignored fire leaves the turn unchanged")
    func rejected() {
        var turn = Decisions(in: 4)
        _ = turn.beginFire()
        turn.endFire()
        #expect(turn.stage == .idle)
        #expect(turn.expected == 4)
        var open = Self.openTurn()
        _ = open.beginFire()
        #expect(open.stage == .deciding(isNested: true))
        open.endFire()
        #expect(open.stage == .open)
        #expect(open.expected == 1)
    }

    @Test("Fires of callbacks are decided against earlier accepted fires, and carried out in order")
    func nested() {
        var turn = Self.openTurn()
        for (state, name) in [(2, "first"), (3, "second"), (4, "third")] {
            #expect(turn.expected == state - 1)
            #expect(turn.beginFire() == nil)
            #expect(turn.accept(leadingTo: state) == true)
            turn.enqueue(name)
            turn.endFire()
            #expect(turn.lastQueued == name)
            #expect(turn.stage == .open)
        }
        guard case .transition("first") = turn.next() else {
            Issue.record("the first that was queued is carried out first")
            return
        }
        #expect(turn.stage == .deciding(isNested: false))
        #expect(turn.beginFire() == .transitionInProgress)
        turn.commit()
        #expect(Self.drained(&turn) == ["second", "third"])
        #expect(turn.lastQueued == nil)
        #expect(turn.stage == .idle)
    }

    @Test("An action is reported before its fires, and a notice after earlier queued fires")
    func places() {
        var turn = Decisions(in: 0)
        let place = turn.beginAction()
        #expect(turn.stage == .open)
        _ = turn.beginFire()
        _ = turn.accept(leadingTo: 1)
        turn.enqueue("fired")
        turn.endFire()
        turn.post(1)
        turn.post(0, at: place)
        #expect(turn.lastQueued == "fired")
        #expect(Self.drained(&turn) == ["0", "fired", "1"])
    }

    @Test("An action within a decision cannot fire the machine")
    func actionInDecision() {
        var turn = Decisions(in: 0)
        _ = turn.beginFire()
        _ = turn.beginAction()
        #expect(turn.beginFire() == .transitionInProgress)
    }

    @Test("Observers may cause a limited number of notices, and the first beyond the limit is reported")
    func notices() {
        var turn = Self.openTurn()
        for number in 0..<Decisions.chainLimit + 10 { #expect(turn.post(number) == false) }
        var told = 0
        var reached = 0
        while let next = turn.next() {
            guard case .notice(let notice) = next else { break }
            told += 1
            if turn.post(-1) {
                reached += 1
                turn.postLast(-2)
            }
            if notice == -2 { #expect(told > Decisions.chainLimit) }
        }
        #expect(told == 2 * Decisions.chainLimit + 10 + 1)
        #expect(reached == 1)
    }

    @Test("After all notices, a later notice of the turn starts a new chain")
    func told() {
        var turn = Decisions(in: 0)
        turn.post(0)
        _ = Self.drained(&turn)
        _ = turn.beginFire()
        _ = turn.accept(leadingTo: 1)
        turn.commit()
        let count = Decisions.chainLimit + 100
        for number in 0..<count { turn.post(number) }
        #expect(Self.drained(&turn).count == count)
    }

    @Test("The last queued transition is found before, behind and between notices")
    func lastQueued() {
        var turn = Decisions(in: 0)
        let place = turn.beginAction()
        _ = turn.beginFire()
        _ = turn.accept(leadingTo: 1)
        turn.enqueue("fired")
        turn.endFire()
        for number in 0..<3 {
            turn.post(number)
            turn.post(number, at: place)
            #expect(turn.lastQueued == "fired")
        }
        #expect(Self.drained(&turn).firstIndex(of: "fired") == 3)
        #expect(turn.lastQueued == nil)
    }

    @Test("Queued items are handed out at the end of the turn, and the next turn begins empty")
    func restart() {
        var turn = Self.openTurn()
        #expect(!turn.hasQueue)
        turn.post(1)
        #expect(turn.hasQueue)
        _ = Self.drained(&turn)
        _ = turn.takeQueue()
        turn.restart(in: 9)
        #expect(!turn.hasQueue)
        #expect(turn.expected == 9)
        #expect(turn.beginFire() == nil)
    }
}
