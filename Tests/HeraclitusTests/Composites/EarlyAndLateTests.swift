import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

@Suite("Machines in states that are not current") struct EarlyAndLateTests {
    typealias Order = Forest.Order
    typealias Errand = Forest.Errand
    typealias PlacedState = Forest.PlacedState
    typealias BusyState = Forest.BusyState

    @Test("While the regions are left one after the other, none of them can be fired any more")
    func whileLeaving() throws {
        let order = try Forest.busyOrder()
        let (first, lamp) = (order.first, order.first.lamp)
        let reasons = Mutex<[InvalidTransition.Reason?]>([])
        order.second.didExit(BusyState.self) { _, _ in
            let errors = [
                #expect(throws: InvalidTransition.self) { try first.fire.pause() },
                #expect(throws: InvalidTransition.self) { try lamp.fire.dim() },
            ]
            reasons.withLock { $0 = errors.map { $0?.reason } }
        }
        try order.fire.ship()
        #expect(reasons.withLock { $0 } == [.notCurrent, .notCurrent])
        #expect(first.stateName == "BusyState" && lamp.stateName == "LitState")
    }

    @Test("A machine that its holder is about to enter cannot be fired until then, and belongs to it already")
    func aboutToBeEntered() throws {
        let order = StateMachine<Order>()
        let other = StateMachine<Order>()
        let errand = StateMachine<Errand>()
        try order.perform { _ in
            try order.fire.place(PlacedState(first: errand))
            let early = #expect(throws: InvalidTransition.self) { try errand.fire.begin(BusyState()) }
            #expect(early?.reason == .notCurrent)
            let taken = #expect(throws: InvalidTransition.self) { try other.fire.place(PlacedState(first: errand)) }
            #expect(taken?.reason == .regionInUse)
        }
        try errand.fire.begin(BusyState())
        #expect(order.first === errand)
    }

    final class RestingState: EmptyState {}
    final class DoneState: EmptyState {}
    final class SilentState: EmptyState {}
    final class RungState: EmptyState {}

    struct Bell: Workflow {
        static var initial: any WorkflowState { SilentState() }
        let ring = Event(from: SilentState.self, to: RungState.self).due(after: .seconds(10))
    }

    final class HungState: Composite {
        let bell: StateMachine<Bell>
        var regions: [any Region] { [bell] }
        init(_ bell: StateMachine<Bell>) { self.bell = bell }
        func copied() -> HungState { HungState(bell.copy()) }
    }

    struct Tower: Workflow {
        static var initial: any WorkflowState { RestingState() }
        let hang = Event(from: RestingState.self, to: HungState.self)
        let rest = Event(from: HungState.self, to: RestingState.self)
        let end = Event(from: RestingState.self, to: DoneState.self)
    }

    @Test("A machine whose state was left while more was to come belongs to nobody, and another one may have it")
    func leftForMore() throws {
        let bell = StateMachine<Bell>()
        let (first, second) = (StateMachine<Tower>(), StateMachine<Tower>())
        first.didEnter(HungState.self) { _, _ in
            #expect(throws: Never.self) {
                try first.fire.rest()
                try first.fire.end()
            }
        }
        try first.fire.hang(HungState(bell))
        #expect(first.isIn(DoneState.self))
        try second.fire.hang(HungState(bell))
        #expect(second.isIn(SilentState.self))
    }

    @Test("In a machine that is given it after the one that held it was released, what goes on in it begins again")
    func outlivesItsHolder() throws {
        let clock = ManualClock()
        let bell = StateMachine<Bell>(scheduler: clock.scheduler)
        var first: StateMachine<Tower>? = StateMachine<Tower>(scheduler: clock.scheduler)
        try first?.fire.hang(HungState(bell))
        first = nil
        #expect(clock.scheduler.count == 0)
        #expect(bell.isActive)
        let second = StateMachine<Tower>(scheduler: clock.scheduler)
        try second.fire.hang(HungState(bell))
        clock.advance(by: .seconds(10))
        #expect(second.isIn(RungState.self))
    }
}
