import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Journals read again") struct JournalReplayTests {
    static func parcel(_ clock: ManualClock = ManualClock()) throws -> StateMachine<Parcel> {
        let parcel = StateMachine<Parcel>(scheduler: clock.scheduler)
        try parcel.fire.send(SentState("a"), userInfo: ["by": "me"])
        clock.advance(by: .seconds(90))
        try parcel.fire.track(SentState("b"))
        #expect(throws: InvalidTransition.self) { try parcel.fire.send(SentState("c")) }
        clock.advance(by: .seconds(30))
        try parcel.fire.bounce()
        return parcel
    }

    @Test("A journal that fits the current definition passes, and rejected fires do not count")
    func fitting() throws {
        let parcel = try Self.parcel()
        #expect(parcel.journal.misfits(by: TransitionValidator<SilentParcel>()).isEmpty)
        #expect(parcel.journal.misfits(by: TransitionValidator<Parcel>()).isEmpty)
    }

    @Test("A journal that does not fit fails at the first changed line, with the number and the error")
    func changed() throws {
        let parcel = try Self.parcel()
        let found = try #require(parcel.journal.misfits(by: TransitionValidator<LaterParcel>()).first)
        #expect(found.line == 4 && found.occurrence.event == "bounce")
        #expect(found.error.reason == .notAllowed && found.error.event == "bounce" && found.error.source == "Shipped")
        #expect("\(found.error)".hasPrefix("Parcel cannot fire \"bounce\" in Shipped"))
    }

    @Test("After a misfit the replay continues at the line's destination, and dropped lines are counted")
    func all() throws {
        let parcel = try Self.parcel()
        try parcel.fire.send(SentState("d"))
        try parcel.fire.bounce()
        try parcel.fire.send(SentState("e"))
        #expect(parcel.journal.first?.line == 3)
        #expect(parcel.journal.misfits(by: TransitionValidator<LaterParcel>()).map(\.line) == [4, 6])
    }

    struct Foreign: Workflow {
        static var initial: any WorkflowState { LostState() }
        static var name: String { "Parcel" }
        let find = Event(from: LostState.self, to: PackedState.self)
    }

    @Test("Missing events and states are named")
    func unknown() throws {
        let parcel = try Self.parcel()
        let misfits = parcel.journal.misfits(by: TransitionValidator<Foreign>())
        #expect(misfits.map(\.error.reason) == [.unknownEvent, .unknownEvent, .unknownEvent])
        let lost = StateMachine<Foreign>(journal: 3)
        try lost.fire.find()
        #expect(lost.journal.misfits(by: TransitionValidator<Parcel>()).map(\.error.reason) == [.unknownEvent])
    }

    @Test("A line follows from the one before, and after a gap from its own source")
    func gaps() throws {
        let parcel = StateMachine<Parcel>()
        for _ in 1...2 {
            try parcel.fire.send(SentState("a"))
            try parcel.fire.bounce()
        }
        let lines = parcel.journal
        #expect([lines[0], lines[3]].misfits(by: TransitionValidator<Parcel>()).isEmpty)
        // The states of these lines do not follow from one another, although their numbers do.
        let forged = try [lines[0], lines[2]].enumerated().map { index, line in
            try Self.changed(line) { $0["revision"] = .integer(index) }
        }
        let misfits = forged.misfits(by: TransitionValidator<Parcel>())
        #expect(misfits.map(\.line) == [2] && misfits.first?.error.source == "Sent")
    }

    /// A parcel whose later version has moved the machines of a state elsewhere, by a closure.
    struct MovedParcel: Workflow {
        static var initial: any WorkflowState { PackedState() }
        static var name: String { "Parcel" }
        static var version: Int { 2 }
        static var journal: Int { 5 }
        static var migrations: [Migration] {
            [
                .step("what was sent is lost", in: 2, of: "Sent") { archive in
                    archive.state = "Lost"
                    archive.data = [:]
                }
            ]
        }
        let send = Event(from: PackedState.self, to: SentState.self)
        let find = Event(from: LostState.self, to: PackedState.self)
    }

    @Test("The first line of another version follows from its own source: a migration may have changed the state")
    func moved() throws {
        let old = StateMachine<Parcel>()
        try old.fire.send(SentState("a"))
        let later = try StateMachine<MovedParcel>(archive: old.archive())
        try later.fire.find()
        try later.fire.send(SentState("b"))
        #expect(later.journal.map(\.version) == [1, 2, 2])
        #expect(later.journal.misfits(by: TransitionValidator<MovedParcel>()).isEmpty)
        #expect(later.journal.misfits(by: TransitionValidator<MovedParcel>()).isEmpty)
    }

    private static func changed(_ occurrence: Occurrence, _ change: (inout JSONValue) -> Void) throws -> Occurrence {
        var value = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(occurrence))
        change(&value)
        return try JSONDecoder().decode(Occurrence.self, from: JSONEncoder().encode(value))
    }

    @Test("A journal is printed as a table")
    func table() throws {
        let start = Date(timeIntervalSince1970: 1_767_268_800.25)
        let clock = ManualClock(at: start)
        let parcel = try Self.parcel(clock)
        parcel.announce("home\nagain")
        try parcel.perform(action: "weigh", in: PackedState.self) { _ in }
        let lines = try parcel.journal.map { line in
            try Self.changed(line) { if $0["microseconds"] != nil { $0["microseconds"] = 1500 } }
        }
        #expect(
            lines.table == """
                line  date                      revision  event         from    to              took  note
                   1  2026-01-01T12:01:30.250Z         2  track         Sent    (update)      1.5 ms
                   2  2026-01-01T12:01:30.250Z         2  send          Sent    ✗ notAllowed          Parcel cannot fire "send" in Sent: no transition to Sent. Allowed: "track", "bounce", "lose".
                   3  2026-01-01T12:02:00.250Z         3  bounce        Sent    Packed        1.5 ms
                   4  2026-01-01T12:02:00.250Z         3  "home again"  Packed  (announced)           "home again" announced in Packed
                   5  2026-01-01T12:02:00.250Z         3  weigh()       Packed  (performed)           "weigh" performed in Packed
                """
        )
        #expect(parcel.journal.table.split(separator: "\n")[1].hasPrefix("   2  2026-01-01T12:01:30.250Z"))
    }

    @Test("A journal is drawn as a sequence diagram")
    func sequence() throws {
        #expect(
            try Self.parcel().journal.mermaidSequence() == """
                sequenceDiagram
                    participant s0 as Packed
                    participant s1 as Sent
                    s0->>s1: 1. send
                    s1->>s1: 2. track #40;update#41;
                    s1-xs1: 3. send #40;notAllowed#41;
                    s1->>s0: 4. bounce

                """
        )
    }

    @Test("A missing name is drawn as a space, because Mermaid rejects empty texts")
    func namelessLine() throws {
        let line =
            #"{"kind":"transitioned","date":0,"workflow":"","state":"","source":"","destination":"","event":"","revision":1}"#
        let journal = [try JSONDecoder().decode(Occurrence.self, from: Data(line.utf8))]
        #expect(journal.mermaidSequence().contains("participant s0 as #32;\n"))
        #expect(journal.mermaidGantt().contains("section #32;\n"))
    }

    @Test("An empty chart has no title, because Mermaid rejects a title alone")
    func emptyGantt() {
        #expect(
            [Occurrence]().mermaidGantt() == """
                gantt
                    dateFormat x
                    axisFormat %Y-%m-%d %H:%M:%S

                """
        )
    }

    @Test("A journal is drawn as a Gantt chart")
    func gantt() throws {
        let clock = ManualClock(at: Date(timeIntervalSince1970: 1_767_268_800))
        let parcel = try Self.parcel(clock)
        clock.advance(by: .seconds(10))
        try parcel.fire.bounce()
        #expect(
            parcel.journal.mermaidGantt() == """
                gantt
                    title Parcel
                    dateFormat x
                    axisFormat %Y-%m-%d %H:%M:%S
                    section Packed
                    4. bounce :active, l4, 1767268920000, 1767268930000
                    section Sent
                    3. send #40;notAllowed#41; :crit, milestone, l3, 1767268890000, 1767268890000
                    1. send :l1, 1767268800000, 1767268920000

                """
        )
    }

    private static func bars(_ lines: [Occurrence]) -> [String] {
        lines.mermaidGantt().split(separator: "\n").dropFirst(4).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test("In a gap, a Gantt chart ends a stay with its last line")
    func gapsInGantt() throws {
        let clock = ManualClock(at: Date(timeIntervalSince1970: 1_000))
        let parcel = StateMachine<SilentParcel>(journal: 9, scheduler: clock.scheduler)
        func fire(_ fire: () throws -> Void) throws {
            clock.advance(by: .seconds(10))
            try fire()
        }
        try fire { try parcel.fire.send(SentState("a")) }
        try fire { try parcel.fire.track(SentState("b")) }
        try fire { try parcel.fire.bounce() }
        try fire { try parcel.fire.send(SentState("c")) }
        try fire { try parcel.fire.track(SentState("d")) }
        try fire { try parcel.fire.bounce() }
        let lines = parcel.journal
        #expect(lines.map(\.revision) == [1, 2, 3, 4, 5, 6])
        #expect(
            Self.bars([lines[0], lines[1], lines[3], lines[5]]) == [
                "section Packed", "6. bounce :active, l6, 1060000, 1060001", "section Sent",
                "1. send :l1, 1010000, 1020000", "4. send :l4, 1040000, 1040001",
            ]
        )
        // The update shows only that the machine is there again.
        #expect(
            Self.bars([lines[0], lines[4], lines[5]]) == [
                "section Packed", "6. bounce :active, l6, 1060000, 1060001", "section Sent",
                "1. send :l1, 1010000, 1010001",
            ]
        )
        #expect(Self.bars([lines[0], lines[4]]) == ["section Sent", "1. send :l1, 1010000, 1010001"])
    }

    @Test("A machine created again begins a new stay in a Gantt chart")
    func madeAnewInGantt() throws {
        let clock = ManualClock(at: Date(timeIntervalSince1970: 1_000))
        let lines = try (0..<2).flatMap { _ in
            let parcel = StateMachine<Parcel>(scheduler: clock.scheduler)
            clock.advance(by: .seconds(10))
            try parcel.fire.send(SentState("a"))
            return parcel.journal
        }
        #expect(
            Self.bars(lines) == [
                "section Sent", "1. send :l1, 1010000, 1010001", "2. send :active, l2, 1020000, 1020001",
            ]
        )
    }
}
