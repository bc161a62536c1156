import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

private protocol BillState: WorkflowState {}
private final class DraftState: BillState, EmptyState {}
private final class SentState: BillState {
    let cents: Int
    let payBy: Date
    init(cents: Int, payBy: Date) {
        self.cents = cents
        self.payBy = payBy
    }
}
private final class LapsedState: BillState {
    let cents: Int
    init(cents: Int) { self.cents = cents }
}
private final class PaidState: BillState, EmptyState {}
private final class ClosedState: BillState, EmptyState {}

private struct Bill: Workflow {
    static var initial: any BillState { DraftState() }

    let send = Event(from: DraftState.self, to: SentState.self)
    let pay = Event(from: SentState.self, to: PaidState.self)
    let lapse = Event(from: SentState.self, to: LapsedState.self)
        .due(\.payBy).enters { sent in LapsedState(cents: sent.cents) }
    let close = Event(from: PaidState.self, to: ClosedState.self)
        .due(after: .seconds(30 * 86_400))
}

@Suite("Deadlines of the article") struct DeadlineArticleTests {
    @Test("A bill lapses when a test advances the clock")
    func lapses() throws {
        let clock = ManualClock()
        let bill = StateMachine<Bill>(scheduler: clock.scheduler)
        try bill.fire.send(SentState(cents: 1999, payBy: clock.date + 14 * 86_400))
        clock.advance(by: .seconds(14 * 86_400))
        #expect(bill.isIn(LapsedState.self))
    }

    @Test("Deadlines that passed while no program ran fire at activation, and in a store")
    func archived() async throws {
        let long = StateMachine<Bill>(resumingIn: SentState(cents: 5, payBy: Date() - 10))
        let archive = try long.archive()
        let restored = try StateMachine<Bill>(archive: archive)
        restored.activate()  // fires what was due meanwhile, in the order of the dates
        #expect(restored.isIn(LapsedState.self))

        let store = Archive.inMemory()
        try await store.workflow(Bill.self).save(long, as: "1", expecting: 0)
        try await store.workflow(Bill.self).fireDue()
        #expect(try await store.workflow(Bill.self).ids(in: [LapsedState.self]) == ["1"])
    }
}

extension Picture {
    static let bill = Picture(name: "bill", page: "TimeAndWork", table: Bill.table)
}
