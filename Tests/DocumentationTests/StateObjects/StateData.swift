import Foundation
import Heraclitus
import HeraclitusTesting
import Synchronization
import Testing

private struct Cart: Codable, Sendable {
    var items: [String] = []
    var coupon: String?
}

private final class ShoppingState: Updatable {
    let values: Cart
    init(_ values: Cart = Cart()) { self.values = values }
}

private final class OrderedState: WorkflowState {
    let cart: Cart
    let address: String

    init(_ cart: Cart, address: String) {
        self.cart = cart
        self.address = address
    }
}

private struct Purchase: Workflow {
    static var initial: any WorkflowState { ShoppingState() }
    let change = Event(updating: ShoppingState.self)
    let order = Event(from: ShoppingState.self, to: OrderedState.self)
}

/// A live object that is open or closed, and counts all opened objects.
private final class Connection: Sendable {
    static let log = Mutex<[ObjectIdentifier: [String]]>([:])

    var events: [String] { Self.log.withLock { $0[ObjectIdentifier(self)] ?? [] } }

    init() { Self.log.withLock { $0[ObjectIdentifier(self)] = [] } }

    func open() { Self.log.withLock { $0[ObjectIdentifier(self), default: []].append("open") } }
    func close() { Self.log.withLock { $0[ObjectIdentifier(self), default: []].append("close") } }
}

private final class UploadingState: WorkflowState, Entering, Restoring, ExitPreparing {
    let sent: Int
    private let connection: Connection

    private enum CodingKeys: CodingKey { case sent }  // the connection is not archived

    convenience init(sent: Int = 0) { self.init(sent, over: Connection()) }

    private init(_ sent: Int, over connection: Connection) {
        self.sent = sent
        self.connection = connection
    }

    convenience init(from decoder: any Decoder) throws {
        self.init(sent: try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .sent))
    }

    func with(sent: Int) -> UploadingState { UploadingState(sent, over: connection) }

    func didEnter(_ transition: StateTransition) { connection.open() }
    func didRestore(_ transition: StateTransition) { connection.open() }
    func willExit(_ transition: StateTransition) { connection.close() }
}

private final class ReadyState: EmptyState {}

private struct Upload: Workflow {
    static var initial: any WorkflowState { ReadyState() }
    let start = Event(from: ReadyState.self, to: UploadingState.self)
    let progress = Event(updating: UploadingState.self)
    let finish = Event(from: UploadingState.self, to: ReadyState.self)
}

@Suite("State data") struct StateDataTests {
    struct NoMore: Error {}

    @Test("Copies with changes replace the data, and an error in the closure keeps it")
    func cart() throws {
        let machine = StateMachine<Purchase>()
        #expect(throws: InvalidTransition.self) {
            try machine.fire.change { shopping in try shopping.updated { _ in throw NoMore() } }
        }
        #expect(machine.revision == 0)
        try machine.fire.change { shopping in shopping.updated { $0.items.append("tea") } }
        try machine.fire.change { shopping in shopping.updated { $0.coupon = "SPRING" } }
        try machine.fire.order { shopping in OrderedState(shopping.values, address: "1 Main St") }
        #expect((machine.previousState as? ShoppingState)?.coupon == "SPRING")
        let ordered = try #require(machine.state as? OrderedState)
        #expect(ordered.cart.items == ["tea"] && ordered.cart.coupon == "SPRING")
        try expectArchives(ordered)
    }

    @Test("An update keeps the live object, which is opened once and closed once")
    func live() throws {
        let upload = StateMachine<Upload>()
        let connection = Mutex<Connection?>(nil)
        upload.willExit(UploadingState.self) { uploading, _ in
            let live = Mirror(reflecting: uploading).descendant("connection") as? Connection
            connection.withLock { $0 = live }
        }
        try upload.fire.start(UploadingState())
        try upload.fire.progress { uploading in uploading.with(sent: 512) }  // the same connection
        try upload.fire.finish()
        #expect(upload.previousState is UploadingState)
        #expect((upload.previousState as? UploadingState)?.sent == 512)
        #expect(connection.withLock { $0?.events } == ["open", "close"])
        try expectArchives(UploadingState(sent: 3), except: ["connection"])
    }
}
