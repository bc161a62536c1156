import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// Texts that the reader of archives accepts, rejects and preserves.
@Suite("Reading JSON") struct ReadingTests {
    @Test(
        "Any number of brackets is a typed error in every reader",
        arguments: ["[", #"{"a":"#, #"[{"b":"#]
    )
    func brackets(opening: String) async throws {
        for count in [1, 2, 63, 64, 65, 255, 256, 257, 510, 511, 512, 513, 514, 515, 1_024, 100_000] {
            let bytes = Data(String(repeating: opening, count: count).utf8)
            #expect(throws: ArchiveError.self) { try StateMachine<Ticket>(archive: bytes) }
            #expect(throws: ArchiveError.self) { try JSONValue(json: bytes) }
            let lines = AsyncStream { continuation in
                continuation.yield(bytes)
                continuation.finish()
            }
            for try await line in Archive.lines(of: Ticket.self, in: lines) {
                #expect(throws: ArchiveError.self) { try line.result.get() }
            }
        }
    }

    @Test("Brackets in the first line of a store's file are a typed error", arguments: [512, 513, 514])
    func header(count: Int) async throws {
        let place = try StorePlace("directory")
        let file = try #require(place.folder).appendingPathComponent("1.json")
        try Data((String(repeating: "[", count: count) + "\n{}\n").utf8).write(to: file)
        await #expect(throws: StoreError.self) { try await place.store.load("1") }
        await #expect(throws: StoreError.self) { try await place.store.delete("1", expecting: 1) }
        #expect(try await place.store.workflow(Ticket.self).ids() == [])
    }

    @Test(
        "Values nest as deep as Foundation reads them",
        arguments: [(512, true), (513, false)]
    )
    func depth(depth: Int, isRead: Bool) {
        let deep = String(repeating: "[", count: depth - 2) + String(repeating: "]", count: depth - 2)
        let archive =
            #"{"activated":true,"data":{"urls":[],"x":\#(deep)},"format":1,"revision":0,"state":"Queued","version":3,"#
            + #""workflow":"Ticket"}"#
        #expect(((try? StateMachine<Ticket>(archive: Data(archive.utf8))) != nil) == isRead)
    }

    @Test(
        "A number keeps its value and its sign in any form",
        arguments: [
            ("0", .integer(0)), ("-0", .number(-0.0)), ("-0.0", .number(-0.0)), ("0.0", .integer(0)), ("7", 7),
            ("-7", -7), ("1e2", 100), ("100e-2", 1), ("1.50", 1.5), ("0.1", 0.1), ("1e300", .number(1e300)),
            ("5e-324", .number(.leastNonzeroMagnitude)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .unsigned(1 << 63)),
            ("18446744073709551615", .unsigned(.max)), ("18446744073709551616", .decimal("18446744073709551616")),
            ("9007199254740993.0", .integer(9_007_199_254_740_993)),
            ("51679768515708984.8", .decimal("51679768515708984.8")), ("1e400", .decimal("1e400")),
            ("-1e-400", .decimal("-1e-400")),
            (
                "3.14159265358979323846264338327950288419716939937510",
                .decimal("3.1415926535897932384626433832795028841971693993751")
            ),
        ] as [(String, JSONValue)]
    )
    func numbers(text: String, value: JSONValue) throws {
        let read = try JSONValue(json: Data(text.utf8))
        #expect(read == value)
        #expect(read.doubleValue?.sign == value.doubleValue?.sign)
    }

    @Test(
        "Invalid JSON is rejected",
        arguments: [
            "01", "-", "1.", ".5", "+1", "1e", "1e+", "0x10", "NaN", "Infinity", "-Infinity", "nul", "truely", "'a'",
            "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "[1]]", "[}", "{]", "[1",
            "\"a", "\"\u{1}\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "1 2",
            "/**/1",
            "", " ", "\u{0}", "[1]\u{0}",
        ]
    )
    func refused(text: String) {
        let error = #expect(throws: ArchiveError.self) { try JSONValue(json: Data(text.utf8)) }
        guard case .notJSON = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("Bytes other than UTF-8 are rejected, and so are bytes over the limit")
    func bytes() {
        for bytes: [UInt8] in [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x5B, 0, 0x5D, 0], [0xFE, 0xFF, 0, 0x31],
        ] {
            #expect(throws: ArchiveError.self) { try JSONValue(json: Data(bytes)) }
        }
        guard
            case .tooLarge(3, limit: 2) = #expect(
                throws: ArchiveError.self,
                performing: { try JSONValue(json: Data("[1]".utf8), limit: 2) }
            )
        else {
            Issue.record("It was not too large.")
            return
        }
    }

