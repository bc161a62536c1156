import Foundation
import Heraclitus
import Testing

@testable import Fixtures

/// Members of a state's data that another release has added.
@Suite("Unread data of a state") struct UnreadMembersTests {
    final class CartState: WorkflowState {
        static let name = "Cart"
        let items: Int
        init(_ items: Int) { self.items = items }
    }

    final class ShutState: EmptyState { static let name = "Shut" }

    struct Shop: Workflow {
        static let name = "Shop"
        static var initial: any WorkflowState { CartState(0) }
        let add = Event(updating: CartState.self)
        let again = Event(from: CartState.self, to: CartState.self)
        let close = Event(from: CartState.self, to: ShutState.self)
        let reopen = Event(from: ShutState.self, to: CartState.self)
    }

    private static let archive = Data(
        """
        {"activated":true,"data":{"coupon":{"code":"spring"},"items":1,"note":null},"format":1,"revision":3,"state":"Cart",\
        "version":1,"workflow":"Shop"}
        """.utf8
    )

    private static func data(_ archive: Data) throws -> JSONValue? { try JSONValue(json: archive)["data"] }

    @Test("An update of the state keeps unread members, in archives of any encoder and in copies")
    func kept() throws {
        let shop = try StateMachine<Shop>(archive: Self.archive)
        #expect(try Self.data(shop.archive()) == Self.data(Self.archive))
        try shop.fire.add(CartState(2))
        let expected: JSONValue = ["coupon": ["code": "spring"], "items": 2, "note": .null]
        #expect(try Self.data(shop.archive()) == expected)
        #expect(try Self.data(shop.copy().archive()) == expected)
        #expect(try Self.data(JSONEncoder().encode(shop)) == expected)
        let restored = try StateMachine<Shop>(archive: shop.archive())
        try restored.fire.add(CartState(3))
        #expect(try Self.data(restored.archive())?["coupon"] == ["code": "spring"])
    }

    final class WrappedState: WorkflowState {
        static let name = "Cart"
        struct Values: Codable { var items: Int }
        let values: Values
        init(_ items: Int) { values = Values(items: items) }
        init(from decoder: any Decoder) throws { values = try decoder.singleValueContainer().decode(Values.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(values)
        }
    }

    struct WrappedShop: Workflow {
        static let name = "Shop"
        static var initial: any WorkflowState { WrappedState(0) }
        let add = Event(updating: WrappedState.self)
    }

    @Test("A state that codes itself through a single value keeps unread members")
    func singleValue() throws {
        let shop = try StateMachine<WrappedShop>(archive: Self.archive)
        try shop.fire.add(WrappedState(2))
        #expect(try Self.data(shop.archive()) == ["coupon": ["code": "spring"], "items": 2, "note": .null])
        #expect(throws: ArchiveError.self) { try JSONEncoder().encode(shop) }
    }

    @Test("A transition out of the state drops unread members, also into another object of the class")
    func dropped() throws {
        let shop = try StateMachine<Shop>(archive: Self.archive)
        try shop.fire.again(CartState(2))
        #expect(try Self.data(shop.archive()) == ["items": 2])
        let other = try StateMachine<Shop>(archive: Self.archive)
        try other.fire.close()
        try other.fire.reopen(CartState(4))
        #expect(try Self.data(other.archive()) == ["items": 4])
    }

    final class HeldState: WorkflowState, Composite {
        let shop: StateMachine<Shop>
        init(_ shop: StateMachine<Shop>) { self.shop = shop }
        var regions: [any Region] { [shop] }
        func copied() -> HeldState { HeldState(shop.copy()) }
    }

    final class SentState: WorkflowState, Composite {
        let shop: StateMachine<Shop>
        init(_ shop: StateMachine<Shop>) { self.shop = shop }
        var regions: [any Region] { [shop] }
        func copied() -> SentState { SentState(shop.copy()) }
    }

    struct Order: Workflow {
        static var initial: HeldState.Type { HeldState.self }
        typealias AnyState = any WorkflowState
        let send = Event(from: HeldState.self, to: SentState.self)
    }

