import HeraclitusTesting
import Testing

@testable import Fixtures
@testable import Heraclitus

@Suite("Machines in states that are not current") struct EarlyAndLateTests {
    typealias Order = Forest.Order
    typealias Errand = Forest.Errand
    typealias PlacedState = Forest.PlacedState
    typealias BusyState = Forest.BusyState

    @Test("While the regions are left one after the other, all of them reject fires")
    func whileLeaving() throws {
        let order = try Forest.busyOrder()
        let (first, lamp) = (order.first, order.first.lamp)
        let reasons = Lock<[InvalidTransition.Reason?]>([])
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

    @Test("A machine that its holder is about to enter rejects fires until then, and already has its holder")
    func aboutToBeEntered() throws {
        let order = StateMachine<Order>()
        let other = StateMachine<Order>()
        let errand = StateMachine<Errand>()
        try order.perform { _ in
            try order.fire.place(PlacedState(first: errand))
            let early = #expect(throws: InvalidTransition.self) { try errand.fire.begin(BusyState()) }
            #expect(early?.reason == .notCurrent && early?.path == "Order.Errand")
            let taken = #expect(throws: InvalidTransition.self) { try other.fire.place(PlacedState(first: errand)) }
            #expect(taken?.reason == .regionInUse)
        }
        try errand.fire.begin(BusyState())
        #expect(order.first === errand)
    }

    @Test("The observers of each such machine are told of its rejections, also of those caused by another machine")
    func toldOutsideTurns() throws {
        func left() throws -> StateMachine<Errand> {
            let order = try Forest.busyOrder()
            let first = order.first
            try order.fire.ship()
            return first
        }
        let (one, other) = (try left(), try left())
        let heard = CallLog()
        one.observe { _ in
            heard.write("one")
            #expect(throws: InvalidTransition.self) { try other.fire.pause() }
        }
        other.observe { _ in
            heard.write("other")
            // Rejections within observers are not told, to prevent an endless loop.
            #expect(throws: InvalidTransition.self) { try one.fire.pause() }
        }
        #expect(throws: InvalidTransition.self) { try one.fire.pause() }
        #expect(heard.entries == ["one", "other"])
    }

    @Test("The refusal of an action has the machine's place in the tree")
    func place() throws {
        let order = try Forest.busyOrder()
        let error = #expect(throws: InvalidTransition.self) {
            try order.first.perform(action: "rest", in: PlacedState.self) { _ in }
        }
        #expect(error?.path == "Order.first")
        #expect(error?.errorDescription?.hasPrefix("Errand (Order.first) cannot perform \"rest\" in BusyState") == true)
        let alone = #expect(throws: InvalidTransition.self) {
            try StateMachine<Errand>().perform(action: "rest", in: PlacedState.self) { _ in }
        }
        #expect(alone != nil && alone?.path == nil)
    }

    @Test("A machine whose holder has left its state cannot run, and the error has the reason")
    func runLate() async throws {
        let order = try Forest.busyOrder()
        let first = order.first
        try order.fire.ship()
        let error = await #expect(throws: InvalidTransition.self) { try await first.run() }
        #expect(error?.reason == .notCurrent)
        let text =
            "Errand cannot be run in BusyState: the state object, or the one that holds this machine, is no longer current."
        #expect(error?.description == text)
    }

    @Test("An action that would take another holder's machine is rejected, with the holder's name")
    func taken() throws {
        let errand = StateMachine<Errand>()
        let refused = Lock<InvalidTransition?>(nil)
        errand.onTransition { [weak errand] _ in
            guard let errand else { return }
            let order = StateMachine<Order>(entering: PlacedState(first: errand))
            let error = #expect(throws: InvalidTransition.self) { try order.perform { _ in } }
            refused.withLock { $0 = error }
        }
        try errand.fire.begin(BusyState())
        let error = try #require(refused.withLock { $0 })
        #expect(error.reason == .regionInUse && error.machines == ["Errand"])
        #expect(
            error.description
                == "Order cannot perform a block in PlacedState: a machine in the state is in use: Errand. "
                + "Give each state its own machine, such as a copy."
        )
    }

    /// A state that counts lookups of the property that holds a machine.
    final class WatchedState: Composite, CustomReflectable {
        let errand: StateMachine<Errand>
        let looks = Lock(0)
        init(_ errand: StateMachine<Errand> = StateMachine()) { self.errand = errand }
        convenience init(from decoder: any Decoder) throws { self.init() }
        func encode(to encoder: any Encoder) throws {}
        var regions: [any Region] { [errand] }
        func copied() -> WatchedState { WatchedState(errand.copy()) }
        var customMirror: Mirror {
            looks.withLock { $0 += 1 }
            return Mirror(self, children: ["errand": errand])
        }
    }
    struct Watched: Workflow {
        static var initial: any WorkflowState { WatchedState() }
        let again = Event(updating: WatchedState.self)
    }

    @Test("Without observers, the machines of a tree look for no observers")
    func unheard() throws {
        let machine = StateMachine<Watched>()
        let state = try #require(machine.state as? WatchedState)
        let paths = CallLog()
        let registration = machine.observe(regions: true) { paths.write($0.path ?? "") }
        try state.errand.fire.begin(BusyState())
        try state.errand.fire.pause()
        #expect(paths.entries == ["errand", "errand"])
        let looks = state.looks.withLock { $0 }
        #expect(looks > 0)
        registration.cancel()
        try state.errand.fire.begin(BusyState())
        try state.errand.fire.pause()
        #expect(state.looks.withLock { $0 } == looks)
        machine.observe(regions: true) { paths.write($0.path ?? "") }
        try state.errand.fire.begin(BusyState())
        #expect(paths.entries.count == 3)
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

    @Test("A machine whose state was left despite pending work has no holder, and another machine may have it")
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

    @Test("In a new holder after the release of the old one, a machine's activity begins again")
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

    @Test(
        "A region without listeners above calls none from its next transition on, until a new listener comes"
    )
    func notHeardAnyMore() throws {
        typealias Tree = TreeMomentTests
        let room = StateMachine<Tree.Room>(resumingIn: Tree.RoomState())
        let house = StateMachine<Tree.House>(resumingIn: Tree.FloorState(room))
        house.activate()
        let lamp = try #require(room.state as? Tree.RoomState).lamp
        let phases = lamp.core.closurePhases
        let heard = Lock<[String]>([])
        func listen(_ machine: StateMachine<Tree.House>, as name: String) -> Registration {
            machine.observe(regions: true) { occurrence in
                heard.withLock { $0.append("\(name) \(occurrence.path ?? "")") }
            }
        }
        func turn() throws {
            if lamp.isIn(Tree.OffState.self) {
                try lamp.fire.turn(Tree.OnState())
            } else {
                try lamp.fire.turn(Tree.OffState())
            }
        }
        for _ in 0..<3 {
            let (first, second) = (listen(house, as: "first"), listen(house, as: "second"))
            let inner = room.observe(regions: true) { occurrence in
                heard.withLock { $0.append("inner \(occurrence.path ?? "")") }
            }
            try turn()
            first.cancel()
            try turn()
            second.cancel()
            try turn()
            #expect(
                heard.withLock { $0 } == [
                    "inner lamp", "first room.lamp", "second room.lamp", "inner lamp", "second room.lamp", "inner lamp",
                ]
            )
            inner.cancel()
            try turn()
            #expect(heard.withLock { $0.count } == 6 && lamp.core.closurePhases == phases)
            heard.withLock { $0 = [] }
        }
    }
}
