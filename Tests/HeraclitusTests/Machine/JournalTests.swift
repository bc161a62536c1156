import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Journals") struct JournalTests {
    static func line(_ occurrence: Occurrence) -> String {
        let action = occurrence.action.map { "\($0)()" }
        let name = occurrence.event ?? action ?? occurrence.announcement ?? ""
        let destination = occurrence.destination.map { "→\($0)" } ?? ""
        let update = occurrence.isUpdate ? " update" : ""
        let reason = occurrence.reason.map { " \($0)" } ?? ""
        return "\(occurrence.revision) \(occurrence.kind) \(name) \(occurrence.source)\(destination)\(update)\(reason)"
    }

    static func lines(_ machine: StateMachine<some Workflow>) -> [String] { machine.journal.map(line) }

    @Test("A journal has everything that observers get, without the objects")
    func everything() throws {
        let heard = Lock<[Occurrence]>([])
        let clock = ManualClock()
        let parcel = StateMachine<Parcel>(scheduler: clock.scheduler)
        parcel.observe { occurrence in heard.withLock { $0.append(occurrence) } }
        try parcel.fire.bounce()
        try parcel.fire.send(SentState("a"), userInfo: ["by": "me"])
        clock.advance(by: .seconds(60))
        #expect(throws: InvalidTransition.self) { try parcel.fire[named: "sned"]() }
        parcel.announce("late")
        try parcel.perform(action: "weigh", in: SentState.self) { _ in }
        let lines = [
            "0 ignored bounce Packed", "1 transitioned send Packed→Sent", "1 rejected sned Sent unknownEvent",
            "1 announced late Sent", "1 performed weigh() Sent",
        ]
        #expect(Self.lines(parcel) == lines)
        let journal = parcel.journal
        let observed = heard.withLock { $0 }
        #expect(observed.map(Self.line) == lines)
        #expect(journal.map(\.date) == observed.map(\.date) && journal.map(\.message) == observed.map(\.message))
        #expect(journal[2].date.timeIntervalSince(journal[1].date) == 60)
        #expect(journal.allSatisfy { $0.transition == nil && $0.workflow == "Parcel" && $0.version == 1 })
        #expect(journal[1].userInfo["by", as: String.self] == "me")
        #expect(journal.map(\.line) == Array(1...5))
    }

    @Test("A journal keeps its last lines, and their numbers")
    func bounds() throws {
        let parcel = StateMachine<Parcel>()
        for round in 1...20 {
            try parcel.fire.send(SentState("\(round)"))
            try parcel.fire.bounce()
            let journal = parcel.journal
            #expect(journal.map(\.line) == Array(max(1, round * 2 - 4)...(round * 2)))
            #expect(journal.map(\.revision) == journal.map(\.line))
        }
        let one = StateMachine<SilentParcel>(journal: 1)
        try one.fire.send(SentState("a"))
        try one.fire.bounce()
        #expect(Self.lines(one) == ["2 transitioned bounce Sent→Packed"] && one.journal.map(\.line) == [2])
        for limit in [0, -1] {
            let none = StateMachine<SilentParcel>(journal: limit)
            try none.fire.send(SentState("a"))
            #expect(none.journal.isEmpty)
        }
    }

    @Test("Chosen lines keep their numbers, and lines of several journals are counted from 1")
    func chosenLines() throws {
        let parcel = StateMachine<Parcel>()
        for _ in 1...4 {
            try parcel.fire.send(SentState("a"))
            try parcel.fire.bounce()
        }
        let journal = parcel.journal
        #expect(journal.filter { $0.event == "bounce" }.lineNumbers == [4, 6, 8])
        #expect(journal.suffix(2).lineNumbers == [7, 8] && journal.suffix(1).table.contains("\n   8  "))
        #expect((journal + journal).lineNumbers == Array(1...10))
        #expect(try [journal[0], decoded(journal[4])].lineNumbers == [1, 2])
        #expect(try [decoded(journal[4])].lineNumbers == [1] && [Occurrence]().lineNumbers == [])
    }

    private func decoded(_ occurrence: Occurrence) throws -> Occurrence {
        try JSONDecoder().decode(Occurrence.self, from: JSONEncoder().encode(occurrence))
    }

    @Test("A journal is off, unless a workflow or a machine asks for it")
    func off() throws {
        let silent = StateMachine<SilentParcel>()
        try silent.fire.send(SentState("a"))
        #expect(silent.journal.isEmpty && silent.journal.table == "An empty journal.")
        #expect(
            String(decoding: try silent.archive(), as: UTF8.self)
                == #"{"activated":true,"data":{"carrier":"a"},"format":1,"revision":1,"state":"Sent","version":1,"workflow":"Parcel"}"#
        )
        let asked = StateMachine<SilentParcel>(journal: 2)
        try asked.fire.send(SentState("a"))
        #expect(Self.lines(asked) == ["1 transitioned send Packed→Sent"])
    }

    @Test("Declined fires and those of nested fires are in a journal, in order")
    func order() throws {
        let parcel = StateMachine<Parcel>()
        parcel.didEnter(SentState.self) { sent, transition in
            let parcel = transition.machine(as: Parcel.self)
            try? parcel?.fire.send(SentState("again"))
            try? parcel?.fire.track(SentState("tracked"), userInfo: ["nested": true])
        }
        #expect(throws: InvalidTransition.self) { try parcel.fire.send(SentState("")) }
        try parcel.fire.send(SentState("a"), userInfo: ["nested": false])
        #expect(
            Self.lines(parcel) == [
                "0 rejected send Packed→Sent declined", "1 transitioned send Packed→Sent",
                "1 rejected send Sent→Sent notAllowed", "2 transitioned track Sent→Sent update",
            ]
        )
        #expect(parcel.journal[1].userInfo["nested", as: Bool.self] == false)
        #expect(parcel.journal[3].userInfo["nested", as: Bool.self] == true)
    }

    @Test("Rehearsals and activations are absent from a journal")
    func rehearsals() throws {
        let parcel = StateMachine<Parcel>()
        parcel.activate()
        try parcel.rehearse.send(SentState("a"))
        #expect(throws: InvalidTransition.self) { try parcel.rehearse.lose() }
        #expect(parcel.journal.isEmpty)
    }

    @Test("A journal is that of the current state, with the durations of callbacks that have returned")
    func moments() throws {
        let parcel = StateMachine<Parcel>()
        let seen = Lock<[(Int, Int?, Duration?)]>([])
        @Sendable func look() {
            let last = parcel.journal.last
            seen.withLock { $0.append((parcel.revision, last?.revision, last?.duration)) }
        }
        parcel.willEnter(SentState.self) { _, _ in look() }
        parcel.didEnter(SentState.self) { _, _ in
            look()
            Thread.sleep(forTimeInterval: 0.002)
        }
        let whole = try ContinuousClock().measure { try parcel.fire.send(SentState("a")) }
        #expect(seen.withLock { $0.map(\.0) } == [0, 1] && seen.withLock { $0.map(\.1) } == [nil, 1])
        #expect(seen.withLock { $0.allSatisfy { $0.2 == nil } })
        let duration = try #require(parcel.journal.last?.duration)
        #expect(duration >= .milliseconds(2) && duration <= whole)
    }

    @Test("The duration of callbacks is left out after their line was dropped")
    func droppedMeanwhile() throws {
        let parcel = StateMachine<SilentParcel>(journal: 1)
        parcel.didEnter(SentState.self) { _, _ in
            _ = #expect(throws: InvalidTransition.self) { try parcel.fire[named: "fly"]() }
        }
        try parcel.fire.send(SentState("a"))
        #expect(Self.lines(parcel) == ["1 rejected fly Sent unknownEvent"] && parcel.journal.first?.duration == nil)
    }

    @Test("A machine that begins in another state keeps a journal, too")
    func otherBeginnings() throws {
        for parcel in [
            StateMachine<SilentParcel>(entering: SentState("a"), journal: 1),
            StateMachine(resumingIn: SentState("a"), journal: 1),
        ] {
            try parcel.fire.bounce()
            try parcel.fire.send(SentState("b"))
            #expect(Self.lines(parcel) == ["2 transitioned send Packed→Sent"] && parcel.journal.map(\.line) == [2])
        }
    }

    @Test("A copy has the journal, and both continue separately")
    func copies() throws {
        for parcel in [StateMachine<SilentParcel>(journal: 3), StateMachine(journal: 3)] {
            try parcel.fire.send(SentState("a"))
            let copy = parcel.copy()
            try parcel.fire.lose()
            try copy.fire.bounce()
            #expect(Self.lines(parcel).last == "2 transitioned lose Sent→Lost" && parcel.journal.count == 2)
            #expect(Self.lines(copy) == ["1 transitioned send Packed→Sent", "2 transitioned bounce Sent→Packed"])
        }
    }

    final class CrateState: WorkflowState, Composite {
        let parcel: StateMachine<Parcel>
        var regions: [any Region] { [parcel] }
        init(_ parcel: StateMachine<Parcel>) { self.parcel = parcel }
        func copied() -> CrateState { CrateState(parcel.copy()) }
    }

    struct Crate: Workflow {
        static var initial: any WorkflowState { CrateState(StateMachine()) }
        static var journal: Int { 3 }
        let refill = Event(from: CrateState.self, to: CrateState.self)
    }

    @Test("An inner machine has its own journal")
    func regions() throws {
        let crate = StateMachine<Crate>()
        crate.activate()
        let parcel = try #require(crate.state as? CrateState).parcel
        try parcel.fire.send(SentState("a"))
        #expect(Self.lines(parcel) == ["1 transitioned send Packed→Sent"] && crate.journal.isEmpty)
        try crate.fire.refill(CrateState(StateMachine()))
        #expect(crate.journal.count == 1)
        #expect(throws: InvalidTransition.self) { try parcel.fire.lose() }
        #expect(parcel.journal.last?.reason == "notCurrent")
    }

    @Test("Concurrent fires write each line once, and readers see the journal of one moment")
    func threads() throws {
        let parcel = StateMachine<SilentParcel>(journal: 100_000)
        try parcel.fire.send(SentState("0"))
        onThreads(4) { thread in
            for round in 0..<200 {
                if thread == 3 {
                    let journal = parcel.journal
                    let revisions = journal.filter { $0.kind == .transitioned }.map(\.revision)
                    if revisions != Array(1...revisions.count) { Issue.record("\(revisions)") }
                } else if round.isMultiple(of: 5) {
                    try? parcel.fire.send(SentState("\(thread)"))
                } else {
                    try? parcel.fire.track(SentState("\(thread)"), userInfo: ["thread": thread])
                }
            }
        }
        #expect(parcel.journal.count { $0.kind == .rejected } == 120)
        #expect(parcel.journal.count == 601 && parcel.revision == 481)
        #expect(parcel.journal.filter { $0.kind == .transitioned }.map(\.revision) == Array(1...481))
    }

    /// A value of a user info that runs a closure when it is released.
    private final class Farewell: Codable, Sendable {
        let say: (@Sendable () -> Void)?
        init(_ say: @escaping @Sendable () -> Void) { self.say = say }
        init(from decoder: any Decoder) throws { say = nil }
        func encode(to encoder: any Encoder) throws {}
        deinit { say?() }
    }

    @Test("An object released with a dropped line may read the journal, and fire")
    func releasing() throws {
        let heard = CallLog()
        let parcel = StateMachine<SilentParcel>(journal: 1)
        func farewell(_ name: String) -> Farewell {
            Farewell { [weak parcel] in
                heard.write("\(name) \(parcel?.journal.last?.revision ?? 0)")
                try? parcel?.fire.track(SentState(name))
            }
        }
        try parcel.fire.send(SentState("a"), userInfo: ["a": farewell("transition")])
        try parcel.fire.lose()
        #expect(heard.entries == ["transition 2"])
        let other = StateMachine<SilentParcel>(journal: 1)
        try other.fire.send(SentState("a"), userInfo: ["a": farewell("rejection")])
        #expect(throws: InvalidTransition.self) { try other.fire[named: "fly"]() }
        #expect(heard.entries == ["transition 2", "rejection 2"])
    }

    @Test("A journal retains no state object and no machine")
    func lifetimes() throws {
        weak var machine: StateMachine<Parcel>?
        weak var state: SentState?
        var journal: [Occurrence] = []
        do {
            let parcel = StateMachine<Parcel>()
            let sent = SentState("a")
            (machine, state) = (parcel, sent)
            try parcel.fire.send(sent)
            try parcel.fire.bounce()
            try parcel.fire.send(SentState("b"))
            journal = parcel.journal
        }
        #expect(machine == nil && state == nil && journal.count == 3)
    }

    @Test("A journal keeps texts of the machines in a list or dictionary of a user info")
    func machinesInLists() throws {
        let parcel = StateMachine<SilentParcel>(journal: 5)
        weak var part: StateMachine<Parcel>?
        var archive = Data()
        do {
            let machine = StateMachine<Parcel>()
            part = machine
            try parcel.fire.send(
                SentState("a"),
                userInfo: [
                    "all": [machine], "named": ["a": machine], "numbered": [1: [machine]], "perhaps": Optional(machine),
                    "none": [String](),
                ]
            )
            archive = try parcel.archive()
            try machine.fire.send(SentState("b"))
            #expect(try parcel.archive() == archive)
        }
        #expect(part == nil && parcel.journal[0].userInfo["none", as: [String].self] == [])
    }

    @Test("A table of lines costs little more than their texts, also with one long note")
    func longNote() throws {
        let parcel = StateMachine<SilentParcel>(journal: 1_000)
        try parcel.fire.send(SentState("a"), userInfo: ["photo": String(repeating: "x", count: 1_000_000)])
        for _ in 1..<1_000 { parcel.announce("x") }
        let time = threadTime {
            #expect(parcel.journal.table.utf8.count < 1_300_000)
        }
        #expect(time < .seconds(20))
    }
}
