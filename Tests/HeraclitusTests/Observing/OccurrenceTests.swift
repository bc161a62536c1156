import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Occurrences") struct OccurrenceTests {
    /// A gate that ignores a second shutting.
    struct Gate: Workflow {
        static var initial: any DoorState { ClosedState() }

        let open = Event(from: ClosedState.self, to: OpenState.self)
        let swing = Event(updating: OpenState.self)
        let shut = Event(from: OpenState.self, to: ClosedState.self).ignored(in: ClosedState.self)
            .guarded { open, _, _ in if open.angle > 90 { throw Objection(text: "stuck") } }
    }

    private static func happen(to gate: StateMachine<Gate>) {
        try? gate.fire.shut(userInfo: ["by": "me"])
        try? gate.fire.open(OpenState(30), userInfo: ["by": "wind"])
        try? gate.fire.swing(OpenState(120))
        try? gate.fire.shut(userInfo: ["by": "me"])
        try? gate.fire[named: "shout"]()
        try? gate.perform(action: "paint", in: OpenState.self, userInfo: ["colour": "red"]) { _ in }
        try? gate.perform(action: "knock", in: ClosedState.self) { _ in }
        gate.announce("windy", userInfo: ["speed": 9])
    }

    private static func heard() -> [Occurrence] {
        let heard = Lock<[Occurrence]>([])
        let gate = StateMachine<Gate>()
        gate.observe { occurrence in heard.withLock { $0.append(occurrence) } }
        happen(to: gate)
        return heard.withLock { $0 }
    }

    private static let lines = [
        "ignored 0 shut ClosedState", "transitioned 1 open ClosedState → OpenState",
        "transitioned 2 swing OpenState → OpenState update", "rejected 2 shut OpenState → ClosedState declined",
        "rejected 2 shout OpenState unknownEvent", "performed 2 paint OpenState",
        "refused 2 knock OpenState notAllowed",
        "announced 2 windy OpenState",
    ]

    private static func line(_ occurrence: Occurrence) -> String {
        let name = occurrence.event ?? occurrence.action ?? occurrence.announcement ?? "nothing"
        let destination = occurrence.destination.map { " → \($0)" } ?? ""
        let reason = occurrence.reason.map { " \($0)" } ?? ""
        let update = occurrence.isUpdate ? " update" : ""
        return "\(occurrence.kind) \(occurrence.revision) \(name) \(occurrence.source)\(destination)\(reason)\(update)"
    }

    @Test("A machine's clock dates its occurrences, also without deadlines")
    func clock() throws {
        let clock = ManualClock()
        let door = StateMachine<Door>(scheduler: clock.scheduler)
        let dates = Lock<[Date]>([])
        door.observe { occurrence in dates.withLock { $0.append(occurrence.date) } }
        clock.advance(by: .seconds(60))
        try door.fire.open(OpenState())
        #expect(dates.withLock { $0 } == [clock.date])
    }

    @Test("Each occurrence has everything for an audit log, including ignored fires")
    func contents() throws {
        let before = Date()
        let heard = Self.heard()
        #expect(heard.map(Self.line) == Self.lines)
        #expect(heard.allSatisfy { $0.workflow == "Gate" && ($0.error ?? $0.state) != nil })
        let dates = [before] + heard.map(\.date) + [Date()]
        #expect(dates == dates.sorted())
        #expect(heard.map(\.userInfo.keys) == [["by"], ["by"], [], ["by"], [], ["colour"], [], ["speed"]])
        #expect(heard[0].kind == .ignored && heard[0].level == .debug)
        #expect(heard[0].event == "shut" && heard[0].state is ClosedState)
        #expect(heard[0].userInfo["by", as: String.self] == "me")
    }

    @Test("Occurrences survive an archive, with the same texts and without the objects")
    func coding() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .archived
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .archived
        let heard = Self.heard()
        let read = try decoder.decode([Occurrence].self, from: encoder.encode(heard))
        #expect(read.map(Self.line) == Self.lines)
        #expect(read.map(\.message) == heard.map(\.message) && read.map(\.date) == heard.map(\.date))
        #expect(read.allSatisfy { $0.transition == nil && $0.error == nil && $0.state == nil && $0.workflow == "Gate" })
        #expect(read[7].userInfo["speed", as: Int.self] == 9)
        // A log has equal texts for decoded occurrences.
        #expect(read.map { "\($0.level) \($0)" } == heard.map { "\($0.level) \($0)" })
        let again = try decoder.decode([Occurrence].self, from: encoder.encode(read))
        #expect(again.map(\.message) == heard.map(\.message))
    }

    @Test("An occurrence's JSON has exactly these keys")
    func shape() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { _, encoder in
            var container = encoder.singleValueContainer()
            try container.encode("then")
        }
        let heard = Self.heard()
        let lines = try heard.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        #expect(
            lines[2]
                == #"{"date":"then","destination":"OpenState","event":"swing","isUpdate":true,"kind":"transitioned","message":"swing: OpenState → OpenState","revision":2,"source":"OpenState","workflow":"Gate"}"#
        )
        #expect(
            lines[3]
                == #"{"date":"then","destination":"ClosedState","event":"shut","kind":"rejected","message":"Gate cannot fire \"shut\" in OpenState: declined: Objection(text: \"stuck\")","reason":"declined","revision":2,"source":"OpenState","userInfo":{"by":"me"},"workflow":"Gate"}"#
        )
        #expect(
            lines[5]
                == #"{"action":"paint","date":"then","kind":"performed","message":"\"paint\" performed in OpenState","revision":2,"source":"OpenState","userInfo":{"colour":"red"},"workflow":"Gate"}"#
        )
    }

    @Test("An invalid occurrence is an error, and a reason of a later version is read")
    func foreign() throws {
        let decoder = JSONDecoder()
        for text in ["{}", "[]", #"{"kind":"exploded"}"#] {
            #expect(throws: DecodingError.self) { try decoder.decode(Occurrence.self, from: Data(text.utf8)) }
        }
        let later = try decoder.decode(
            Occurrence.self,
            from: Data(
                #"{"kind":"rejected","date":0,"workflow":"Gate","revision":1,"source":"A","reason":"tooLate","message":"m","new":1}"#
                    .utf8
            )
        )
        #expect(later.reason == "tooLate" && later.level == .warning && "\(later)" == "m")
    }

    @Test("Line breaks from outside cannot forge a log line")
    func lines() throws {
        let door = StateMachine<Gate>()
        let entries = Lock<[Occurrence]>([])
        door.observe { entry in entries.withLock { $0.append(entry) } }
        let text = "one\ntwo\r\n\u{2028}three"
        door.announce(text)
        try? door.perform(action: "first\nsecond", in: OpenState.self) { _ in }
        let heard = entries.withLock { $0 }
        #expect(heard.count == 2)
        #expect(heard.allSatisfy { !"\($0)".contains(where: \.isNewline) }, "\(heard)")
        #expect(heard.first?.description.contains("one two three") == true)
        // The text itself is kept unchanged.
        #expect(heard.first?.announcement == text && heard.first?.message.contains(text) == true)
    }
}
