import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

@Suite("Composites on several threads") struct CompositeThreadTests {
    typealias Order = Forest.Order
    typealias PlacedState = Forest.PlacedState

    @Test(
        "Threads that fire all levels of a tree take turns, without a deadlock"
    )
    func allLevels() throws {
        let order = try Forest.busyOrder()
        let (first, second) = (order.first, order.second)
        let (lamp, other) = (first.lamp, second.lamp)
        let inside = Atomic<Int>(0)
        @Sendable func enter(_ transition: StateTransition) {
            #expect(inside.add(1, ordering: .sequentiallyConsistent).newValue == 1)
            inside.subtract(1, ordering: .sequentiallyConsistent)
        }
        order.onTransition(enter)
        for machine in [first, second] { machine.onTransition(enter) }
        for machine in [lamp, other] { machine.onTransition(enter) }
        // A region fires its holder, which fires another region.
        lamp.onTransition { _ in
            #expect(throws: Never.self) {
                try order.fire.renote { PlacedState("\($0.note.count)", first: $0.first, second: $0.second) }
            }
        }
        let unexpected = Lock<[InvalidTransition]>([])
        onThreads(6) { index in
            for round in 0..<300 {
                do throws(InvalidTransition) {
                    switch index {
                    case 0, 1: if round.isMultiple(of: 2) { try lamp.fire.light() } else { try lamp.fire.dim() }
                    case 2: if round.isMultiple(of: 2) { try other.fire.light() } else { try other.fire.dim() }
                    case 3: try order.fire.renote { PlacedState("note", first: $0.first, second: $0.second) }
                    case 4: if round.isMultiple(of: 2) { try first.rehearse.pause() } else { _ = order.copy() }
                    default:
                        // The tree can be read in between.
                        _ = try? order.archive()
                        _ = first.can.pause
                    }
                } catch {
                    if error.reason != .notAllowed { unexpected.withLock { $0.append(error) } }
                }
            }
        }
        #expect(unexpected.withLock { $0.isEmpty })
        #expect(order.revision == 301 + lamp.revision - 1)
    }

    @Test("While a tree is left and entered again, fires of its regions come in time or are rejected as late")
    func comingAndGoing() throws {
        let order = StateMachine<Order>()
        let errand = StateMachine<Forest.Errand>()
        try order.fire.place(PlacedState(first: errand))
        let moves = Atomic<Int>(0)
        let unexpected = Lock<[InvalidTransition]>([])
        onThreads(4) { index in
            for _ in 0..<500 {
                do throws(InvalidTransition) {
                    switch index {
                    case 0:
                        try order.fire.unplace()
                        try order.fire.place(PlacedState(first: errand))
                    case 1: try errand.fire.begin(Forest.BusyState())
                    default: try errand.fire.pause()
                    }
                    if index > 0 { moves.add(1, ordering: .relaxed) }
                } catch {
                    if error.reason != .notAllowed, error.reason != .notCurrent {
                        unexpected.withLock { $0.append(error) }
                    }
                }
            }
        }
        #expect(unexpected.withLock { $0.isEmpty })
        #expect(errand.revision == moves.load(ordering: .relaxed))
        #expect(order.revision == 1 + 2 * 500)
    }

    @Test("Of two machines that claim a machine for their states at once, one gets it and the other is rejected")
    func race() {
        for _ in 0..<200 {
            let errand = StateMachine<Forest.Errand>()
            let orders = [StateMachine<Order>(), StateMachine<Order>()]
            let winners = Atomic<Int>(0)
            onThreads(3) { index in
                do throws(InvalidTransition) {
                    if index < 2 {
                        try orders[index].fire.place(PlacedState(first: errand))
                        winners.add(1, ordering: .relaxed)
                    } else {
                        try errand.fire.begin(Forest.BusyState())
                    }
                } catch {
                    #expect(error.reason == .regionInUse)
                }
            }
            #expect(winners.load(ordering: .relaxed) == 1)
            #expect(errand.stateName == "BusyState")
        }
    }

    @Test("Trees whose callbacks fire one another close a circle, which is rejected; one tree never does")
    func circles() throws {
        let orders = [try Forest.busyOrder(), try Forest.busyOrder()]
        let circles = Atomic<Int>(0)
        for index in 0..<2 {
            let other = orders[1 - index]
            orders[index].first.lamp.onTransition { _ in
                do throws(InvalidTransition) {
                    try other.second.lamp.fire.light()
                } catch {
                    if error.reason == .deadlock {
                        circles.add(1, ordering: .relaxed)
                        #expect(error.machines == ["Order", "Order"])
                    } else {
                        #expect(error.reason == .notAllowed)
                    }
                }
            }
        }
        onThreads(2) { index in
            let lamp = orders[index].first.lamp
            for round in 0..<300 {
                #expect(throws: Never.self) {
                    if round.isMultiple(of: 2) { try lamp.fire.dim() } else { try lamp.fire.light() }
                }
            }
        }
        #expect(orders.allSatisfy { $0.first.lamp.revision == 301 })
    }
}
