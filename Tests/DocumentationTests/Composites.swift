import Foundation
import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

private struct NotAnAmount: Error {}
private final class CartState: EmptyState {}
private final class CancelledState: EmptyState {}
private final class ShippedState: WorkflowState {
    let address: String
    init(address: String) { self.address = address }
}

private final class OpenState: EmptyState {}
private final class SettledState: WorkflowState {
    let amount: Int
    init(amount: Int) { self.amount = amount }
}

private struct Payment: Workflow {
    static var initial: any WorkflowState { OpenState() }
    let settle = Event(from: OpenState.self, to: SettledState.self)
        .guarded { _, settled, _ in if settled.amount <= 0 { throw NotAnAmount() } }
}

private final class PackingState: EmptyState {}
private final class PackedState: EmptyState {}

private struct Parcel: Workflow {
    static var initial: any WorkflowState { PackingState() }
    let pack = Event(from: PackingState.self, to: PackedState.self)
}

private final class PlacedState: Composite {
    let address: String
    let payment: StateMachine<Payment>
    let parcel: StateMachine<Parcel>
    var regions: [any Region] { [payment, parcel] }

    init(address: String, payment: StateMachine<Payment> = .init(), parcel: StateMachine<Parcel> = .init()) {
        self.address = address
        self.payment = payment
        self.parcel = parcel
    }

    func copied() -> PlacedState {
        PlacedState(address: address, payment: payment.copy(), parcel: parcel.copy())
    }
}

private struct Order: Workflow {
    static var initial: any WorkflowState { CartState() }
    let place = Event(from: CartState.self, to: PlacedState.self)
    let move = Event(updating: PlacedState.self)
    let cancel = Event(from: PlacedState.self, to: CancelledState.self)
    let ship = Event(from: PlacedState.self, to: ShippedState.self)
        .whenFinal(\.payment, \.parcel).enters { placed in ShippedState(address: placed.address) }
}

private final class OnHoldState: Copying {
    let placed: PlacedState
    init(_ placed: PlacedState) { self.placed = placed }
    func copied() -> OnHoldState { OnHoldState(placed.copied()) }
}

private struct HeldOrder: Workflow {
    static var initial: any WorkflowState { CartState() }
    let place = Event(from: CartState.self, to: PlacedState.self)
    let hold = Event(from: PlacedState.self, to: OnHoldState.self).enters { placed in OnHoldState(placed) }
    let resume = Event(from: OnHoldState.self, to: PlacedState.self).enters { onHold in onHold.placed }
}

private final class ShutState: EmptyState {}
private final class DoorOpenState: EmptyState {}
private final class JammedState: EmptyState {}
private struct Door: Workflow {
    static var initial: any WorkflowState { ShutState() }
    let open = Event(from: ShutState.self, to: DoorOpenState.self)
    let jam = Event(from: ShutState.self, to: JammedState.self)
}

private final class BoardingState: EmptyState {}
private final class StoppedState: EmptyState {}
private final class ReadyState: Updatable, RegionObserving {
    struct Values: Codable, Sendable { var door = StateMachine<Door>() }
    static var regionPaths: RegionPaths<Values> { RegionPaths(\.door) }

    let values: Values
    init(_ values: Values = Values()) { self.values = values }

    func regionDidTransition(_ transition: StateTransition, path: String) {
        if transition.destination is JammedState { try? transition.holder(as: Elevator.self)?.fire.stop() }
    }
}

private struct Elevator: Workflow {
    static var initial: any WorkflowState { ReadyState() }
    let board = Event(from: ReadyState.self, to: BoardingState.self)
        .when { ready in ready.door.isIn(DoorOpenState.self) }
    let stop = Event(from: ReadyState.self, to: StoppedState.self)
}

@Suite("Composites") struct CompositeArticleTests {
    @Test("An elevator boards at an open door, and stops at a jammed one")
    func elevator() throws {
        let door = StateMachine<Door>()
        let elevator = StateMachine<Elevator>(entering: ReadyState(.init(door: door)))
        try door.fire.open()
        #expect(elevator.isIn(BoardingState.self))
        let jammed = StateMachine<Door>()
        let other = StateMachine<Elevator>(entering: ReadyState(.init(door: jammed)))
        try jammed.fire.jam()
        #expect(other.isIn(StoppedState.self))
    }

    @Test("The order ships when its regions have ended")
    func shipped() throws {
        let order = StateMachine<Order>()
        let placed = PlacedState(address: "1 Main St")
        try order.fire.place(placed)
        try placed.payment.fire.settle(SettledState(amount: 900))
        print(order.isIn(SettledState.self))  // true: the order is in the states of its regions, too
        try placed.parcel.fire.pack()
        print(order.stateName)  // ShippedState
        #expect((order.state as? ShippedState)?.address == "1 Main St")
    }

    @Test("An order on hold, and its copy and its archive, come back to where their regions were")
    func history() throws {
        let order = StateMachine<HeldOrder>()
        let placed = PlacedState(address: "1 Main St")
        try order.fire.place(placed)
        try placed.payment.fire.settle(SettledState(amount: 900))
        try order.fire.hold()
        #expect(!order.isIn(SettledState.self))
        for order in [try StateMachine<HeldOrder>(archive: order.archive()), order.copy(), order] {
            try order.fire.resume()
            #expect(order.isIn(SettledState.self) && order.isIn(PackingState.self))
            let placed = try #require(order.state as? PlacedState)
            try placed.parcel.fire.pack()
            #expect(order.isIn(PackedState.self))
        }
    }

    @Test("An order is in the states of its regions")
    func within() throws {
        let order = StateMachine<Order>()
        let placed = PlacedState(address: "1 Main St")
        try order.fire.place(placed)
        try placed.payment.fire.settle(SettledState(amount: 900))
        #expect(order.isIn(SettledState.self))
    }

    @Test("A region of a cancelled order rejects fires, and a tree is archived as a whole")
    func late() throws {
        let order = StateMachine<Order>()
        let heard = Mutex<[String]>([])
        order.observe(regions: true) { occurrence in
            print(occurrence.path ?? "order", occurrence.event ?? "")  // payment settle
        }
        order.observe(regions: true) { occurrence in
            heard.withLock { $0.append("\(occurrence.path ?? "order") \(occurrence.event ?? "")") }
        }
        let placed = PlacedState(address: "1 Main St")
        try order.fire.place(placed)
        try placed.payment.fire.settle(SettledState(amount: 1))
        #expect(heard.withLock { $0 } == ["order place", "payment settle"])
        let restored = try StateMachine<Order>(archive: order.archive())
        let again = try #require(restored.state as? PlacedState)
        let error = try #require(throws: InvalidTransition.self) {
            try again.payment.fire.settle(SettledState(amount: 2))
        }
        #expect(error.path == "Order.payment")
        try again.parcel.fire.pack()
        #expect(restored.isIn(ShippedState.self) && order.isIn(PlacedState.self))

        try order.fire.cancel()
        do {
            try placed.payment.fire.settle(SettledState(amount: 900))
        } catch {
            print(error.reason)  // notCurrent
        }
        let late = #expect(throws: InvalidTransition.self) {
            try placed.payment.fire.settle(SettledState(amount: 900))
        }
        #expect(late?.reason == .notCurrent)
    }
}

extension Picture {
    static let order = Picture(name: "order", page: "Composites", table: Order.table)
}