    @Test("A machine in a state keeps unread members when it goes on in its holder's next state")
    func carriedAlong() throws {
        let order = StateMachine<Order>(entering: HeldState(try StateMachine<Shop>(archive: Self.archive)))
        order.activate()
        try order.fire.send { SentState($0.shop) }
        let shop = try #require((order.state as? SentState)?.shop)
        #expect(try Self.data(shop.archive()) == Self.data(Self.archive))
        try shop.fire.again(CartState(2))
        #expect(try Self.data(shop.archive()) == ["items": 2])
    }

    @Test("An archive during a transition has the unread members of the committed state, and not of the next one")
    func duringTransition() throws {
        let shop = try StateMachine<Shop>(archive: Self.archive)
        let archives = Lock<[JSONValue?]>([])
        let note: @Sendable (StateTransition) -> Void = { transition in
            let archive = try? transition.machine(as: Shop.self)?.archive()
            let data = archive.flatMap { try? Self.data($0) }
            archives.withLock { $0.append(data) }
        }
        shop.willExit(CartState.self) { _, transition in note(transition) }
        shop.willEnter(CartState.self) { _, transition in note(transition) }
        shop.didExit(CartState.self) { _, transition in note(transition) }
        try shop.fire.again(CartState(2))
        let old = try Self.data(Self.archive)
        #expect(archives.withLock { $0 } == [old, old, ["items": 2]])
    }

    /// A state that reads all of its data at once.
    final class OpenState: WorkflowState {
        static let name = "Open"
        let values: JSONValue
        init(_ values: JSONValue) { self.values = values }
        init(from decoder: any Decoder) throws { values = try JSONValue(from: decoder) }
        func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
    }

    struct Open: Workflow {
        static let name = "Open"
        static var initial: OpenState { OpenState([:]) }
        let change = Event(updating: OpenState.self)
    }

    @Test("Members that an update removes from data read as a whole stay removed")
    func whole() throws {
        let first = StateMachine<Open>(resumingIn: OpenState(["a": 1, "b": 2]))
        let open = try StateMachine<Open>(archive: first.archive())
        try open.fire.change(OpenState(["a": 1]))
        #expect(try Self.data(open.archive()) == ["a": 1])
    }

    /// A dictionary in the place of the data, which reads all keys.
    final class DictionaryState: WorkflowState {
        static let name = "Dictionary"
        let values: [String: Int]
        init(_ values: [String: Int]) { self.values = values }
        init(from decoder: any Decoder) throws { values = try [String: Int](from: decoder) }
        func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
    }

    struct Counts: Workflow {
        static let name = "Counts"
        static var initial: DictionaryState { DictionaryState([:]) }
        let change = Event(updating: DictionaryState.self)
    }

    @Test("Members that an update removes from a dictionary stay removed")
    func dictionary() throws {
        let first = StateMachine<Counts>(resumingIn: DictionaryState(["a": 1, "b": 2]))
        let counts = try StateMachine<Counts>(archive: first.archive())
        try counts.fire.change(DictionaryState(["a": 1]))
        #expect(try Self.data(counts.archive()) == ["a": 1])
    }

    final class Node: Codable, Sendable {
        let next: Node?
        init(_ next: Node?) { self.next = next }
    }

    final class ListState: WorkflowState {
        let head: Node
        init(_ head: Node) { self.head = head }
    }

    struct Lists: Workflow {
        static var initial: any WorkflowState { ListState(Node(nil)) }
        let change = Event(updating: ListState.self)
    }

    @Test("Data that is nested deeply keeps its unread members, too")
    func deep() throws {
        let list = (0..<70).reduce(Node(nil)) { node, _ in Node(node) }
        let archive = String(decoding: try StateMachine<Lists>(resumingIn: ListState(list)).archive(), as: UTF8.self)
        let lists = try StateMachine<Lists>(
            archive: Data(archive.replacing(#""data":{"#, with: #""data":{"added":1,"#).utf8)
        )
        let written = String(decoding: try lists.archive(), as: UTF8.self)
        #expect(written.contains(#""added":1"#))
        #expect(written.replacing(#""added":1,"#, with: "").replacing(#","added":1"#, with: "") == archive)
    }
}
