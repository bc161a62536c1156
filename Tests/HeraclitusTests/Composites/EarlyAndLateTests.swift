import Heraclitus
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
}
