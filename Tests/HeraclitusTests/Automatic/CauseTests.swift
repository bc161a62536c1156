import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Causes of automatic events", .timeLimit(.minutes(20))) struct CauseTests {
    struct Spoilt: Error {}
    final class IdleState: EmptyState {}
    final class DoneState: EmptyState {}
    final class LapsedState: EmptyState {}

    struct Bill: Workflow {
        static var initial: any WorkflowState { IdleState() }
        static var journal: Int { 5 }
        let lapse = Event(from: IdleState.self, to: LapsedState.self).due(after: .seconds(10))
        let close = Event(from: LapsedState.self, to: DoneState.self)
    }

    @Test("A caller that passes on the user info of a due event fires an event that was not due")
    func due() throws {
        let clock = ManualClock()
        let bill = StateMachine<Bill>(scheduler: clock.scheduler)
        bill.activate()
        let heard = CallLog()
        bill.didEnter(LapsedState.self) { _, transition in
            #expect(throws: Never.self) {
                try transition.machine(as: Bill.self)?.fire.close(userInfo: transition.userInfo)
            }
        }
        bill.onTransition { heard.write("\($0.event ?? "") \($0.due != nil)") }
        clock.advance(by: .seconds(10))
        #expect(heard.entries == ["lapse true", "close false"])
        // User info from observers and journals is treated alike.
        let again = StateMachine<Bill>(resumingIn: LapsedState())
        again.onTransition { heard.write("\($0.event ?? "") \($0.due != nil)") }
        try again.fire.close(userInfo: bill.journal[0].userInfo)
        #expect(heard.entries.last == "close false")
    }

    struct Paid: Error {}
    struct GuardedBill: Workflow {
        static var initial: any WorkflowState { IdleState() }
        static var journal: Int { 5 }
        let lapse = Event(from: IdleState.self, to: LapsedState.self).due(after: .seconds(10))
            .guarded { _, _, _ in throw Paid() }
    }

    @Test("A rejected automatic event has its cause, and a rejected caller has none")
    func rejected() throws {
        let clock = ManualClock()
        let bill = StateMachine<GuardedBill>(scheduler: clock.scheduler)
        bill.activate()
        let date = clock.date
        clock.advance(by: .seconds(10))
        let error = try #require(throws: InvalidTransition.self) { try bill.fire.lapse() }
        #expect(error.userInfo.isEmpty)
        #expect(bill.journal.map(\.cause) == [.due(date + 10), nil])
    }

    final class SpoilingState: EmptyState, Working {
        func work(_ call: WorkCall<Shop>) async throws { throw Spoilt() }
    }
    final class OtherSpoilingState: EmptyState, Working {
        func work(_ call: WorkCall<Shop>) async throws { throw Spoilt() }
    }
    final class BrokenState: WorkflowState {
        let text: String
        init(_ text: String) { self.text = text }
    }
    struct Shop: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let start = Event(from: IdleState.self, to: SpoilingState.self)
        let startOther = Event(from: IdleState.self, to: OtherSpoilingState.self)
        let fail = Event(from: SpoilingState.self, to: BrokenState.self)
            .whenFailed { _, error in BrokenState("\(error)") }
            .or(from: OtherSpoilingState.self, to: BrokenState.self)
        let close = Event(from: BrokenState.self, to: DoneState.self)
    }

    @Test("A caller that passes on the user info of an event caused by work fires one without a cause")
    func failure() async throws {
        let heard = CallLog()
        let shop = StateMachine<Shop>()
        shop.didEnter(BrokenState.self) { _, transition in
            #expect(throws: Never.self) {
                try transition.machine(as: Shop.self)?.fire.close(userInfo: transition.userInfo)
            }
        }
        shop.onTransition { heard.write("\($0.event ?? "") \($0.failure != nil)") }
        try shop.fire.start()
        await shop.settled()
        #expect(heard.entries == ["start false", "fail true", "close false"])
    }

    @Test(
        "Failed work fires an event only in the states that it led from when `whenFailed` was added"
    )
    func otherSources() async throws {
        #expect(Shop.diagnostics.isEmpty)
        let shop = StateMachine<Shop>()
        let heard = CallLog()
        shop.observe { heard.write("\($0.kind) \($0.event ?? "")") }
        try shop.fire.startOther()
        await shop.settled()
        // Observers get the error, because no event follows from it.
        #expect(heard.entries == ["transitioned startOther", "failed "])
        #expect(shop.isIn(OtherSpoilingState.self))
    }

    final class OuterState: Composite {
        let bill: StateMachine<Bill>
        init(_ bill: StateMachine<Bill> = StateMachine(resumingIn: DoneState())) { self.bill = bill }
        var regions: [any Region] { [bill] }
        func copied() -> OuterState { OuterState(bill.copy()) }
    }
    struct Folder: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let open = Event(from: IdleState.self, to: OuterState.self)
        let rest = Event(from: DoneState.self, to: LapsedState.self)
        let close = Event(from: OuterState.self, to: DoneState.self).whenFinal(\.bill).enters { _ in DoneState() }
            .or(from: LapsedState.self, to: DoneState.self)
    }

    @Test("The end of regions fires an event only in the states that have the regions")
    func otherRegions() throws {
        #expect(Folder.diagnostics.isEmpty)
        let folder = StateMachine<Folder>()
        try folder.fire.open(OuterState())
        #expect(folder.isIn(DoneState.self))
        try folder.fire.rest()
        #expect(folder.isIn(LapsedState.self) && folder.revision == 3)
    }
}
