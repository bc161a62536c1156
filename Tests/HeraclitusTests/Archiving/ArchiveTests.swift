import Foundation
import Heraclitus
import Testing

@testable import Fixtures

@Suite("Archives") struct ArchiveTests {
    // A state with properties of many types.
    final class FullState: WorkflowState, Equatable {
        struct Item: Codable, Equatable {
            var name: String
            var price: Decimal
        }
        let text: String
        let number: Double
        let date: Date
        let data: Data
        let items: [Item]
        let missing: String?
        init(date: Date = Date(timeIntervalSinceReferenceDate: 0), number: Double = 0.1) {
            text = "a/b \"c\" ü 👩‍👩‍👧"
            self.number = number
            self.date = date
            data = Data([0, 1, 255])
            items = [Item(name: "tea", price: Decimal(string: "10.05") ?? 0)]
            missing = nil
        }
        static func == (left: FullState, right: FullState) -> Bool {
            left.text == right.text && left.number == right.number && left.date == right.date
                && left.data == right.data && left.items == right.items && left.missing == right.missing
        }
    }
    final class EmptyOne: WorkflowState, EmptyState {}
    struct Full: Workflow {
        static var initial: any WorkflowState { EmptyOne() }
        static var version: Int { 3 }
        static var migrations: [Migration] { [.unchanged(in: 2), .unchanged(in: 3)] }
        let fill = Event(from: EmptyOne.self, to: FullState.self)
        let clear = Event(from: FullState.self, to: EmptyOne.self)
    }

    static func text(_ machine: StateMachine<some Workflow>) throws -> String {
        String(decoding: try machine.archive(), as: UTF8.self)
    }

