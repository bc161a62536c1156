import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Journals in archives") struct JournalArchiveTests {
    private static func text(_ machine: StateMachine<some Workflow>) throws -> String {
        String(decoding: try machine.archive(), as: UTF8.self)
            .replacing(#/"microseconds":\d+/#, with: #""microseconds":0"#)
            .replacing(#/"series":\d+/#, with: #""series":0"#)
    }

    /// A parcel with a journal that has dropped a line.
    private static func parcel(_ clock: ManualClock = ManualClock()) throws -> StateMachine<SilentParcel> {
        let parcel = StateMachine<SilentParcel>(journal: 3, scheduler: clock.scheduler)
        try parcel.fire.send(SentState("a"))
        try parcel.fire.track(SentState("b"), userInfo: ["by": "me", "grams": 250])
        #expect(throws: InvalidTransition.self) { try parcel.fire[named: "fly"]() }
        try parcel.fire.lose()
        return parcel
    }

    final class ArmedState: EmptyState {}
    final class BurntState: EmptyState {}

    struct Fuse: Workflow {
        static var initial: any WorkflowState { ArmedState() }
        let burn = Event(from: ArmedState.self, to: BurntState.self).due { _ in Date.distantPast - 60 }
    }

    @Test("A deadline before all dates has the first date in its line, so that the line can be archived")
    func earlyDeadline() throws {
        let fuse = StateMachine<Fuse>(journal: 3)
        fuse.activate()
        #expect(fuse.journal.last?.cause == .due(.distantPast))
        #expect(try StateMachine<Fuse>(archive: fuse.archive()).journal.last?.cause == .due(.distantPast))
    }

    @Test("A journal's JSON has exactly these keys, and reads back as the same bytes")
    func shape() throws {
        let parcel = try Self.parcel()
        let date = try #require(parcel.journal.first).date
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .archived
        let written = String(decoding: try encoder.encode(date), as: UTF8.self)
        #expect(
            try Self.text(parcel).replacing(written, with: "DATE")
                == #"{"activated":true,"data":{},"format":1,"journal":{"began":DATE,"dropped":1,"limit":3,"lines":["#
                + #"{"date":DATE,"destination":"Sent","event":"track","isUpdate":true,"kind":"transitioned","microseconds":0,"revision":2,"source":"Sent","userInfo":{"by":"me","grams":250}},"#
                + #"{"date":DATE,"event":"fly","kind":"rejected","message":"Parcel cannot fire \"fly\" in Sent: the workflow has no such event. Its events are \"send\", \"lose\", \"track\", \"bounce\".","reason":"unknownEvent","revision":2,"source":"Sent"},"#
                + #"{"date":DATE,"destination":"Lost","event":"lose","kind":"transitioned","microseconds":0,"revision":3,"source":"Sent"}"#
                + #"],"series":0},"revision":3,"state":"Lost","version":1,"workflow":"Parcel"}"#
        )
        let archive = try parcel.archive()
        let restored = try StateMachine<SilentParcel>(archive: archive)
        #expect(try restored.archive() == archive)
        #expect(restored.journal.table == parcel.journal.table)
        #expect(restored.journal.map(\.message) == parcel.journal.map(\.message))
        #expect(restored.journal.allSatisfy { $0.workflow == "Parcel" })
        let plain = try JSONDecoder().decode(StateMachine<SilentParcel>.self, from: JSONEncoder().encode(parcel))
        #expect(plain.journal.map(\.date) == parcel.journal.map(\.date))
    }

    @Test("A restored machine continues its journal")
    func goingOn() throws {
        var parcel = StateMachine<Parcel>()
        for round in 1...6 {
            parcel = try StateMachine(archive: parcel.archive())
            try round.isMultiple(of: 2) ? parcel.fire.bounce() : parcel.fire.send(SentState("\(round)"))
            #expect(parcel.journal.map(\.revision) == Array(max(1, round - 4)...round))
            #expect(parcel.journal.first?.line == max(1, round - 4))
        }
    }

    @Test("A workflow's limit replaces the limit of the archive, in both directions")
    func limits() throws {
        let long = StateMachine<SilentParcel>(journal: 50)
        for _ in 1...10 {
            try long.fire.send(SentState("a"))
            try long.fire.bounce()
        }
        let short = try StateMachine<Parcel>(archive: long.archive())
        #expect(short.journal.map(\.revision) == [16, 17, 18, 19, 20] && short.journal.first?.line == 16)
        try short.fire.send(SentState("a"))
        #expect(short.journal.map(\.revision) == [17, 18, 19, 20, 21] && short.journal.first?.line == 17)
        let without = try StateMachine<Parcel>(archive: StateMachine<SilentParcel>().archive())
        try without.fire.send(SentState("a"))
        #expect(without.journal.count == 1)
    }

    @Test("Lines written in an older version keep their names and their version")
    func migration() throws {
        let old = StateMachine<Parcel>()
        try old.fire.send(SentState("a"))
        let later = try StateMachine<LaterParcel>(archive: old.archive())
        try later.fire.lose()
        let again = try StateMachine<LaterParcel>(archive: later.archive())
        #expect(again.journal.map(\.source) == ["Packed", "Shipped"])
        #expect(again.journal.map(\.destination) == ["Sent", "Lost"])
        #expect(again.journal.map(\.version) == [1, 2])
        #expect(again.journal.misfits(by: TransitionValidator<LaterParcel>()).isEmpty)
    }

    @Test("A user info value that cannot be written leaves the machine archivable")
    func unwritable() throws {
        struct Stubborn: Codable, Sendable, CustomStringConvertible {
            var description: String { "a mule" }
            init() {}
            init(from decoder: any Decoder) throws { throw Objection() }
            func encode(to encoder: any Encoder) throws { throw Objection() }
        }
        let parcel = StateMachine<Parcel>()
        try parcel.fire.send(SentState("a"), userInfo: ["animal": Stubborn(), "weight": Double.nan, "by": "me"])
        let restored = try StateMachine<Parcel>(archive: parcel.archive())
        let userInfo = try #require(restored.journal.first).userInfo
        #expect(userInfo["animal", as: String.self] == "a mule" && userInfo["by", as: String.self] == "me")
        #expect(userInfo["weight", as: String.self] == "nan")
    }

    /// A value with nested values.
    struct Nest: Codable, Sendable, CustomStringConvertible {
        let inner: [Nest]
        var description: String { "a nest" }
        init(levels: Int) { inner = levels == 0 ? [] : [Nest(levels: levels - 1)] }
    }

    @Test("A value that no reader accepts leaves the machine archivable: a NaN Decimal, or deep nesting")
    func unreadable() throws {
        let parcel = StateMachine<Parcel>()
        try parcel.fire.send(
            SentState("a"),
            userInfo: [
                "price": Decimal.nan, "deep": Nest(levels: 100), "flat": Nest(levels: 20), "none": Decimal?.none,
                "amount": Decimal(string: "12345678901234567890.123456789") ?? 0,
            ]
        )
        let encoded = try JSONDecoder().decode(StateMachine<Parcel>.self, from: JSONEncoder().encode(parcel))
        for machine in [try StateMachine<Parcel>(archive: parcel.archive()), encoded] {
            let userInfo = try #require(machine.journal.first).userInfo
            #expect(userInfo["price", as: String.self] == "NaN" && userInfo["deep", as: String.self] == "a nest")
            #expect(userInfo["flat", as: Nest.self]?.inner.count == 1 && userInfo["none"] as? JSONValue == .null)
            #expect("\(userInfo)".contains("amount: 12345678901234567890.123456789"))
        }
    }

    /// Values that can be read but cannot be written, or only with less depth.
    static let foreign: [JSONValue] = [
        [12.5, 1e30, infinity],
        ["order": "42", "amounts": [12.5, infinity]],
        .array([JSONValue](repeating: [1, 2, [infinity]], count: 3)),
        (0..<64).reduce(1) { value, _ in [2, value] },
        (0..<60).reduce(1) { value, _ in ["a": [2, 3], "b": value] },
        infinity,
    ]
    private static let infinity: JSONValue = .decimal("1e400")

    @Test("A foreign value that cannot be written leaves its neighbours unchanged", arguments: foreign.indices)
    func neighbours(index: Int) throws {
        let parcel = StateMachine<Parcel>()
        try parcel.fire.send(
            SentState("a"),
            userInfo: ["a": [1, 2], "body": Self.foreign[index], "by": ["name": "Ada"], "c": [3, 4]]
        )
        try parcel.fire.bounce(userInfo: ["by": ["name": "Bob"], "list": [1, 2]])
        let encoded = try JSONDecoder().decode(StateMachine<Parcel>.self, from: JSONEncoder().encode(parcel))
        let archived = try StateMachine<Parcel>(archive: parcel.archive())
        // An archive has every number that is read. Deep values, and values that other encoders cannot write, are
        // described.
        let isDeep = [3, 4].contains(index)
        let body = archived.journal[0].userInfo["body"] as? JSONValue
        #expect(isDeep ? body?.stringValue != nil : body == Self.foreign[index])
        #expect(encoded.journal[0].userInfo["body", as: String.self] != nil)
        for machine in [archived, encoded] {
            let (first, second) = (machine.journal[0].userInfo, machine.journal[1].userInfo)
            #expect(first["a", as: [Int].self] == [1, 2] && first["c", as: [Int].self] == [3, 4])
            #expect(first["by"] as? JSONValue == ["name": "Ada"])
            #expect(second["by"] as? JSONValue == ["name": "Bob"] && second["list", as: [Int].self] == [1, 2])
        }
    }

    @Test("A foreign value with thousands of levels is described")
    func bottomless() throws {
        let value = (0..<5_000).reduce(JSONValue.null) { value, _ in .array([value]) }
        let parcel = StateMachine<Parcel>()
        try parcel.fire.send(SentState("a"), userInfo: ["deep": value, "by": "me"])
        let restored = try StateMachine<Parcel>(archive: parcel.archive())
        let userInfo = try #require(restored.journal.first).userInfo
        #expect(userInfo["by", as: String.self] == "me")
        #expect(userInfo["deep", as: String.self]?.contains("…") == true)
    }

    @Test("Nested values are written with as many levels as are read", arguments: 50...64)
    func levels(count: Int) throws {
        let value = (0..<count).reduce(JSONValue.null) { value, _ in [value] }
        struct Listed: Codable, Sendable { let value: JSONValue }
        for given: any Codable & Sendable in [value, Listed(value: value), [value]] {
            let parcel = StateMachine<Parcel>()
            try parcel.fire.send(SentState("a"), userInfo: ["value": given])
            let archive = try parcel.archive()
            let restored = try StateMachine<Parcel>(archive: archive)
            #expect(try restored.archive() == archive)
        }
    }

    @Test("The members of a value are printed and described in the order of their keys")
    func members() throws {
        let parcel = StateMachine<Parcel>()
        let names = ["a", "b", "c", "d", "e", "f", "g"]
        let numbers = Dictionary(uniqueKeysWithValues: zip(names, 1...))
        let values = Dictionary(uniqueKeysWithValues: zip(names, [Double.nan, 1, 2, 3, 4, 5, 6]))
        try parcel.fire.send(
            SentState("a"),
            userInfo: ["list": [numbers], "numbers": numbers, "texts": ["b": ["x"], "a": []], "values": values]
        )
        let inOrder = #"["a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7]"#
        let described = #"["a": nan, "b": 1.0, "c": 2.0, "d": 3.0, "e": 4.0, "f": 5.0, "g": 6.0]"#
        let words = #"[list: [\#(inOrder)], numbers: \#(inOrder), texts: ["a": [], "b": ["x"]], values: \#(described)]"#
        #expect(parcel.journal.table.hasSuffix(words))
        let restored = try StateMachine<Parcel>(archive: parcel.archive())
        #expect(restored.journal.table.hasSuffix(words))
    }

    @Test("An invalid date of a user info, which Foundation cannot describe, is archived")
    func noDate() throws {
        let parcel = StateMachine<Parcel>()
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        try parcel.fire.send(SentState("a"), userInfo: ["by": never])
        #expect(parcel.journal.table.contains("[by: a date nan s after 2001-01-01]"))
        let restored = try StateMachine<Parcel>(archive: parcel.archive())
        #expect(restored.journal.first?.userInfo["by", as: String.self] == "a date nan s after 2001-01-01")
    }

    @Test("A journal without a limit is readable", arguments: [Int.max, Int.max - 1])
    func endless(limit: Int) throws {
        let parcel = StateMachine<SilentParcel>(journal: limit)
        try parcel.fire.send(SentState("a"))
        let restored = try StateMachine<SilentParcel>(archive: parcel.archive())
        try restored.fire.lose()
        #expect(restored.journal.map(\.revision) == [1, 2])
    }

    @Test(
        "An invalid journal is an error with its place",
        arguments: [
            (#"[]"#, ".journal"), (#"{}"#, ".journal"), (#"{"limit":0,"lines":[]}"#, ".journal.limit"),
            (#"{"limit":3,"dropped":-1,"lines":[]}"#, ".journal.dropped"),
            (#"{"limit":3,"dropped":9223372036854775807,"lines":[]}"#, ".journal.dropped"),
            (#"{"limit":3,"lines":[{}]}"#, ".journal.lines[0]"),
            (
                #"{"limit":3,"lines":[{"kind":"danced","date":"2026-01-01T00:00:00Z","revision":1,"source":"A"}]}"#,
                "kind"
            ),
        ]
    )
    func broken(journal: String, place: String) throws {
        let archive =
            #"{"activated":true,"data":{},"format":1,"journal":\#(journal),"revision":0,"state":"Packed","version":1,"workflow":"Parcel"}"#
        let error = #expect(throws: ArchiveError.self) { try StateMachine<Parcel>(archive: Data(archive.utf8)) }
        guard case .malformed(let path, _) = try #require(error) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(path.contains(place.split(separator: ".").last ?? ""), "\(path)")
    }

    @Test("Lines with extreme numbers and names are read, printed, drawn and replayed")
    func wild() throws {
        let line =
            #"{"kind":"transitioned","date":"9999-12-31T23:59:59Z","revision":-9223372036854775808,"source":"a\n:;#\"b","event":"","microseconds":-9223372036854775808,"version":-7}"#
        let lines = Array(repeating: line, count: 3).joined(separator: ",")
        let archive =
            #"{"activated":true,"data":{},"format":1,"journal":{"limit":9007199254740992,"dropped":9007199254740992,"lines":[\#(lines)]},"revision":0,"state":"Packed","version":1,"workflow":"Parcel"}"#
        let machine = try StateMachine<SilentParcel>(archive: Data(archive.utf8))
        #expect(machine.journal.count == 3)
        #expect(machine.journal.table.split(separator: "\n").count == 4)
        #expect(machine.journal.misfits(by: TransitionValidator<SilentParcel>()).count == 3)
        #expect(machine.journal.mermaidGantt().contains("section") && machine.journal.mermaidSequence().contains("s0"))
        try machine.fire.send(SentState("a"))
        #expect(try StateMachine<SilentParcel>(archive: machine.archive()).journal.count == 4)
        // With no line number left for a further dropped line.
        let short = archive.replacing(#""limit":9007199254740992"#, with: #""limit":2"#)
        let full = try StateMachine<SilentParcel>(archive: Data(short.utf8))
        try full.fire.send(SentState("a"))
        let restored = try StateMachine<SilentParcel>(archive: full.archive()).journal
        #expect(restored.map(\.source) == ["a\n:;#\"b", "Packed"] && restored.first?.line == 9_007_199_254_740_993)
    }

    struct Message: Codable, Sendable {
        let sender: StateMachine<Door>
    }

    @Test("A machine that its own journal mentions is archived, and released with its last reference")
    func ownMachine() throws {
        weak var gone: StateMachine<Door>?
        weak var state: OpenState?
        do {
            let machine = StateMachine<Door>(journal: 3)
            gone = machine
            let open = OpenState()
            state = open
            try machine.fire.open(open, userInfo: ["sender": machine, "state": open])
            #expect(machine.journal.first?.userInfo["sender", as: String.self] == "Door in ClosedState, revision 0")
            #expect(throws: InvalidTransition.self) {
                try machine.fire.open(OpenState(), userInfo: ["sender": machine])
            }
            try machine.fire.close()
            #expect(try StateMachine<Door>(archive: machine.archive()).journal.count == 3)
        }
        #expect(gone == nil)
        #expect(state == nil)
    }

    @Test("A machine within a value of its own journal is archived there without the journal")
    func ownMachineWithin() throws {
        let machine = StateMachine<Door>(journal: 3)
        try machine.fire.open(OpenState(7), userInfo: ["message": Message(sender: machine)])
        let restored = try StateMachine<Door>(archive: machine.archive())
        let message = try #require(restored.journal.first?.userInfo["message", as: Message.self])
        #expect((message.sender.state as? OpenState)?.angle == 7)
        #expect(message.sender.journal.isEmpty)
    }

    @Test("A date that cannot be written again is rejected when it is read", arguments: ["1e300", "1e12", "-1e11"])
    func unwritableDate(number: String) throws {
        let machine = StateMachine<Door>(journal: 3)
        try machine.fire.smash()
        let archive = try Self.text(machine).replacing(#/"date":"[^"]*"/#, with: #""date":\#(number)"#)
        #expect(throws: ArchiveError.self) { try StateMachine<Door>(archive: Data(archive.utf8)) }
    }
}
