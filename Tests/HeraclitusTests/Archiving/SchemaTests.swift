import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("The format's schema") struct SchemaTests {
    private static let schema: JSONValue = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources/Heraclitus/Heraclitus.docc/archive.schema.json")
        do {
            return try JSONDecoder().decode(JSONValue.self, from: try Data(contentsOf: file))
        } catch {
            fatalError("\(error)")
        }
    }()

    private func problems(_ archive: Data) throws -> [String] {
        Schema(root: Self.schema).problems(try JSONDecoder().decode(JSONValue.self, from: archive))
    }

    @Test("Every golden archive conforms to the schema", arguments: GoldenTests.files)
    func golden(_ file: String) throws {
        #expect(try problems(Data(contentsOf: GoldenTests.folder.appendingPathComponent(file))) == [])
    }

    @Test("Current archives conform to the schema, with and without extras")
    func current() throws {
        let machine = StateMachine<Ticket>()
        #expect(try problems(machine.archive()) == [])
        #expect(try problems(machine.archive(includingDefinition: true, prettyPrinted: true)) == [])
        let table = try machine.archive(includingDefinition: true)
        let found = try JSONDecoder().decode(JSONValue.self, from: table)["definition"]
        #expect(found?["finals"] == ["Done"])
        #expect(try JSONDecoder().decode(TransitionTable.self, from: JSONEncoder().encode(found)) == Ticket.table)
    }

    final class PaidState: Composite {
        let bill: StateMachine<Parcel>
        var regions: [any Region] { [bill] }
        init(_ bill: StateMachine<Parcel> = StateMachine()) { self.bill = bill }
        func copied() -> PaidState { PaidState(bill.copy()) }
    }
    struct Payment: Workflow {
        static var initial: any WorkflowState { PaidState() }
        let end = Event(from: PaidState.self, to: DoneState.self).whenFinal(\.bill)
    }

    @Test("The schema names each key of a table, also of a state's holdings")
    func keys() throws {
        let archive = try StateMachine<Payment>().archive(includingDefinition: true)
        let written = try JSONDecoder().decode(JSONValue.self, from: archive)
        #expect(written["definition"]?["regions"]?.arrayValue?.count == 1)
        #expect(Schema(root: Self.schema, namesAllKeys: true).problems(written) == [])
        var later = written
        later["definition"]?["regions"]?[0]?["colour"] = "red"
        #expect(Schema(root: Self.schema, namesAllKeys: true).problems(later).count == 1)
        #expect(Schema(root: Self.schema).problems(later) == [])
    }

    @Test("A journal with all kinds of lines conforms to the schema")
    func journals() throws {
        let parcel = StateMachine<LaterParcel>()
        try parcel.fire.send(LaterParcel.ShippedState("a"), userInfo: ["by": "me"])
        try parcel.fire.track(LaterParcel.ShippedState("b"))
        try parcel.fire.bounce()
        try? parcel.fire[named: "fly"]()
        parcel.announce("late")
        try parcel.perform(action: "weigh", in: LaterParcel.ShippedState.self) { _ in }
        try? parcel.perform(action: "open", in: PackedState.self) { _ in }
        for _ in 1...3 { try parcel.fire.track(LaterParcel.ShippedState("b")) }
        let good = try JSONDecoder().decode(JSONValue.self, from: parcel.archive())
        let schema = Schema(root: Self.schema)
        #expect(schema.problems(good) == [] && good["journal"]?["lines"]?.arrayValue?.count == 8)
        let changes: [(inout JSONValue) -> Void] = [
            { $0["limit"] = 0 }, { $0["limit"] = nil }, { $0["lines"] = nil }, { $0["dropped"] = -1 },
            { $0["lines"]?[0]?["date"] = 7 }, { $0["lines"]?[0]?["source"] = nil },
            { $0["lines"]?[0]?["microseconds"] = "7" },
        ]
        for change in changes {
            var bad = good
            var journal = try #require(bad["journal"])
            change(&journal)
            bad["journal"] = journal
            #expect(!schema.problems(bad).isEmpty)
        }
    }

    @Test("A table with groups conforms to the schema")
    func groups() throws {
        let archive = try StateMachine<Playback>().archive(includingDefinition: true)
        #expect(try problems(archive) == [])
        var found = try JSONDecoder().decode(JSONValue.self, from: archive)
        #expect(found["definition"]?["groups"]?[0]?["name"] == "Running")
        found["definition"]?["groups"]?[0]?["states"] = nil
        #expect(!Schema(root: Self.schema).problems(found).isEmpty)
    }

    @Test("The archive of a stored machine with effects conforms to the schema")
    func effects() async throws {
        let store = InMemoryStore()
        try await store.workflow(Tolling.self).update("1") { machine in
            try machine.fire.toll(TollingState(1))
            try machine.fire.toll(TollingState(2))
        }
        let stored = try #require(await store.load("1"))
        #expect(try stored.effects != nil && problems(stored.archive) == [])
    }

    @Test("The schema rejects other data")
    func refusals() throws {
        let good = try JSONDecoder().decode(
            JSONValue.self,
            from: StateMachine<Ticket>().archive(includingDefinition: true)
        )
        let schema = Schema(root: Self.schema)
        #expect(schema.problems(good) == [])
        for key in ["activated", "data", "format", "revision", "state", "version", "workflow"] {
            var bad = good
            bad[key] = nil
            #expect(!schema.problems(bad).isEmpty, "\(key)")
        }
        let changes: [(String, JSONValue)] = [
            ("activated", 1), ("format", 2), ("revision", -1), ("revision", 9_007_199_254_740_993), ("revision", 1.5),
            ("state", " "), ("state", 1), ("version", 0), ("workflow", ""), ("definition", []),
            ("definition", ["workflow": "x"]),
        ]
        for (key, value) in changes {
            var bad = good
            bad[key] = value
            #expect(!schema.problems(bad).isEmpty, "\(key): \(value)")
        }
        var bad = good
        bad["definition"]?["events"]?[0]?["transitions"]?[0]?["isUpdate"] = "yes"
        #expect(!schema.problems(bad).isEmpty)
        #expect(!schema.problems("archive").isEmpty)
    }
}