    @Test("The envelope names format, workflow, version, activation, state, data and revision, in one order")
    func shape() throws {
        let machine = StateMachine<Full>()
        #expect(
            try Self.text(machine)
                == #"{"activated":false,"data":{},"format":1,"revision":0,"state":"EmptyOne","version":3,"workflow":"Full"}"#
        )
        try machine.fire.fill(FullState())
        #expect(
            try Self.text(machine)
                == #"{"activated":true,"data":{"data":"AAH/","date":"2001-01-01T00:00:00Z","items":[{"name":"tea","price":10.05}],"#
                + #""number":0.1,"text":"a/b \"c\" ü 👩‍👩‍👧"},"format":1,"revision":1,"state":"FullState","version":3,"#
                + #""workflow":"Full"}"#
        )
    }

    @Test("The revision stops at the largest number that every JSON reader represents exactly")
    func largestRevision() throws {
        let new = String(decoding: try StateMachine<Door>().archive(), as: UTF8.self)
        let old = new.replacingOccurrences(of: #""revision":0"#, with: #""revision":9007199254740991"#)
        let door = try StateMachine<Door>(archive: Data(old.utf8))
        try door.fire.open(OpenState())
        #expect(door.revision == 9_007_199_254_740_992)
        try door.fire.close()
        #expect(door.revision == 9_007_199_254_740_992)
        #expect(try StateMachine<Door>(archive: door.archive()).revision == 9_007_199_254_740_992)
    }

    @Test("A restored machine has its class, data and revision, and archives to the same bytes")
    func roundTrip() throws {
        let machine = StateMachine<Full>()
        let full = FullState(date: Date(timeIntervalSinceReferenceDate: 812_345_678.123_456_7))
        try machine.fire.fill(full)
        let archive = try machine.archive()
        let restored = try StateMachine<Full>(archive: archive)
        #expect(restored.state as? FullState == full)
        #expect(restored.revision == 1)
        #expect(restored.previousState == nil)
        #expect(!restored.isActive)
        #expect(try restored.archive() == archive)
        try restored.fire.clear()
        #expect(restored.revision == 2)
        #expect(machine.revision == 1)
    }

    @Test(
        "Dates keep their nanoseconds",
        arguments: [
            0, 0.5, 1e-7, 1.2e-5, 0.1, -0.25, -0.1, -0.49, 1e-9, -1e-9, -0.7, -1, -63_114_076_800, -63_113_904_000,
            252_423_993_599.5,
            812_345_678.123_456_7, -1.000_000_001,
            99_999.999_999_9,
            Date().timeIntervalSinceReferenceDate,
        ]
    )
    func dates(_ seconds: Double) throws {
        let machine = StateMachine<Full>(resumingIn: FullState(date: Date(timeIntervalSinceReferenceDate: seconds)))
        let restored = try StateMachine<Full>(archive: machine.archive())
        #expect((restored.state as? FullState)?.date.timeIntervalSinceReferenceDate == seconds)
    }

    @Test("A pretty-printed archive has several lines, and is read like any other")
    func prettyPrinted() throws {
        let machine = StateMachine<Full>()
        try machine.fire.fill(FullState())
        let pretty = try machine.archive(prettyPrinted: true)
        let text = String(decoding: pretty, as: UTF8.self)
        #expect(text.hasPrefix("{\n  \"activated\" : true,\n  \"data\" : {\n"))
        let restored = try StateMachine<Full>(archive: pretty)
        #expect(try restored.archive(prettyPrinted: true) == pretty)
        #expect(try restored.archive() == machine.archive())
    }

    @Test("The definition may lie beside the machine, and reading ignores it")
    func definition() throws {
        let machine = StateMachine<Full>()
        let archive = try machine.archive(includingDefinition: true)
        let text = String(decoding: archive, as: UTF8.self)
        #expect(text.contains(#""definition":{"actions":[],"declaredFinals":[],"events":[{"fromAnyState":[],"#))
        #expect(try StateMachine<Full>(archive: archive).archive() == machine.archive())
        #expect(try machine.archive(includingDefinition: true) == archive)
    }

    @Test("Members of an archive may have any order and escaped keys, and further members are ignored")
    func members() throws {
        let archive = #"""
            {"workflow":"Full", "new":{"state":"FullState"}, "st\u0061te":"EmptyOne", "\u0066ormat":1, "left":null,
             "revision":7, "entered":null, "data":{}, "version":3, "journal":null, "activated":true}
            """#
        let machine = try StateMachine<Full>(archive: Data(archive.utf8))
        #expect(machine.stateName == "EmptyOne")
        #expect(machine.revision == 7)
        #expect(
            try Self.text(machine)
                == #"{"activated":true,"data":{},"format":1,"revision":7,"state":"EmptyOne","version":3,"workflow":"Full"}"#
        )
        for member in [#""format":1"#, #""state":"EmptyOne""#, #""revision":7"#, #""activated":true"#] {
            let key = member.split(separator: "\"")[0]
            let without = try Self.text(machine).replacing("\(member),", with: "")
            let error = #expect(throws: ArchiveError.self) { try StateMachine<Full>(archive: Data(without.utf8)) }
            #expect(error.map { "\($0)".contains("the key \"\(key)\" is missing") } == true)
            let null = try Self.text(machine).replacing(member, with: "\"\(key)\":null")
            #expect(throws: ArchiveError.self) { try StateMachine<Full>(archive: Data(null.utf8)) }
        }
    }

    /// A state whose data is the archive of another state, with a note beside it or without.
    final class WrappingState: WorkflowState {
        enum Key: CodingKey { case note }
        let inner: StateArchive<Full>
        let note: String?

        init(_ inner: any WorkflowState, note: String?) { (self.inner, self.note) = (StateArchive(inner), note) }

        init(from decoder: any Decoder) throws {
            inner = try StateArchive(from: decoder)
            note = try decoder.container(keyedBy: Key.self).decodeIfPresent(String.self, forKey: .note)
        }

        func encode(to encoder: any Encoder) throws {
            if note == nil {
                var container = encoder.singleValueContainer()
                return try container.encode(inner)
            }
            if inner.state is EmptyOne {
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeIfPresent(note, forKey: .note)
            }
            try inner.encode(to: encoder)
            if inner.state is FullState {
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeIfPresent(note, forKey: .note)
            }
        }
    }
    struct Wrapping: Workflow {
        static var initial: any WorkflowState { EmptyOne() }
        let wrap = Event(from: EmptyOne.self, to: WrappingState.self)
    }

    @Test("An object may have the archive of a state and members of its own, before it or after it")
    func flat() throws {
        for (inner, note) in [
            (EmptyOne() as any WorkflowState, nil), (EmptyOne(), "before"), (FullState(), "after"), (FullState(), nil),
        ] {
            let machine = StateMachine<Wrapping>()
            try machine.fire.wrap(WrappingState(inner, note: note))
            let archive = try machine.archive()
            let restored = try StateMachine<Wrapping>(archive: archive)
            #expect((restored.state as? WrappingState)?.note == note)
            #expect(try restored.archive() == archive)
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .archived
            #expect(try JSONValue(json: encoder.encode(machine)) == JSONValue(json: archive))
        }
    }

    @Test("An archive over the limit, the caller's or 64 MiB, is rejected before it is read")
    func limit() throws {
        let archive = try StateMachine<Full>().archive()
        _ = try StateMachine<Full>(archive: archive, limit: archive.count)
        let error = #expect(throws: ArchiveError.self) {
            try StateMachine<Full>(archive: archive, limit: archive.count - 1)
        }
        guard case .tooLarge(archive.count, limit: archive.count - 1) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let huge = Data(repeating: UInt8(ascii: " "), count: (64 << 20) + 1)
        let refused = #expect(throws: ArchiveError.self) { try StateMachine<Full>(archive: huge) }
        guard case .tooLarge(huge.count, limit: 67_108_864) = refused else {
            Issue.record("\(String(describing: refused))")
            return
        }
    }

    @Test("A date in the last second before the reference date changes by at most a nanosecond")
    func lastSecond() throws {
        for _ in 0..<500 {
            let seconds = -Double.random(in: 0...1) * pow(10, -Double.random(in: 0...300).rounded())
            var info: UserInfo = ["date": Date(timeIntervalSinceReferenceDate: seconds)]
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .archived
            let decoded = try JSONDecoder().decode(UserInfo.self, from: encoder.encode(info))
            let date = try #require(decoded["date", as: Date.self])
            #expect(abs(date.timeIntervalSinceReferenceDate - seconds) <= 0.5e-9)
            info["date"] = date
            #expect(try JSONDecoder().decode(UserInfo.self, from: encoder.encode(info))["date", as: Date.self] == date)
        }
        let machine = StateMachine<Full>(resumingIn: FullState(date: Date(timeIntervalSinceReferenceDate: -1e-9)))
        #expect(try Self.text(machine).contains("\"date\":\"2000-12-31T23:59:59.999999999Z\""))
    }

    private static func date(_ text: String) throws -> Double {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .archived
        return try decoder.decode([Date].self, from: Data("[\"\(text)\"]".utf8))[0].timeIntervalSinceReferenceDate
    }

    @Test(
        "A date with trailing text or an invalid part is malformed",
        arguments: [
            "2001-01-01T12:00:00Zgarbage", "2001-01-01T12:00:00.5Z trailing", "2001-01-01T12:00:00.5.5Z",
            "2001-01-01T12:00:00.Z", "2001-01-01T12:00:00", "2001-01-01T12:00:00.5", "2001-01-01T12:00:00+02:00x",
            "2001-02-31T12:00:00Z", "2001-02-29T12:00:00Z", "2001-02-29T12:00:00+02:00", "2001-13-01T12:00:00Z",
            "2001-01-01T24:00:00Z", "2001-01-01T25:00:00Z", "2001-01-01T12:60:00Z", "2001-01-01T12:00:60Z",
            "2001-01-01T12:00:00+02:60", "2001-01-01T12:00:00+0299", "2001-01-01T12:00:00+02:00:99",
            "2001-1-1T12:00:00Z",
            "99999-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00",
            "2001-01-01T12:00:00\u{301}Z", "2001-01-01T12:00:00Z\u{301}", "2001-01-01", "", "é",
        ]
    )
    func brokenDates(text: String) {
        #expect(throws: DecodingError.self) { try Self.date(text) }
        let archive =
            #"{"activated":true,"data":{"due":"\#(text)","urls":[]},"format":1,"revision":0,"#
            + #""state":"Queued","version":3,"workflow":"Ticket"}"#
        #expect(throws: ArchiveError.self) { try StateMachine<Ticket>(archive: Data(archive.utf8)) }
    }

    @Test("A date may have any zone, and any year that can be written")
    func zones() throws {
        for (zone, hours) in [
            ("Z", 0), ("z", 0), ("UTC", 0), ("GMT", 0), ("+02:00", -2), ("+0200", -2), ("+02", -2), ("-02:30", 2.5),
            ("GMT+2", -2), ("+2:00", -2),
        ] {
            #expect(try Self.date("2001-01-01T12:00:00\(zone)") == (12 + hours) * 3_600)
            #expect(try Self.date("2001-01-01T12:00:00.25\(zone)") == (12 + hours) * 3_600 + 0.25)
        }
        #expect(try Self.date("0001-01-01T00:00:00Z") == Date.distantPast.timeIntervalSinceReferenceDate)
        #expect(try Self.date("9999-12-31T23:59:59.5Z") == 252_423_993_599.5)
        #expect(try Self.date("2004-02-29T00:00:00Z") == 99_705_600)
    }

    @Test("A value that JSON lacks is a typed error that names the state", arguments: [Double.nan, .infinity])
    func unwritable(_ number: Double) {
        let machine = StateMachine<Full>(resumingIn: FullState(number: number))
        do throws(ArchiveError) {
            _ = try machine.archive()
            Issue.record("must throw")
        } catch {
            guard case .unwritableState("FullState", _) = error else {
                Issue.record(error)
                return
            }
            #expect("\(error)".contains("number"))
        }
        let late = StateMachine<Full>(resumingIn: FullState(date: .distantFuture.addingTimeInterval(1e12)))
        #expect(throws: ArchiveError.self) { try late.archive() }
        // Foundation's description of this date stops the program.
        let never = StateMachine<Full>(resumingIn: FullState(date: Date(timeIntervalSinceReferenceDate: .nan)))
        let error = #expect(throws: ArchiveError.self) { try never.archive() }
        #expect(error?.description.contains("a date nan s after 2001-01-01 at data.date: ISO 8601") == true)
        #expect(String(reflecting: error).contains("a date nan s"))
    }

    @Test("An ordinary coder reads and writes machines, alone and within other values")
    func plainCoders() throws {
        struct Shop: Codable {
            var name: String
            var downloads: [StateMachine<Download>]
            var full: StateMachine<Full>
        }
        let shop = Shop(
            name: "corner",
            downloads: [StateMachine(), StateMachine(resumingIn: CompletedState(byteCount: 7))],
            full: StateMachine(resumingIn: FullState())
        )
        for coded in [
            try JSONDecoder().decode(Shop.self, from: JSONEncoder().encode(shop)),
            try PropertyListDecoder().decode(Shop.self, from: PropertyListEncoder().encode(shop)),
        ] {
            #expect(coded.name == "corner")
            #expect(coded.downloads.count == 2)
            #expect(coded.downloads[0].state is IdleState)
            #expect((coded.downloads[1].state as? CompletedState)?.byteCount == 7)
            #expect(coded.full.state as? FullState == shop.full.state as? FullState)
        }
        let archive = try StateMachine<Download>(resumingIn: CompletedState(byteCount: 7)).archive()
        let plain = try JSONDecoder().decode(StateMachine<Download>.self, from: archive)
        #expect((plain.state as? CompletedState)?.byteCount == 7)
    }

    @Test("Restoring runs no guard, hook or observer; activating tells the state once")
    func restoring() throws {
        let machine = StateMachine<Heard>(entering: AState())
        try machine.fire.go(BState())
        let restored = try StateMachine<Heard>(archive: machine.archive())
        let journal = try #require(restored.state as? BState).journal
        #expect(journal.entries.isEmpty)
        restored.activate()
        restored.activate()
        #expect(journal.entries == ["B.didRestore"])
        let again = try StateMachine<Heard>(archive: restored.archive())
        #expect(!again.isActive)
    }

    @Test("A machine archived before its activation enters its initial state later")
    func notActivated() throws {
        let restored = try StateMachine<Heard>(archive: StateMachine<Heard>().archive())
        let journal = try #require(restored.state as? AState).journal
        restored.activate()
        #expect(journal.entries == ["A.willEnter", "A.didEnter"])
        // A restored machine that is still inactive is archived unchanged.
        let twice = try StateMachine<Heard>(
            archive: StateMachine<Heard>(archive: StateMachine<Heard>().archive()).archive()
        )
        twice.activate()
        #expect((twice.state as? AState)?.journal.entries == ["A.willEnter", "A.didEnter"])
    }

    @Test("Events are coded by name, and a decoded event equals the workflow's event and has its closures")
    func events() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.encode(Download.events.load), as: UTF8.self)
                == #"{"from":["IdleState","FailureState"],"name":"load","to":["LoadingState"]}"#
        )
        #expect(
            String(decoding: try encoder.encode(Forms.events.ionize), as: UTF8.self)
                == #"{"from":null,"name":"ionize","to":["PlasmaState"]}"#
        )
        let event = try JSONDecoder().decode(Heard.Event<AState, BState>.self, from: encoder.encode(Heard.events.go))
        #expect(event == Heard.events.go)
        #expect(event.hashValue == Heard.events.go.hashValue)
        #expect(event.name == "go")
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(journal)
        #expect(machine.can[named: event.name])
        try machine.fire[event](BState(journal))
        #expect(journal.entries.contains("go.guard2"))

        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Heard.Event<AState, BState>.self, from: Data(#"{"name":"gone"}"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Heard.Event<AState, BState>.self, from: Data(#"{"name":"back"}"#.utf8))
        }
        #expect(throws: EncodingError.self) { try encoder.encode(Heard().go) }
        #expect(Heard().go != Heard.events.go)
    }

    @Test("A table survives an archive")
    func table() throws {
        let data = try JSONEncoder().encode(Forms.table)
        #expect(try JSONDecoder().decode(TransitionTable.self, from: data) == Forms.table)
    }
}
