import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("Names of generic types") struct GenericNameTests {
    enum Sales {
        struct Item: Codable, Sendable {}
        struct Doc: Codable, Sendable {}
    }
    enum Purchases {
        struct Item: Codable, Sendable {}
        struct Doc: Codable, Sendable {}
    }
    enum `Odd place` { struct `a<b`: Codable, Sendable {} }

    final class Loaded<Content: Codable & Sendable>: EmptyState {
        final class Inner: EmptyState {}
    }
    final class DoneState: EmptyState {}
    struct Note<Content: Codable & Sendable>: Effect { var text = "" }
    final class NotedState<Content: Codable & Sendable>: EmptyState, Effecting {
        var effects: [any Effect] { [Note<Content>(text: "noted")] }
    }

    struct Approval<Doc: Codable & Sendable>: Workflow {
        static var initial: any WorkflowState { Loaded<Doc>() }
        static var effects: [any Effect.Type] { [Note<Doc>.self] }
        let note = Event(from: Loaded<Doc>.self, to: NotedState<Doc>.self)
        let finish = Event(from: Loaded<Doc>.self, NotedState<Doc>.self, to: DoneState.self)
    }

    /// A workflow with two states of one generic class.
    struct Trade: Workflow {
        static var initial: any WorkflowState { Loaded<Sales.Item>() }
        let turn = Event(from: Loaded<Sales.Item>.self, to: Loaded<Purchases.Item>.self)
    }

    private static let here = "HeraclitusTests.GenericNameTests"

    @Test("A generic type's name has its arguments in full, and any other type has only its own name")
    func names() {
        struct Local: Codable, Sendable {}
        let here = Self.here
        #expect(Loaded<Sales.Item>.name == "Loaded<\(here).Sales.Item>")
        #expect(Loaded<Purchases.Item>.name == "Loaded<\(here).Purchases.Item>")
        #expect(Approval<Sales.Doc>.name == "Approval<\(here).Sales.Doc>")
        #expect(Note<[Sales.Doc?]>.name == "Note<Array<Optional<\(here).Sales.Doc>>>")
        #expect(Loaded<Sales.Item>.Inner.name == "Loaded<\(here).Sales.Item>.Inner")
        #expect(Loaded<Loaded<Sales.Item>>.name == "Loaded<\(here).Loaded<\(here).Sales.Item>>")
        #expect(Loaded<`Odd place`.`a<b`>.name == "Loaded<\(here).Odd place.a<b>")
        #expect(Loaded<Local>.name == "Loaded<\(here).Local>")
        #expect(DoneState.name == "DoneState" && Trade.name == "Trade")
    }

    @Test("Types of the system and of the library have the same names on every platform, without a module")
    func common() {
        #expect(Loaded<Int>.name == "Loaded<Int>")
        #expect(Loaded<Date>.name == "Loaded<Date>")
        #expect(Loaded<[String: Decimal]>.name == "Loaded<Dictionary<String, Decimal>>")
        #expect(Loaded<JSONValue>.name == "Loaded<JSONValue>")
        #expect(Loaded<Duration.UnitsFormatStyle>.name == "Loaded<Duration.UnitsFormatStyle>")
    }

    @Test("Two states of one generic class are two states of a workflow")
    func together() throws {
        #expect(Trade.diagnostics == [])
        let machine = StateMachine<Trade>()
        try machine.fire.turn()
        #expect(try StateMachine<Trade>(archive: machine.archive()).state is Loaded<Purchases.Item>)
    }

    @Test("A workflow rejects the archive of the same generic workflow with other arguments")
    func strangers() throws {
        let archive = try StateMachine<Approval<Sales.Doc>>().archive()
        #expect {
            try StateMachine<Approval<Purchases.Doc>>(archive: archive)
        } throws: { error in
            guard case ArchiveError.wrongWorkflow = error else { return false }
            return true
        }
    }

    // MARK: Names of earlier versions

    /// An archive as earlier versions wrote it.
    private func old(_ archive: Data) throws -> Data {
        let text = String(decoding: archive, as: UTF8.self)
        let old = text.replacing("<\(Self.here).Sales.", with: "<").replacing("<\(Self.here).Purchases.", with: "<")
        try #require(old != text)
        return Data(old.utf8)
    }

    @Test("An archive with default names of earlier versions is read, and written with current ones")
    func formerNames() throws {
        let machine = StateMachine<Approval<Sales.Doc>>(journal: 3)
        try machine.fire.note()
        let restored = try StateMachine<Approval<Sales.Doc>>(archive: old(machine.archive()))
        #expect(restored.state is NotedState<Sales.Doc> && restored.revision == 1)
        #expect(restored.journal.first?.workflow == Approval<Sales.Doc>.name)
        #expect(restored.journal.misfits(by: TransitionValidator<Approval<Sales.Doc>>()).isEmpty)
        let written = String(decoding: try restored.archive(), as: UTF8.self)
        #expect(written.contains(Approval<Sales.Doc>.name) && written.contains(NotedState<Sales.Doc>.name))
    }

    @Test("A former name shared by several states is unknown")
    func ambiguous() throws {
        let archive = try old(StateMachine<Trade>().archive())
        #expect {
            try StateMachine<Trade>(archive: archive)
        } throws: { error in
            guard case ArchiveError.unknownState("Loaded<Item>", _, path: "state") = error else { return false }
            return true
        }
    }

    struct Migrated: Workflow {
        static var name: String { "Migrated" }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.state("Fetched", becomes: "Loaded<Item>", in: 2)] }
        static var initial: any WorkflowState { Loaded<Sales.Item>() }
        let end = Event(from: Loaded<Sales.Item>.self, to: DoneState.self)
    }

    @Test("A migration may lead to the former default name of a state")
    func migration() throws {
        #expect(Migrated.diagnostics == [])
        let archive = """
            {"activated":true,"data":{},"format":1,"revision":0,"state":"Fetched","version":1,"workflow":"Migrated"}
            """
        #expect(try StateMachine<Migrated>(archive: Data(archive.utf8)).state is Loaded<Sales.Item>)
    }

    @Test("A store finds, upgrades and delivers machines under names of earlier versions")
    func store() async throws {
        typealias Sold = Approval<Sales.Doc>
        let store = InMemoryStore()
        for id in ["a", "b", "c"] {
            try await store.workflow(Sold.self).update(id) { try $0.fire.note() }
        }
        for id in ["a", "c"] {
            let archive = try #require(await store.load(id))
            let row = archive.with(
                archive: String(decoding: try old(archive.archive), as: UTF8.self),
                state: "NotedState<Doc>",
                version: .some(nil),
                workflow: "Approval<Doc>"
            )
            let effects = try archive.effects.map {
                WaitingEffects(content: try old($0.content), next: "Note<Doc>", date: $0.date, worker: nil)
            }
            try await store.save([.save(row, effects: (archive.effects, effects))])
        }
        #expect(try await store.workflow(Sold.self).ids() == ["a", "b", "c"])
        #expect(try await store.workflow(Sold.self).ids(in: [NotedState<Sales.Doc>.self]) == ["a", "b", "c"])
        #expect(try await store.workflow(Sold.self).ids(in: [DoneState.self]) == [])
        #expect(try await store.workflow(Sold.self).rehearseMigration().count == 3)
        let upgrade = try await store.workflow(Sold.self).upgrade(batch: 2)
        #expect(upgrade.lastID == "c" && upgrade.failures.isEmpty)
        #expect(try await store.workflow(Sold.self).effects().map(\.key.id).sorted() == ["a", "b", "c"])
        let notes = EffectHandlers().on(Note<Sales.Doc>.self) { _, _ in }
        #expect(try await store.workflow(Sold.self).deliver(to: notes).count == 3)
        try await store.workflow(Sold.self).update("a") { try $0.fire.finish() }
        #expect(await store.load("a")?.workflow == Sold.name)
    }
}
