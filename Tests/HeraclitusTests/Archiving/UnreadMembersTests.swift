import Foundation
import Heraclitus
import HeraclitusTesting
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

    /// A state that codes itself through a single value.
    final class WrappedState<Values: Codable & Sendable>: WorkflowState {
        static var name: String { "Cart" }
        let values: Values
        init(_ values: Values) { self.values = values }
        init(from decoder: any Decoder) throws { values = try decoder.singleValueContainer().decode(Values.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(values)
        }
    }

    struct WrappedShop<Values: Codable & Sendable>: Workflow {
        static var name: String { "Shop" }
        static var initial: WrappedState<Values>.Type { WrappedState<Values>.self }
        typealias AnyState = any WorkflowState
        let add = Event(updating: WrappedState<Values>.self)
    }

    struct Items: Codable { var items: Int }
    struct Remark: Codable { var remark: String? }

    @Test("A state that codes itself through an empty single value keeps unread members")
    func emptySingleValue() throws {
        let shop = try StateMachine<WrappedShop<Remark>>(archive: Self.archive)
        #expect(try Self.data(shop.archive()) == Self.data(Self.archive))
    }

    /// A state that writes nothing.
    final class SilentState: WorkflowState {
        static let name = "Cart"
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
    }

    struct SilentShop: Workflow {
        static let name = "Shop"
        static var initial: any WorkflowState { SilentState() }
        let add = Event(updating: SilentState.self)
    }

    @Test("A state that writes nothing keeps unread members, in archives of any encoder")
    func silent() throws {
        let shop = try StateMachine<SilentShop>(archive: Self.archive)
        #expect(try Self.data(shop.archive()) == Self.data(Self.archive))
        #expect(try Self.data(JSONEncoder().encode(shop)) == Self.data(Self.archive))
    }

    @Test("A state that codes itself through a single value keeps unread members")
    func singleValue() throws {
        let shop = try StateMachine<WrappedShop<Items>>(archive: Self.archive)
        try shop.fire.add(WrappedState(Items(items: 2)))
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

    final class WaitingState: WorkflowState {
        static let name = "Waiting"
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    struct Waiting: Workflow {
        static let name = "Wait"
        static var initial: any WorkflowState { WaitingState(0) }
        let count = Event(updating: WaitingState.self)
        let again = Event(from: WaitingState.self, to: WaitingState.self)
    }

    /// The next release, in which waiting has an end.
    struct WaitingUntil: Workflow {
        static let name = "Wait"
        static var initial: any WorkflowState { WaitingState(0) }
        let count = Event(updating: WaitingState.self)
        let again = Event(from: WaitingState.self, to: WaitingState.self)
        let lapse = Event(from: WaitingState.self, to: ShutState.self).due(after: .seconds(60))
    }

    @Test("A release without the deadline keeps the date from which the deadline of another release counts")
    func entry() throws {
        let clock = ManualClock()
        func at(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }
        let first = StateMachine<WaitingUntil>(resumingIn: WaitingState(1), since: at(5), scheduler: clock.scheduler)
        let old = try StateMachine<Waiting>(archive: first.archive())
        try old.fire.count(WaitingState(2))
        for archive in [try old.archive(), try old.copy().archive()] {
            #expect(try JSONValue(json: archive)["entered"] == "2001-01-01T00:00:05Z")
            let back = try StateMachine<WaitingUntil>(archive: archive, scheduler: clock.scheduler)
            back.activate()
            #expect(back.nextDeadline == at(65))
        }
        try old.fire.again(WaitingState(3))
        #expect(try JSONValue(json: old.archive())["entered"] == nil)
        // A state that is yet to be entered has no date of entry.
        let new = StateMachine<WaitingUntil>(scheduler: clock.scheduler)
        let entering = try StateMachine<Waiting>(archive: new.archive())
        entering.activate()
        #expect(try JSONValue(json: entering.archive())["entered"] == nil)
    }

    /// A state that looks at its keys before it reads them.
    final class LookingState: WorkflowState {
        static let name = "Cart"
        private enum CodingKeys: String, CodingKey { case items, count }
        let items: Int
        init(_ items: Int) { self.items = items }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // Earlier releases called it otherwise.
            items = try container.decode(Int.self, forKey: container.allKeys.contains(.count) ? .count : .items)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(items, forKey: .items)
        }
    }

    struct LookingShop: Workflow {
        static let name = "Shop"
        static var initial: any WorkflowState { LookingState(0) }
        let add = Event(updating: LookingState.self)
    }

    @Test("A state that asks which of its keys are there keeps the keys that it does not know")
    func allKeys() throws {
        let shop = try StateMachine<LookingShop>(archive: Self.archive)
        try shop.fire.add(LookingState(2))
        #expect(try Self.data(shop.archive()) == ["coupon": ["code": "spring"], "items": 2, "note": .null])
    }

    final class PausedState: WorkflowState {
        let before: StateArchive<Shop>
        let note: String
        init(_ before: StateArchive<Shop>, _ note: String) { (self.before, self.note) = (before, note) }
    }

    struct Pause: Workflow {
        static var initial: any WorkflowState { PausedState(StateArchive(CartState(0)), "") }
        let comment = Event(updating: PausedState.self)
    }

    @Test("The archive of a state within a state keeps unread members, too")
    func stateArchive() throws {
        let before =
            #"{"data":{"coupon":"spring","items":1},"format":1,"state":"Cart","version":1,"workflow":"Shop"}"#
        let first = String(decoding: try StateMachine<Pause>().archive(), as: UTF8.self)
        let start = try #require(first.range(of: #""before":{"#))
        let end = try #require(first.range(of: #","note":"#))
        let archive = first.replacingCharacters(in: start.lowerBound..<end.lowerBound, with: "\"before\":\(before)")
        let pause = try StateMachine<Pause>(archive: Data(archive.utf8))
        let state = try #require(pause.state as? PausedState)
        try pause.fire.comment(PausedState(state.before, "later"))
        let data = try Self.data(pause.archive())
        #expect(data?["note"] == "later")
        #expect(data?["before"]?["data"] == ["coupon": "spring", "items": 1])
    }

    final class RoomState<Inner: Workflow>: Composite {
        static var name: String { "Room" }
        let inner: StateMachine<Inner>
        var regions: [any Region] { [inner] }
        init(_ inner: StateMachine<Inner>) { self.inner = inner }
        func copied() -> RoomState { RoomState(inner.copy()) }
    }
    struct House<Inner: Workflow>: Workflow {
        static var name: String { "House" }
        static var initial: RoomState<Inner>.Type { RoomState<Inner>.self }
        typealias AnyState = any WorkflowState
        let paint = Event(updating: RoomState<Inner>.self)
    }

    @Test("A deadline that a release adds to a machine in a state counts by the scheduler of the restored machine")
    func addedToRegion() throws {
        let clock = ManualClock()
        let old = StateMachine<House<Waiting>>(entering: RoomState<Waiting>(StateMachine()), scheduler: clock.scheduler)
        old.activate()
        let archive = try old.archive()
        #expect(try Self.data(archive)?["inner"]?["entered"] == nil)
        clock.advance(by: .seconds(5))
        let new = try StateMachine<House<WaitingUntil>>(archive: archive, scheduler: clock.scheduler)
        new.activate()
        #expect(new.nextDeadline == Date(timeIntervalSinceReferenceDate: 65))
        clock.advance(by: .seconds(60))
        #expect((new.state as? RoomState<WaitingUntil>)?.inner.isIn(ShutState.self) == true)
    }

    /// A state with a machine outside `regions`.
    final class ShelfState: WorkflowState, Copying {
        let inner: StateMachine<WaitingUntil>
        init(_ inner: StateMachine<WaitingUntil>) { self.inner = inner }
        func copied() -> ShelfState { ShelfState(inner.copy()) }
    }
    struct Shelf: Workflow {
        static var initial: ShelfState.Type { ShelfState.self }
        typealias AnyState = any WorkflowState
        let paint = Event(updating: ShelfState.self)
    }

    @Test("A machine that a state keeps outside its regions is restored with the scheduler of the restored machine")
    func outsideRegions() throws {
        let clock = ManualClock()
        let inner = StateMachine<WaitingUntil>(scheduler: clock.scheduler)
        inner.activate()
        let shelf = StateMachine<Shelf>(entering: ShelfState(inner), scheduler: clock.scheduler)
        let restored = try StateMachine<Shelf>(archive: shelf.archive(), scheduler: clock.scheduler)
        let kept = try #require(restored.state as? ShelfState).inner
        kept.activate()
        #expect(kept.isIn(WaitingState.self))
        #expect(kept.now == clock.date)
        clock.advance(by: .seconds(60))
        #expect(kept.isIn(ShutState.self))
    }

    @Test("Unread members may lie as deep as typed data", arguments: [60, 100, 400])
    func deepUnread(levels: Int) throws {
        let value = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let archive = String(decoding: Self.archive, as: UTF8.self)
            .replacing(#""note":null"#, with: "\"note\":\(value)")
        let shop = try StateMachine<Shop>(archive: Data(archive.utf8))
        try shop.fire.add(CartState(2))
        #expect(String(decoding: try shop.archive(), as: UTF8.self).contains("\"note\":\(value)"))
    }
}
