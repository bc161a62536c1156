import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Composites") struct CompositeTests {
    typealias Order = Forest.Order
    typealias Errand = Forest.Errand
    typealias Lamp = Forest.Lamp
    typealias PlacedState = Forest.PlacedState
    typealias BusyState = Forest.BusyState

    // MARK: Order

    @Test("Regions are entered in order, after all callbacks of their holder's transition")
    func entering() throws {
        try Forest.noting { journal in
            let order = StateMachine<Order>()
            order.activate()
            order.onTransition { journal.write("observer \($0)") }
            journal.clear()
            try order.fire.place(PlacedState())
            #expect(
                journal.entries == [
                    "CartState.willExit place: CartState → PlacedState",
                    "PlacedState.willEnter place: CartState → PlacedState",
                    "CartState.didExit place: CartState → PlacedState",
                    "PlacedState.didEnter place: CartState → PlacedState",
                    "observer place: CartState → PlacedState",
                    "IdleState.willEnter -: - → IdleState", "IdleState.didEnter -: - → IdleState",
                    "IdleState.willEnter -: - → IdleState", "IdleState.didEnter -: - → IdleState",
                ]
            )
            #expect(order.first.isActive && order.second.isActive)
        }
    }

    @Test("Regions are left before their holder, the innermost and last first, by the holder's transition")
    func leaving() throws {
        try Forest.noting { journal in
            let order = try Forest.busyOrder()
            order.first.lamp.didExit(Forest.LitState.self) { _, transition in
                journal.write("own closure \(transition)")
            }
            journal.clear()
            try order.fire.ship()
            #expect(
                journal.entries == [
                    "DarkState.willExit ship: DarkState → ShippedState",
                    "BusyState.willExit ship: BusyState → ShippedState",
                    "LitState.willExit ship: LitState → ShippedState",
                    "BusyState.willExit ship: BusyState → ShippedState",
                    "PlacedState.willExit ship: PlacedState → ShippedState",
                    "ShippedState.willEnter ship: PlacedState → ShippedState",
                    "DarkState.didExit ship: DarkState → ShippedState",
                    "BusyState.didExit ship: BusyState → ShippedState",
                    "LitState.didExit ship: LitState → ShippedState", "own closure ship: LitState → ShippedState",
                    "BusyState.didExit ship: BusyState → ShippedState",
                    "PlacedState.didExit ship: PlacedState → ShippedState",
                    "ShippedState.didEnter ship: PlacedState → ShippedState",
                ]
            )
        }
    }

    @Test("The hook of a region left with its holder finds the region's machine, and may fire it")
    func exitFires() throws {
        let order = try Forest.busyOrder()
        order.first.didExit(BusyState.self) { _, transition in
            #expect(transition.machine(as: Errand.self) == nil)
            #expect(throws: Never.self) { try transition.machine(as: Order.self)?.fire.place(PlacedState("fired")) }
        }
        try order.fire.unplace()
        #expect((order.state as? PlacedState)?.note == "fired")
    }

    // MARK: One turn

    @Test("Firing a region activates its holder and the whole tree above it")
    func activation() throws {
        try Forest.noting { journal in
            let order = StateMachine<Order>(resumingIn: PlacedState(first: StateMachine(resumingIn: BusyState())))
            try order.first.lamp.fire.light()
            #expect(order.isActive && order.first.isActive && order.second.isActive)
            #expect(
                journal.entries == [
                    "PlacedState.didRestore -: - → PlacedState",
                    "BusyState.didRestore -: - → BusyState",
                    "DarkState.willEnter -: - → DarkState", "DarkState.didEnter -: - → DarkState",
                    "IdleState.willEnter -: - → IdleState", "IdleState.didEnter -: - → IdleState",
                    "DarkState.willExit light: DarkState → LitState", "LitState.willEnter light: DarkState → LitState",
                    "DarkState.didExit light: DarkState → LitState", "LitState.didEnter light: DarkState → LitState",
                ]
            )
        }
    }

    @Test("A fire of a region's callback at its holder is decided at once, and done before the outer fire returns")
    func outward() throws {
        try Forest.noting { journal in
            let order = try Forest.busyOrder()
            order.first.lamp.didEnter(Forest.DarkState.self) { _, _ in
                journal.write("\(order.can.unplace) \(order.first.can.pause)")
                #expect(throws: Never.self) { try order.first.fire.pause() }
                #expect(throws: Never.self) { try order.fire.ship() }
                #expect(throws: InvalidTransition.self) { try order.fire.ship() }
                // Both states are about to be left, and are still current.
                journal.write(
                    "\(order.stateName) \(order.can.unplace) \(order.first.stateName) \(order.first.can.pause)"
                )
            }
            order.first.lamp.onTransition { _ in journal.write("observer") }
            journal.clear()
            try order.first.lamp.fire.dim()
            #expect(
                journal.entries == [
                    "LitState.willExit dim: LitState → DarkState", "DarkState.willEnter dim: LitState → DarkState",
                    "LitState.didExit dim: LitState → DarkState", "DarkState.didEnter dim: LitState → DarkState",
                    "true true", "PlacedState false BusyState false", "observer",
                    "DarkState.willExit pause: DarkState → IdleState",
                    "BusyState.willExit pause: BusyState → IdleState",
                    "IdleState.willEnter pause: BusyState → IdleState",
                    "DarkState.didExit pause: DarkState → IdleState", "BusyState.didExit pause: BusyState → IdleState",
                    "IdleState.didEnter pause: BusyState → IdleState",
                    "DarkState.willExit ship: DarkState → ShippedState",
                    "BusyState.willExit ship: BusyState → ShippedState",
                    "IdleState.willExit ship: IdleState → ShippedState",
                    "PlacedState.willExit ship: PlacedState → ShippedState",
                    "ShippedState.willEnter ship: PlacedState → ShippedState",
                    "DarkState.didExit ship: DarkState → ShippedState",
                    "BusyState.didExit ship: BusyState → ShippedState",
                    "IdleState.didExit ship: IdleState → ShippedState",
                    "PlacedState.didExit ship: PlacedState → ShippedState",
                    "ShippedState.didEnter ship: PlacedState → ShippedState",
                ]
            )
            #expect(order.isIn(Forest.ShippedState.self))
        }
    }

    @Test(
        "A holder's callback fires a region at once; a fire of a region about to be left is rejected"
    )
    func inward() throws {
        let order = StateMachine<Order>()
        order.didEnter(PlacedState.self) { placed, _ in
            #expect(throws: Never.self) { try placed.first.fire.begin(BusyState()) }
            #expect(placed.first.isIn(BusyState.self))
            #expect(throws: Never.self) { try order.fire.renote(PlacedState("more", first: placed.first)) }
            #expect(throws: Never.self) { try placed.first.lamp.fire.light() }
            #expect(throws: InvalidTransition.self) { try placed.second.fire.begin(BusyState()) }
            #expect(throws: Never.self) { try order.fire.ship() }
            let error = #expect(throws: InvalidTransition.self) { try placed.first.fire.pause() }
            #expect(error?.reason == .notCurrent)
        }
        try order.fire.place(PlacedState())
        #expect(order.isIn(Forest.ShippedState.self))
        #expect(order.first.stateName == "BusyState" && order.first.lamp.stateName == "LitState")
    }

    @Test("A region's callback fires another region at once, and its fire at the holder waits for the outermost fire")
    func sideways() throws {
        let journal = CallLog()
        let order = try Forest.busyOrder()
        order.onTransition { journal.write("order \($0.event ?? "")") }
        order.second.onTransition { _ in
            journal.write("second")
            #expect(throws: Never.self) { try order.fire.ship() }
        }
        order.first.onTransition { _ in
            journal.write("first")
            #expect(throws: Never.self) { try order.second.fire.pause() }
            journal.write("between \(order.second.stateName) \(order.stateName)")
        }
        try order.first.fire.pause()
        #expect(journal.entries == ["first", "second", "between IdleState PlacedState", "order ship"])
    }

    @Test("A guard, builder or will hook of the holder cannot fire a region, and the rest is unchanged")
    func deciding() throws {
        let order = try Forest.busyOrder()
        let errors = Lock<[InvalidTransition.Reason]>([])
        @Sendable func fireInner() {
            do throws(InvalidTransition) {
                try order.first.lamp.fire.dim()
            } catch {
                errors.withLock { $0.append(error.reason) }
            }
        }
        order.guarded(\.ship) { _, _, _ in fireInner() }
        order.willExit(PlacedState.self) { _, _ in
            fireInner()
            #expect(throws: InvalidTransition.self) { try order.first.perform { _ in } }
        }
        order.first.willExit(BusyState.self) { _, _ in fireInner() }
        try order.fire.ship { _ in
            fireInner()
            return Forest.ShippedState()
        }
        #expect(errors.withLock { $0 } == .init(repeating: .transitionInProgress, count: 4))
        #expect(order.first.lamp.stateName == "LitState")
    }

    @Test(
        "A fire of a region's guard at the holder is carried out after the region's decision, also if it was declined"
    )
    func guardFiresOutward() throws {
        let order = try Forest.busyOrder()
        order.first.guarded(\.pause) { _, _, _ in
            try order.fire.renote { PlacedState("noted", first: $0.first, second: $0.second) }
            throw Objection()
        }
        let error = #expect(throws: InvalidTransition.self) { try order.first.fire.pause() }
        #expect(error?.reason == .declined)
        #expect((order.state as? PlacedState)?.note == "noted")
    }

    @Test("Actions, announcements and rehearsals of a region take the turn of the whole tree")
    func otherBeginnings() throws {
        let order = try Forest.busyOrder()
        try order.first.perform { _ in
            try order.fire.ship()
            #expect(order.stateName == "PlacedState")
        }
        #expect(order.stateName == "ShippedState")
        #expect(throws: InvalidTransition.self) { try order.first.perform { _ in } }
        let fresh = StateMachine<Order>(resumingIn: PlacedState())
        try fresh.first.rehearse.begin(BusyState())
        #expect(!fresh.isActive && !fresh.first.isActive && fresh.first.stateName == "IdleState")
        let journal = CallLog()
        fresh.first.observe { journal.write($0.message) }
        fresh.first.announce("news")
        #expect(fresh.isActive && journal.entries.count == 1)
    }

    // MARK: Late and repeated entries

    @Test("A region whose holder has left rejects every fire, also of its own regions, and stays unchanged")
    func late() throws {
        let order = try Forest.busyOrder()
        let (first, lamp) = (order.first, order.first.lamp)
        let journal = CallLog()
        first.observe { journal.write($0.reason ?? "") }
        try order.fire.ship()
        for error in [
            #expect(throws: InvalidTransition.self) { try first.fire.pause() },
            #expect(throws: InvalidTransition.self) { try lamp.fire.dim() },
            #expect(throws: InvalidTransition.self) { try lamp.rehearse.dim() },
        ] { #expect(error?.reason == .notCurrent) }
        #expect(journal.entries == ["notCurrent"])
        #expect(first.stateName == "BusyState" && lamp.stateName == "LitState" && lamp.revision == 1)
    }

    @Test("Errors have the machine's place in its tree")
    func paths() async throws {
        let order = try Forest.busyOrder()
        let wait = await #expect(throws: InvalidTransition.self) {
            try await order.second.lamp.wait(for: PlacedState.self)
        }
        #expect(wait?.reason == .unreachable && wait?.path == "Order.second.lamp")
        let error = try #require(throws: InvalidTransition.self) { try order.second.lamp.fire.dim() }
        #expect(error.path == "Order.second.lamp")
        #expect(error.description.hasPrefix("Lamp (Order.second.lamp) cannot fire \"dim\" in DarkState"))
        let own = try #require(throws: InvalidTransition.self) { try order.fire.place(PlacedState()) }
        #expect(own.path == nil)
    }

    @Test("A machine is also in the states of the machines in its state")
    func isIn() throws {
        let order = try Forest.busyOrder()
        #expect(order.isIn(PlacedState.self) && order.isIn(BusyState.self) && order.isIn(Forest.LitState.self))
        #expect(order.isIn(named: "DarkState") && order.isIn(named: "PlacedState") && !order.isIn(named: "BurntState"))
        #expect(!order.isIn(Forest.IdleState.self) && !order.first.lamp.isIn(PlacedState.self))
        try order.fire.ship()
        #expect(!order.isIn(Forest.LitState.self))
    }

    @Test("A region of a released holder rejects every fire")
    func orphan() throws {
        let lamp: StateMachine<Lamp>
        do {
            let order = try Forest.busyOrder()
            lamp = order.first.lamp
        }
        let error = #expect(throws: InvalidTransition.self) { try lamp.fire.dim() }
        #expect(error?.reason == .notCurrent)
    }

    @Test("When its holder enters the same object again, a region resumes where it was")
    func history() throws {
        try Forest.noting { journal in
            let order = try Forest.busyOrder()
            let placed = try #require(order.state as? PlacedState)
            try order.fire.unplace()
            #expect(!placed.first.isActive)
            journal.clear()
            try order.fire.place(placed)
            #expect(
                journal.entries == [
                    "CartState.willExit place: CartState → PlacedState",
                    "PlacedState.willEnter place: CartState → PlacedState",
                    "CartState.didExit place: CartState → PlacedState",
                    "PlacedState.didEnter place: CartState → PlacedState",
                    "BusyState.didRestore -: - → BusyState", "LitState.didRestore -: - → LitState",
                    "BusyState.didRestore -: - → BusyState", "DarkState.didRestore -: - → DarkState",
                ]
            )
            try placed.first.lamp.fire.dim()
        }
    }

    @Test("An update that keeps a machine leaves it unchanged; an update that drops it leaves its state")
    func updates() throws {
        try Forest.noting { journal in
            let order = try Forest.busyOrder()
            let second = order.second
            journal.clear()
            order.onTransition { _ in #expect(throws: Never.self) { try order.first.lamp.fire.dim() } }
            try order.fire.renote { PlacedState("more", first: $0.first) }
            #expect(
                journal.entries == [
                    "DarkState.willExit renote: DarkState → PlacedState",
                    "BusyState.willExit renote: BusyState → PlacedState",
                    "DarkState.didExit renote: DarkState → PlacedState",
                    "BusyState.didExit renote: BusyState → PlacedState",
                    "LitState.willExit dim: LitState → DarkState", "DarkState.willEnter dim: LitState → DarkState",
                    "LitState.didExit dim: LitState → DarkState", "DarkState.didEnter dim: LitState → DarkState",
                    "IdleState.willEnter -: - → IdleState", "IdleState.didEnter -: - → IdleState",
                ]
            )
            #expect(throws: InvalidTransition.self) { try second.fire.pause() }
            #expect(order.first.lamp.stateName == "DarkState")
        }
    }

    @Test("A transition that takes the machines along leaves and resumes them")
    func takenAlong() throws {
        let order = try Forest.busyOrder()
        let journal = CallLog()
        try Forest.$journal.withValue(journal) {
            try order.fire.again { PlacedState("again", first: $0.first, second: $0.second) }
        }
        #expect(
            journal.entries.filter { $0.hasPrefix("LitState") }.map { $0.prefix(while: { $0 != " " }) } == [
                "LitState.willExit", "LitState.didExit", "LitState.didRestore",
            ]
        )
        try order.first.lamp.fire.dim()
    }

    // MARK: Sharing

    @Test("A fire into a state with another holder's machine is rejected before any change")
    func sharing() throws {
        let order = try Forest.busyOrder()
        let other = StateMachine<Order>()
        let mine = StateMachine<Errand>()
        let error = #expect(throws: InvalidTransition.self) {
            try other.fire.place(PlacedState(first: mine, second: order.second))
        }
        #expect(error?.reason == .regionInUse)
        #expect(error?.machines == ["Errand", "Order"])
        #expect(
            error?.description.contains("a machine in PlacedState is in use: Errand in Order.") == true
        )
        #expect(other.stateName == "CartState" && other.revision == 0)
        // The other machine was not taken, and still stands alone.
        try mine.fire.begin(BusyState())
        try order.second.fire.pause()
        // A copy is accepted, and so is the machine after it was left.
        try other.fire.place(PlacedState(first: mine, second: order.second.copy()))
        let second = order.second
        try order.fire.ship()
        try other.fire.renote { PlacedState(first: $0.first, second: second) }
        try second.fire.begin(BusyState())
    }

    @Test("A rehearsal takes no machine, and reports a taken one")
    func rehearsal() throws {
        let order = try Forest.busyOrder()
        let mine = StateMachine<Errand>()
        let other = StateMachine<Order>()
        try other.rehearse.place(PlacedState(first: mine))
        try mine.fire.begin(BusyState())
        #expect(throws: InvalidTransition.self) { try other.rehearse.place(PlacedState(first: order.first)) }
    }

    @Test("A machine cannot be put into its own state, or into a state of a machine in its state")
    func circle() throws {
        let errand = StateMachine<Errand>()
        let order = StateMachine<Order>(resumingIn: PlacedState(first: errand))
        let other = StateMachine<Order>()
        errand.onTransition { _ in
            let error = #expect(throws: InvalidTransition.self) { try other.fire.place(PlacedState(first: errand)) }
            #expect(error?.reason == .regionInUse)
        }
        try errand.fire.begin(BusyState())
        #expect(order.first === errand)
    }

    @Test("A region left and entered again in one turn keeps its holder")
    func againInOneTurn() throws {
        let order = try Forest.busyOrder()
        let placed = try #require(order.state as? PlacedState)
        let other = StateMachine<Order>()
        order.didEnter(Forest.CartState.self) { _, _ in
            let error = #expect(throws: InvalidTransition.self) {
                try other.fire.place(PlacedState(first: placed.first))
            }
            #expect(error?.reason == .regionInUse)
        }
        try order.perform { _ in
            try order.fire.unplace()
            try order.fire.place(placed)
        }
        #expect(order.state as AnyObject === placed)
        try placed.first.lamp.fire.dim()
    }

    // MARK: Copies and archives

    @Test("A copy has its own tree, which goes on where the original was")
    func copies() throws {
        try Forest.noting { journal in
            let order = try Forest.busyOrder()
            let copy = order.copy()
            journal.clear()
            #expect(copy.isActive && copy.first.isActive && copy.first.lamp.isActive)
            try copy.first.lamp.fire.dim()
            #expect(journal.entries.count == 4)
            #expect(order.first.lamp.stateName == "LitState" && copy.first.lamp.stateName == "DarkState")
            let lamp = copy.first.lamp
            try copy.fire.ship()
            #expect(throws: InvalidTransition.self) { try lamp.fire.light() }
            try order.first.lamp.fire.dim()
        }
    }

    @Test("An archive has the whole tree, and the restored tree goes on")
    func archives() throws {
        try Forest.noting { journal in
            let order = try Forest.busyOrder()
            let json = try order.archive()
            let restored = try StateMachine<Order>(archive: json)
            #expect(try restored.archive() == json)
            journal.clear()
            restored.first.lamp.didEnter(Forest.DarkState.self) { _, _ in
                #expect(throws: Never.self) { try restored.fire.ship() }
            }
            try restored.first.lamp.fire.dim()
            #expect(
                journal.entries.prefix(5).map { $0.prefix(while: { $0 != " " }) } == [
                    "PlacedState.didRestore", "BusyState.didRestore", "LitState.didRestore", "BusyState.didRestore",
                    "DarkState.didRestore",
                ]
            )
            #expect(restored.isIn(Forest.ShippedState.self))
        }
    }
}
