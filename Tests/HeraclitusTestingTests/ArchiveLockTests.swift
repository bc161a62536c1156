import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("The archive lock") struct ArchiveLockTests {
    // MARK: An order, whose cart changes

    protocol CartKind: WorkflowState {
        static func sample() -> Self
        static var orderVersion: Int { get }
        static var orderMigrations: [Migration] { get }
    }

    enum Kind: String, Codable { case plain, fancy }
    enum OtherKind: String, Codable { case simple, fancy }

    final class Cart: CartKind {
        static var name: String { "cart" }
        let items: [String]
        let note: String
        let gift: Bool?
        let kind: Kind
        init(gift: Bool? = nil) { (items, note, self.gift, kind) = (["a"], "n", gift, .plain) }
        static func sample() -> Cart { Cart() }
    }
    final class Basket: CartKind {
        static var name: String { "basket" }
        let items: [String]
        let note: String
        let gift: Bool?
        let kind: Kind
        init() { (items, note, gift, kind) = (["a"], "n", nil, .plain) }
        static func sample() -> Basket { Basket() }
    }
    final class OtherKey: CartKind {
        static var name: String { "cart" }
        let items: [String]
        let remark: String
        let gift: Bool?
        let kind: Kind
        init() { (items, remark, gift, kind) = (["a"], "n", nil, .plain) }
        static func sample() -> OtherKey { OtherKey() }
    }
    final class LessKey: CartKind {
        static var name: String { "cart" }
        let items: [String]
        let gift: Bool?
        let kind: Kind
        init() { (items, gift, kind) = (["a"], nil, .plain) }
        static func sample() -> LessKey { LessKey() }
    }
    final class MoreKey: CartKind {
        static var name: String { "cart" }
        let items: [String]
        let note: String
        let gift: Bool?
        let kind: Kind
        let count: Int
        init() { (items, note, gift, kind, count) = (["a"], "n", nil, .plain, 1) }
        static func sample() -> MoreKey { MoreKey() }
    }
    final class Required: CartKind {
        static var name: String { "cart" }
        let items: [String]
        let note: String
        let gift: Bool
        let kind: Kind
        init() { (items, note, gift, kind) = (["a"], "n", true, .plain) }
        static func sample() -> Required { Required() }
    }
    final class OtherType: CartKind {
        static var name: String { "cart" }
        let items: [String]
        let note: Int
        let gift: Bool?
        let kind: Kind
        init() { (items, note, gift, kind) = (["a"], 1, nil, .plain) }
        static func sample() -> OtherType { OtherType() }
    }
    final class OtherCase: CartKind {
        static var name: String { "cart" }
        let items: [String]
        let note: String
        let gift: Bool?
        let kind: OtherKind
        init() { (items, note, gift, kind) = (["a"], "n", nil, .simple) }
        static func sample() -> OtherCase { OtherCase() }
    }
    struct Item: Codable { let name: String }
    final class OtherItems: CartKind {
        static var name: String { "cart" }
        let items: [Item]
        let note: String
        let gift: Bool?
        let kind: Kind
        init() { (items, note, gift, kind) = ([Item(name: "a")], "n", nil, .plain) }
        static func sample() -> OtherItems { OtherItems() }
    }
    /// The migration that the lock prints for `OtherKey`.
    final class Migrated: CartKind {
        static var name: String { "cart" }
        let items: [String]
        let remark: String
        let gift: Bool?
        let kind: Kind
        init() { (items, remark, gift, kind) = (["a"], "n", nil, .plain) }
        static func sample() -> Migrated { Migrated() }
        static var orderVersion: Int { 2 }
        static var orderMigrations: [Migration] {
            [
                .step("note becomes remark", in: 2, of: "cart") { archive in
                    archive.data["remark"] = archive.data["note"]
                    archive.data["note"] = nil
                }
            ]
        }
    }
    final class Careless: CartKind {
        static var name: String { "cart" }
        let items: [String]
        let remark: String
        let gift: Bool?
        let kind: Kind
        init() { (items, remark, gift, kind) = (["a"], "n", nil, .plain) }
        static func sample() -> Careless { Careless() }
        static var orderVersion: Int { 2 }
        static var orderMigrations: [Migration] { [.step("no", in: 2) { _ in throw Refused() }] }
    }
    struct Refused: Error {}

    final class PaidState: WorkflowState {
        static var name: String { "paid" }
        let total: Int
        init(total: Int) { self.total = total }
    }
    final class DoneState: WorkflowState, EmptyState { static var name: String { "done" } }

    struct Order<C: CartKind>: Workflow {
        static var name: String { "Order" }
        static var version: Int { C.orderVersion }
        static var migrations: [Migration] { C.orderMigrations }
        static var initial: any WorkflowState { C.sample() }
        let pay = Event(from: C.self, to: PaidState.self)
        let finish = Event(from: PaidState.self, to: DoneState.self)
    }
    struct Renamed: Workflow {
        static var name: String { "Purchase" }
        static var initial: any WorkflowState { Cart() }
        let pay = Event(from: Cart.self, to: PaidState.self)
        let finish = Event(from: PaidState.self, to: DoneState.self)
    }
    struct WithoutPaid: Workflow {
        static var name: String { "Order" }
        static var initial: any WorkflowState { Cart() }
        let pay = Event(from: Cart.self, to: DoneState.self)
        let finish = Event(updating: DoneState.self)
    }
    struct OtherEvent: Workflow {
        static var name: String { "Order" }
        static var initial: any WorkflowState { Cart() }
        let settle = Event(from: Cart.self, to: PaidState.self)
        let finish = Event(from: PaidState.self, to: DoneState.self)
    }
    struct MoreStates: Workflow {
        static var name: String { "Order" }
        static var initial: any WorkflowState { Cart() }
        let pay = Event(from: Cart.self, to: PaidState.self)
        let finish = Event(from: PaidState.self, to: DoneState.self)
        let lose = Event(from: Cart.self, to: LostState.self)
    }
    final class LostState: WorkflowState, EmptyState { static var name: String { "lost" } }

    // MARK: A machine within a state

    protocol Tone: Sendable { static var value: String { get } }
    enum Low: Tone { static var value: String { "low" } }
    enum Deep: Tone { static var value: String { "deep" } }
    final class ToneState<T: Tone>: WorkflowState, EmptyState { static var name: String { T.value } }
    struct Bell<T: Tone>: Workflow {
        static var name: String { "Bell" }
        static var initial: any WorkflowState { ToneState<T>() }
        let ring = Event(updating: ToneState<T>.self)
    }
    final class House<T: Tone>: Copying {
        static var name: String { "house" }
        let bell: StateMachine<Bell<T>>
        init() { bell = StateMachine() }
        func copied() -> House { House() }
    }
    struct Street<T: Tone>: Workflow {
        static var name: String { "Street" }
        static var initial: any WorkflowState { House<T>() }
        let paint = Event(updating: House<T>.self)
    }

    // MARK: -

    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func check<C: CartKind>(_: C.Type, in folder: URL, recording: Bool = false) throws {
        let samples: [Sample<Order<C>>] = [.state(C.sample()), .state(PaidState(total: 1))]
        try expectCompatible(Order<C>.self, samples: samples, in: folder, recording: recording)
    }

    /// The breaks if the cart of the order becomes another one.
    private func breaks<C: CartKind>(_: C.Type) throws -> [String] {
        var found: IncompatibleArchives?
        try inFolder { folder in
            try check(Cart.self, in: folder, recording: true)
            found = #expect(throws: IncompatibleArchives.self) { try check(C.self, in: folder) }
        }
        #expect(found?.breaks.count == 1 && found?.breaks.first?.version == 1)
        return found?.breaks.map(\.remedy) ?? []
    }

    private func breaks<W: Workflow>(
        _: W.Type,
        _ samples: [Sample<W>]
    ) throws -> [IncompatibleArchives.Break] {
        var found: IncompatibleArchives?
        try inFolder { folder in
            try check(Cart.self, in: folder, recording: true)
            found = #expect(throws: IncompatibleArchives.self) {
                try expectCompatible(W.self, samples: samples, in: folder)
            }
        }
        return found?.breaks ?? []
    }

    @Test("A version is recorded once, and an unchanged workflow passes")
    func recording() throws {
        try inFolder { folder in
            let first = #expect(throws: ArchiveLockNotRecorded.self) { try check(Cart.self, in: folder) }
            #expect(first?.isWritten == true && first?.states == ["cart", "done", "paid"])
            try check(Cart.self, in: folder)
            let file = folder.appendingPathComponent("version-1.json")
            let before = try Data(contentsOf: file)
            try check(Cart.self, in: folder, recording: true)
            #expect(try Data(contentsOf: file) == before)
            let lock = try JSONDecoder().decode(JSONValue.self, from: before)
            #expect(lock["states"]?["cart"]?["items[]"] == ["string"] && lock["events"] == ["pay", "finish"])
            #expect(lock["archives"]?[0]?["data"]?["note"] == "n")
        }
    }

    @Test("An added state breaks nothing, and has to be recorded")
    func added() throws {
        try inFolder { folder in
            try check(Cart.self, in: folder, recording: true)
            let samples: [Sample<MoreStates>] = [.state(Cart()), .state(PaidState(total: 1))]
            let error = #expect(throws: ArchiveLockNotRecorded.self) {
                try expectCompatible(MoreStates.self, samples: samples, in: folder)
            }
            #expect(error?.states == ["lost"] && error?.isWritten == false)
            try expectCompatible(MoreStates.self, samples: samples, in: folder, recording: true)
            try expectCompatible(MoreStates.self, samples: samples, in: folder)
        }
    }

    @Test("For a renamed state, the lock has the step that renames it")
    func renamedState() throws {
        #expect(
            try breaks(Basket.self) == [
                "static var version: Int { 2 }  // in `migrations`:\n.state(\"cart\", becomes: \"basket\", in: 2),"
            ]
        )
    }

    @Test("For a renamed key, the lock has a step, too")
    func renamedKey() throws {
        #expect(
            try breaks(OtherKey.self) == [
                """
                static var version: Int { 2 }  // in `migrations`:
                .step("note becomes remark in cart", in: 2, of: "cart") { archive in
                    archive.data["remark"] = archive.data["note"]
                    archive.data["note"] = nil
                },
                """
            ]
        )
    }

    @Test("The lock's step repairs the break, and the next version is recorded beside the first")
    func mended() throws {
        try inFolder { folder in
            try check(Cart.self, in: folder, recording: true)
            #expect(throws: ArchiveLockNotRecorded.self) { try check(Migrated.self, in: folder) }
            try check(Migrated.self, in: folder)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
            let lowered = #expect(throws: IncompatibleArchives.self) { try check(OtherKey.self, in: folder) }
            #expect(lowered?.breaks.map(\.remedy).contains("static var version: Int { 2 }  // or a later one") == true)
        }
    }

    @Test("A key that is no longer read would be lost, and recording does not hide that")
    func lostKey() throws {
        let remedy = try #require(try breaks(LessKey.self).first)
        #expect(remedy.contains("    archive.data[\"note\"] = nil\n"))
        try inFolder { folder in
            try check(Cart.self, in: folder, recording: true)
            #expect(throws: IncompatibleArchives.self) { try check(LessKey.self, in: folder, recording: true) }
        }
    }

    @Test("A step adds a key that was never stored")
    func addedKey() throws {
        #expect(
            try #require(try breaks(MoreKey.self).first).contains(
                "    if archive.data[\"count\"] == nil { archive.data[\"count\"] = 0 }\n"
            )
        )
        #expect(
            try #require(try breaks(Required.self).first).contains(
                "    if archive.data[\"gift\"] == nil { archive.data[\"gift\"] = false }\n"
            )
        )
    }

    @Test("A step converts values of another type, or of removed cases")
    func otherValues() throws {
        #expect(
            try #require(try breaks(OtherType.self).first)
                .contains("    archive.data[\"note\"] = …  // from the string that it was\n")
        )
        #expect(try #require(try breaks(OtherCase.self).first).contains("    archive.data[\"kind\"] = …\n"))
        #expect(try #require(try breaks(OtherItems.self).first).contains("items[]"))
    }

    @Test("A step removes a missing state whose keys no other state has")
    func removedState() throws {
        let found = try breaks(WithoutPaid.self, [.state(Cart())])
        #expect(found.map(\.explanation) == ["The state paid is gone."])
        #expect(found.first?.remedy.contains(".state(\"paid\", becomes: \"cart\", in: 2)") == true)
    }

    @Test("A renamed workflow or event gets its old name back")
    func names() throws {
        let samples: [Sample<Renamed>] = [.state(Cart()), .state(PaidState(total: 1))]
        #expect(try breaks(Renamed.self, samples).map(\.remedy) == ["static var name: String { \"Order\" }"])
        let events = try breaks(OtherEvent.self, [.state(Cart()), .state(PaidState(total: 1))])
        #expect(events.map(\.explanation) == ["The event \"pay\" is gone. Archived events and occurrences name it."])
    }

    @Test("A migration that throws is named")
    func failing() throws {
        try inFolder { folder in
            try check(Cart.self, in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try check(Careless.self, in: folder) }
            #expect(error?.breaks.contains { $0.explanation.contains("\"no\"") && $0.state == "cart" } == true)
            #expect(error?.description.contains("\nVersion 1, cart: ") == true)
        }
    }

    @Test("A change of an inner machine is found at its place")
    func inner() throws {
        try inFolder { folder in
            try expectCompatible(Street<Low>.self, samples: [.state(House<Low>())], in: folder, recording: true)
            try expectCompatible(Street<Low>.self, samples: [.state(House<Low>())], in: folder)
            let error = #expect(throws: IncompatibleArchives.self) {
                try expectCompatible(Street<Deep>.self, samples: [.state(House<Deep>())], in: folder)
            }
            let explanations = error?.breaks.map(\.explanation)
            #expect(explanations == ["\"bell.state\": The state low of Bell is gone. deep has the same keys."])
            let step = ".state(\"low\", becomes: \"deep\", in: 2),"
            #expect(error?.breaks.first?.remedy.hasPrefix("// In the workflow Bell:\n") == true)
            #expect(error?.breaks.first?.remedy.hasSuffix(step) == true)
        }
    }

    @Test("The error of an invalid lock file names the file")
    func damaged() throws {
        try inFolder { folder in
            try check(Cart.self, in: folder, recording: true)
            for text in ["{", "{}"] {
                try Data(text.utf8).write(to: folder.appendingPathComponent("version-1.json"))
                let error = #expect(throws: ArchiveError.self) { try check(Cart.self, in: folder) }
                #expect(error?.description.contains("version-1.json") == true)
            }
        }
    }
}

extension ArchiveLockTests.CartKind {
    static var orderVersion: Int { 1 }
    static var orderMigrations: [Migration] { [] }
}