    @Test(
        "Texts survive with or without escapes",
        arguments: [
            (#""""#, ""), (#""a\/b\\c\"d""#, "a/b\\c\"d"), (#""\b\f\n\r\t""#, "\u{8}\u{C}\n\r\t"),
            (#""\u00e9é""#, "éé"),
            (#""\ud83d\udc69👩""#, "👩👩"), (#""\u0000""#, "\0"), (#""\uFFFF""#, "\u{FFFF}"), (#""]}[{,:""#, "]}[{,:"),
        ]
    )
    func texts(json: String, text: String) throws {
        #expect(try JSONValue(json: Data(json.utf8)) == .string(text))
        #expect(try JSONValue(json: Data("{\(json):[\(json)]}".utf8)) == .object([text: [.string(text)]]))
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)) == .string(text))
    }

    @Test("Of two values for one key the first is read, as in Foundation")
    func duplicates() throws {
        let few = #"{"a":1,"b":2,"a":3,"a":4}"#
        let many = "{" + (0..<50).map { "\"k\($0)\":\($0)," }.joined() + #""a":1,"a":2}"#
        for json in [few, many] {
            let bytes = Data(json.utf8)
            #expect(try JSONValue(json: bytes)["a"] == 1)
            #expect(try JSONDecoder().decode([String: Int].self, from: bytes)["a"] == 1)
            #expect(try JSONValue(json: bytes).decoded(as: [String: Int].self)["a"] == 1)
        }
    }

