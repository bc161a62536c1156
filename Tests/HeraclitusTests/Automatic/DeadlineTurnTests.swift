import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Deadlines that pass within a turn") struct DeadlineTurnTests {
    typealias Bill = DeadlineTests.Bill
    typealias SentState = DeadlineTests.SentState

    private let clock = ManualClock()

    private func sent(by seconds: Double) throws -> (StateMachine<Bill>, SentState) {
        let machine = StateMachine<Bill>(scheduler: clock.scheduler)
        let state = SentState(1, by: Date(timeIntervalSinceReferenceDate: seconds))
        try machine.fire.send(state)
        return (machine, state)
    }

    @Test("A deadline that passes while its thread owns the machine fires within the turn")
    func ownThread() throws {
        let (machine, _) = try sent(by: 10)
        try machine.perform { _ in
            clock.advance(by: .seconds(20))
            #expect(machine.isIn(SentState.self))
            #expect(machine.can.pay)
            #expect(!machine.can.change)
        }
        #expect(machine.isIn(DeadlineTests.LapsedState.self))
    }

    @Test("A state that a callback has decided to leave fires no deadline and no rejection")
    func leftAtOnce() throws {
        let machine = StateMachine<Bill>(scheduler: clock.scheduler)
        let journal = CallLog()
        machine.observe { journal.write($0.reason ?? $0.event ?? "") }
        machine.didEnter(SentState.self) { _, _ in #expect(throws: Never.self) { try machine.fire.pay() } }
        try machine.fire.send(SentState(1, by: .distantPast))
        #expect(journal.entries == ["send", "pay"])
    }

    @Test("A state that a callback has decided to leave has no pending deadline, also while it is left")
    func leftSoon() throws {
        let machine = StateMachine<Bill>(scheduler: clock.scheduler)
        let journal = CallLog()
        machine.observe { journal.write($0.reason ?? $0.event ?? "") }
        machine.didEnter(SentState.self) { _, _ in #expect(throws: Never.self) { try machine.fire.pay() } }
        machine.willExit(SentState.self) { _, _ in
            #expect(clock.scheduler.count == 0)
            clock.advance(by: .seconds(20))
        }
        try machine.fire.send(SentState(1, by: Date(timeIntervalSinceReferenceDate: 10)))
        #expect(journal.entries == ["send", "pay"])
    }

    @Test("A state whose data a callback has decided to replace fires no deadline and no rejection")
    func replacedAtOnce() throws {
        let machine = StateMachine<Bill>(scheduler: clock.scheduler)
        let journal = CallLog()
        machine.observe { journal.write($0.reason ?? $0.event ?? "") }
        let later = SentState(2, by: Date(timeIntervalSinceReferenceDate: 10))
        machine.didEnter(SentState.self) { _, _ in #expect(throws: Never.self) { try machine.fire.change(later) } }
        try machine.fire.send(SentState(1, by: .distantPast))
        #expect(journal.entries == ["send", "change"])
        clock.advance(by: .seconds(10))
        #expect(journal.entries == ["send", "change", "lapse"])
    }

    @Test("A deadline of an object about to be replaced does not fire for its replacement")
    func replaced() throws {
        let (machine, _) = try sent(by: 10)
        try machine.perform { _ in
            try machine.fire.change(SentState(2, by: nil))
            clock.advance(by: .seconds(20))
        }
        #expect((machine.state as? SentState)?.number == 2)
        #expect(machine.revision == 2)
        #expect(clock.scheduler.count == 0)
    }
}