/// The part of JSON Schema 2020-12 that the archive's schema uses.
///
/// An unknown keyword is a problem.
private struct Schema {
    let root: JSONValue

    /// Whether unnamed keys are a problem: they are in current archives, but readers accept them.
    var namesAllKeys = false

    func problems(_ value: JSONValue) -> [String] { problems(value, root, "") }

    private func problems(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        guard let keywords = schema.objectValue else { return ["\(path): no schema"] }
        return keywords.sorted { $0.key < $1.key }.flatMap { keyword, argument -> [String] in
            switch keyword {
            case "$schema", "$id", "$defs", "title", "description": return []
            case "$ref":
                let name = argument.stringValue?.split(separator: "/").last.map(String.init) ?? ""
                return problems(value, root["$defs"]?[name] ?? .null, path)
            case "type": return isOf(value, argument.stringValue) ? [] : ["\(path): no \(argument)"]
            case "const": return value == argument ? [] : ["\(path): not \(argument)"]
            case "minimum": return number(value) { $0 >= argument.doubleValue ?? .nan } ? [] : ["\(path): too small"]
            case "maximum": return number(value) { $0 <= argument.doubleValue ?? .nan } ? [] : ["\(path): too large"]
            case "pattern":
                guard let text = value.stringValue, let pattern = argument.stringValue else { return [] }
                return text.range(of: pattern, options: .regularExpression) != nil ? [] : ["\(path): no match"]
            case "required":
                guard let object = value.objectValue else { return [] }
                return (argument.arrayValue ?? []).compactMap(\.stringValue).filter { object[$0] == nil }
                    .map { "\(path).\($0): missing" }
            case "properties":
                let unnamed = (value.objectValue ?? [:]).map(\.key).filter { argument[$0] == nil }
                let named = (argument.objectValue ?? [:]).flatMap { key, schema -> [String] in
                    value[key].map { problems($0, schema, "\(path).\(key)") } ?? []
                }
                return namesAllKeys ? unnamed.map { "\(path).\($0): not named" } + named : named
            case "additionalProperties":
                return (value.objectValue ?? [:]).flatMap { problems($1, argument, "\(path).\($0)") }
            case "items":
                return (value.arrayValue ?? []).enumerated().flatMap { problems($1, argument, "\(path)[\($0)]") }
            default: return ["\(path): unknown keyword \(keyword)"]
            }
        }
    }

    private func number(_ value: JSONValue, _ isGood: (Double) -> Bool) -> Bool {
        // Whole numbers beyond 2⁵³ need an exact comparison, because Double rounds them.
        if case .integer(let integer) = value, integer > 1 << 53 { return isGood(Double.infinity) }
        return value.doubleValue.map(isGood) ?? true
    }

    private func isOf(_ value: JSONValue, _ type: String?) -> Bool {
        switch type {
        case "object": value.objectValue != nil
        case "array": value.arrayValue != nil
        case "string": value.stringValue != nil
        case "boolean": value.boolValue != nil
        case "integer": value.intValue != nil
        case "number": value.doubleValue != nil
        default: false
        }
    }
}