    @Test(
        "A repeated key of an archive is an error with its name and place",
        arguments: [
            (#""revision":0,"revision":1"#, "revision"), (#""revision":0,"more":[{"k":1,"k":1}]"#, "more[0].k"),
        ]
    )
    func twice(members: String, path: String) {
        let archive =
            #"{"activated":true,"data":{"urls":[]},"format":1,\#(members),"state":"Queued","version":3,"workflow":"Ticket"}"#
        let error = #expect(throws: ArchiveError.self) { try StateMachine<Ticket>(archive: Data(archive.utf8)) }
        guard case .malformed(path, let explanation) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(explanation.contains("is there twice"))
    }

    // MARK: Like Foundation

    struct Everything: Codable, Equatable {
        var bool = true
        var text = "ü"
        var double = 0.1 + 0.2
        var float: Float = 0.1
        var small: Int8 = -128
        var large = UInt64.max
        var huge = Int128.max
        var date = Date(timeIntervalSinceReferenceDate: 5.25)
        var data = Data([1, 2, 255])
        var decimal = Decimal(string: "51679768515708984.8")!
        var url = URL(string: "https://example.org/a?b=c")!
        var id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
        var list: [Int?] = [1, nil, 3]
        var byText = ["a": [1.5], "b": []]
        var byNumber = [1: "a", -2: "b"]
        var byDate = [Date(timeIntervalSinceReferenceDate: 0): true]
        var some: Int? = 7
        var none: Int?
        var duration = Duration.milliseconds(1_500)
        var range = 1..<5
        var nested: [[[String]]] = [[["x"], []]]
        var choice = Choice.two(label: "l", 3)

        enum Choice: Codable, Equatable {
            case one
            case two(label: String, Int)
        }
    }

    final class FullState: WorkflowState {
        static var name: String { "Full" }
        let everything: Everything
        init(_ everything: Everything) { self.everything = everything }
    }

    struct Filling: Workflow {
        static var initial: any WorkflowState { FullState(Everything()) }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.state("Old", becomes: "Full", in: 2)] }
        let fill = Event(updating: FullState.self)
    }

    @Test("Every type reads like in Foundation, from an archive and through a migration")
    func everything() throws {
        let machine = StateMachine<Filling>()
        let archive = try machine.archive()
        let old = String(decoding: archive, as: UTF8.self).replacingOccurrences(of: "\"Full\"", with: "\"Old\"")
            .replacingOccurrences(of: "\"version\":2", with: "\"version\":1")
        for bytes in [archive, Data(old.utf8)] {
            let state = try #require(try StateMachine<Filling>(archive: bytes).state as? FullState)
            #expect(state.everything == Everything())
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .archived
        let plain = try decoder.decode(StateMachine<Filling>.self, from: archive)
        #expect((plain.state as? FullState)?.everything == Everything())
    }

    @Test(
        "A number reads as each type that it fits, as in Foundation",
        arguments: [
            "1", "1.0", "1e2", "-1", "1.5", "300", "1e400", "-0", "18446744073709551615", "true", "\"1\"", "null",
        ]
    )
    func fits(text: String) throws {
        func same<T: Codable & Equatable>(_ type: T.Type) throws {
            let ours = try? JSONValue(json: Data(text.utf8)).decoded(as: type)
            #expect(ours == (try? JSONDecoder().decode(type, from: Data(text.utf8))), "\(text) as \(type)")
        }
        try same(Int.self)
        try same(Int8.self)
        try same(UInt8.self)
        try same(UInt64.self)
        try same(Double.self)
        try same(Float.self)
        try same(Decimal.self)
        try same(Bool.self)
        try same(String.self)
        try same(Int?.self)
    }

    class Base: Codable {
        var base = 1
    }

    final class Derived: Base {
        var derived = 2
        override init() { super.init() }
        private enum Key: CodingKey { case derived, inner, list }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            derived = try container.decode(Int.self, forKey: .derived)
            let inner = try container.nestedContainer(keyedBy: Key.self, forKey: .inner)
            var list = try inner.nestedUnkeyedContainer(forKey: .list)
            #expect(list.count == 2 && list.currentIndex == 0)
            #expect(try !list.decodeNil())
            #expect(throws: DecodingError.self) { try list.decode(String.self) }
            #expect(try list.decode(Int.self) == 5)
            #expect(try list.decodeNil() && list.isAtEnd)
            #expect(throws: DecodingError.self) { try list.decode(Int.self) }
            try super.init(from: container.superDecoder())
        }
    }

    @Test("Nested containers, superclasses and lists read step by step like in Foundation")
    func containers() throws {
        let json = Data(#"{"derived":3,"super":{"base":4},"inner":{"list":[5,null]}}"#.utf8)
        for value in [
            try JSONDecoder().decode(Derived.self, from: json), try JSONValue(json: json).decoded(as: Derived.self),
        ] {
            #expect(value.base == 4 && value.derived == 3)
        }
    }

    // MARK: Time

    @Test(
        "Time grows with the bytes rather than with depth or nested machines",
        .timeLimit(.minutes(20)),
        arguments: ["deep lists", "lists of objects", "machines"]
    )
    func time(of shape: String) throws {
        let data: String
        switch shape {
        case "deep lists":
            let numbers = (0..<150_000).map(String.init).joined(separator: ",")
            data = String(repeating: "[", count: 55) + numbers + String(repeating: "]", count: 55)
        case "lists of objects": data = "[" + repeatElement("{}", count: 350_000).joined(separator: ",") + "]"
        default:
            data = (0..<14).reduce("{\"urls\":[\"\(String(repeating: "x", count: 40_000))\"]}") { inner, _ in
                #"{"url":"a","x":{"activated":true,"data":\#(inner),"format":1,"revision":0,"state":"Waiting","#
                    + #""version":1,"workflow":"Ticket"}}"#
            }
        }
        let archive =
            #"{"activated":true,"data":{"url":"a","x":\#(data)},"format":1,"revision":0,"state":"Waiting","version":1,"#
            + #""workflow":"Ticket"}"#
        let time = try threadTime { _ = try StateMachine<Ticket>(archive: Data(archive.utf8)) }
        #expect(time < .seconds(10))
    }
}
