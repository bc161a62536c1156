import Foundation
import Heraclitus
import Testing

@testable import Fixtures

@Suite("Groups of states by protocol") struct GroupTests {
    static let running = ["BufferingState", "PlayingState", "RewindingState", "FastRewindingState"]
    static let expected: [(event: String, transitions: [String], ignored: [String])] = [
        ("stop", EventFormTests.leads(running, ["StoppedState"]), []),
        ("pause", ["PlayingState → PausedState"], ["PausedState"]),
        (
            "rewind",
            EventFormTests.leads(["PlayingState", "PausedState"], ["RewindingState", "FastRewindingState"]), []
        ),
        ("seek", ["PlayingState ↻ PlayingState", "PausedState ↻ PausedState"], []),
        (
            "panic",
            EventFormTests.leads(
                ["StoppedState", "BufferingState", "RewindingState", "FastRewindingState"],
                ["StoppedState"]
            ),
            ["PlayingState", "PausedState"]
        ),
        ("eject", EventFormTests.leads(["StoppedState"] + running, ["StoppedState"]), []),
        ("stay", ["PlayingState → StoppedState"], ["BufferingState", "RewindingState", "FastRewindingState"]),
    ]

    @Test(
        "An event from a group leads from each of its states, and rules for a class come first",
        arguments: expected
    )
    func table(_ event: String, _ transitions: [String], _ ignored: [String]) throws {
        let found = try #require(Playback.table[event])
        #expect(Set(found.transitions.map(\.text)) == Set(transitions))
        #expect(Set(found.ignored) == Set(ignored))
    }

    @Test("The table names the groups, and an old table without groups is decoded")
    func tableOfGroups() throws {
        let groups = Playback.table.groups
        #expect(groups.map(\.name) == ["Running", "With Position"])
        #expect(Set(groups[0].states) == Set(Self.running))
        #expect(Set(groups[1].states) == ["PlayingState", "PausedState"])
        #expect(Playback.diagnostics.isEmpty)
        let old = #"""
            {"workflow":"Old","version":2,"states":["A","B"],"superstates":{"B":"A"},"initial":"A","finals":["B"],
            "events":[{"name":"go","transitions":[{"from":"A","to":"B","isUpdate":false}],"ignored":["B"]}]}
            """#
        let table = try JSONDecoder().decode(TransitionTable.self, from: Data(old.utf8))
        #expect(table.groups.isEmpty && table["go"]?.ignored == ["B"] && table.superstates == ["B": "A"])
        let data = try JSONEncoder().encode(Playback.table)
        #expect(try JSONDecoder().decode(TransitionTable.self, from: data) == Playback.table)
    }

    @Test("For every event and state, table, `can`, validator and a real fire agree")
    func everythingAgrees() throws {
        let states: [any PlayerState] = [
            StoppedState(), BufferingState(), PlayingState(), PausedState(position: 1), RewindingState(),
            FastRewindingState(),
        ]
        let validator = TransitionValidator<Playback>()
        for event in Playback.table.events {
            for source in states {
                let name = type(of: source).name
                for destination in states {
                    let machine = StateMachine<Playback>(resumingIn: source)
                    let isListed = event.transitions.contains {
                        $0.from == name && $0.to == type(of: destination).name
                    }
                    let isIgnored = event.ignored.contains(name)
                    #expect(
                        machine.can[named: event.name]
                            == (isIgnored || event.transitions.contains { $0.from == name })
                    )
                    let verdict = Result {
                        try validator.validate(named: event.name, from: name, to: type(of: destination).name)
                    }
                    let outcome = Result { try machine.fire[named: event.name](destination) }
                    #expect(((try? verdict.get()) != nil) == (isListed || isIgnored))
                    #expect(((try? outcome.get()) != nil) == (isListed || isIgnored))
                    #expect(machine.revision == (isListed ? 1 : 0))
                }
            }
        }
    }

    @Test("Guards, hooks and builders get the state typed as the protocol")
    func typed() throws {
        let machine = StateMachine<Playback>()
        let journal = CallLog()
        machine.guarded(\.stop) { running, _, _ in journal.write("guard \(running.speed)") }
        machine.didExit((any Running).self) { running, _ in journal.write("left at \(running.speed)") }
        machine.didEnter((any Positioned).self) { positioned, _ in journal.write("at \(positioned.position)") }
        try machine.fire.buffer()
        try machine.fire.play(PlayingState(speed: 2, position: 7))
        try machine.fire.pause { (positioned: any Positioned) in PausedState(position: positioned.position) }
        #expect(journal.entries == ["left at 0.0", "at 7", "left at 2.0", "at 7"])
        try machine.fire.seek { (positioned: any Positioned) in PausedState(position: positioned.position + 1) }
        #expect((machine.state as? PausedState)?.position == 8 && machine.revision == 4)
        try machine.fire.play(PlayingState(speed: 3))
        #expect(throws: InvalidTransition.self) { try machine.fire.stop(userInfo: ["limit": 2.5]) }
        #expect(machine.isIn((any Running).self) && machine.isIn((any Positioned).self))
        try machine.fire.stop(userInfo: ["limit": 3.5])
        #expect(!machine.isIn((any Running).self) && !machine.isIn((any Positioned).self))
    }

    @Test("A subclass is in the groups of its superclass, also in an archive")
    func subclass() throws {
        let machine = StateMachine<Playback>(resumingIn: PausedState(position: 0))
        try machine.fire.rewind(FastRewindingState())
        let restored = try StateMachine<Playback>(archive: machine.archive())
        #expect(restored.can.stop && !restored.can.pause)
        try restored.fire.stop { running in
            #expect(running.speed == -8)
            return StoppedState()
        }
        #expect(restored.state is StoppedState)
    }

    final class Deck: MachineOwner, Sendable {
        let machine = StateMachine<Playback>(resumingIn: FastRewindingState())
    }

    @Test("A group declared by the workflow can be asked by name")
    func query() throws {
        let deck = Deck()
        let machine = deck.machine
        #expect(deck.is.moving && deck.is.rewinding && !machine.is.paused)
        try deck.stop()
        #expect(!machine.is.moving && !machine.is.rewinding && !machine.is.paused)
        try machine.fire.buffer()
        #expect(machine.is.moving && !machine.is.rewinding)
    }

    @Test("An event from a group is coded with the names of its states")
    func coding() throws {
        let data = try JSONEncoder().encode(Playback.events.seek)
        let json = try JSONDecoder().decode(JSONValue.self, from: data)
        #expect(json["from"] == ["PlayingState", "PausedState"] && json["to"] == ["PlayingState", "PausedState"])
        let seek = try JSONDecoder().decode(Playback.Event<any Positioned, any Positioned>.self, from: data)
        #expect(seek == Playback.events.seek)
        let stop = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(Playback.events.stop))
        #expect(stop["from"]?.arrayValue?.count == 4 && stop["to"] == ["StoppedState"])
    }

    struct OneWay: Workflow {
        static var initial: any PlayerState { BufferingState() }
        static var states: [any WorkflowState.Type] { [BufferingState.self] }
        static var groups: [any AnyStateGroup] { [StateGroup.positioned, StateGroup.running] }
        let play = Event(fromAny: .running, to: PausedState.self)
        let stop = Event(from: PausedState.self, to: StoppedState.self)
        let again = Event(from: StoppedState.self, to: StoppedState.self)
    }

    @Test("A wait for an unreachable group ends, and errors of actions name the events that lead to a group")
    func waiting() async throws {
        #expect(OneWay.table.groups.map(\.name) == ["With Position", "Running"])
        let machine = StateMachine<OneWay>(resumingIn: StoppedState())
        await #expect(throws: InvalidTransition.self) { _ = try await machine.wait(for: (any Positioned).self) }
        let other = StateMachine<OneWay>()
        let running = try await other.wait(for: (any Running).self)
        #expect(running.speed == 0)
        let error = #expect(throws: InvalidTransition.self) {
            try other.perform(action: "seek", in: (any Positioned).self) { _ in }
        }
        #expect(error?.candidates == ["play"])
        #expect(error?.description.contains("Events that lead there: \"play\"") == true)
    }

    // MARK: Their closures

    protocol Counted: WorkflowState {}
    final class CountedState: EmptyState, Counted, Working {
        func work(_ call: WorkCall<Automatic>) async throws {}
    }
    final class IdleState: EmptyState, Counted {}
    final class EndState: EmptyState {}
    struct Plain: Workflow {
        static var initial: any WorkflowState { IdleState() }
        static var states: [any WorkflowState.Type] { [IdleState.self] }
        static let calls = CallLog()
        let fail = Event(fromAny: counted(calls), to: EndState.self)
    }
    struct Automatic: Workflow {
        static var initial: any WorkflowState { CountedState() }
        static var states: [any WorkflowState.Type] { [CountedState.self] }
        static let calls = CallLog()
        let fail = Event(fromAny: counted(calls), to: EndState.self).whenFailed { _, _ in EndState() }
    }

    private static func counted(_ calls: CallLog) -> StateGroup<any Counted> {
        StateGroup((any Counted).self) { type in
            calls.write(type == EndState.self ? "end" : "other")
            return type is any Counted.Type
        }
    }

    // The closure is read outside locks, so it may use another workflow. The result is published under a lock.
    @Test("A group reads its classes once per definition, also for automatic events")
    func askedOnce() {
        _ = (StateMachine<Plain>(), StateMachine<Automatic>())
        #expect(!Plain.calls.entries.isEmpty)
        #expect(Automatic.calls.entries == Plain.calls.entries)
    }

    // MARK: Invalid groups

    protocol Nobody: PlayerState {}
    struct Lonely: Workflow {
        static var initial: any PlayerState { StoppedState() }
        static var groups: [any AnyStateGroup] { [StateGroup.running] }
        let go = Event(
            fromAny: StateGroup((any Nobody).self) { $0 is any Nobody.Type },
            to: StoppedState.self
        )
        let other = Event(
            fromAny: StateGroup((any PlayerState).self, named: "Nobody") { $0 is any PlayerState.Type },
            to: StoppedState.self
        )
    }
    struct Nameless: Workflow {
        static var initial: any PlayerState { StoppedState() }
        let go = Event(
            fromAny: StateGroup((any PlayerState).self, named: " ") { $0 is any PlayerState.Type },
            to: StoppedState.self
        )
    }

    @Test("A blank name of a group is a problem of the definition")
    func nameless() {
        #expect(Nameless.diagnostics.facts == ["blankGroupName"])
        #expect(Nameless.diagnostics[0].description == "The name of one group is blank. Give it a name.")
    }

    struct Contradicting: Workflow {
        static var initial: any PlayerState { StoppedState() }
        static var states: [any WorkflowState.Type] { [PlayingState.self, BufferingState.self] }
        let swap = Event(fromAny: .positioned, to: StoppedState.self).ignored(in: .running)
        let fine = Event(from: PlayingState.self, to: StoppedState.self).ignored(in: .running)
    }
    struct Mistaken: Workflow {
        static var initial: any PlayerState { StoppedState() }
        static let inverse = StateGroup((any Running).self) { !($0 is any Running.Type) }
        let go = Event(fromAny: Self.inverse, to: BufferingState.self)
        let back = Event(from: BufferingState.self, to: StoppedState.self)
    }
    struct MistakenLater: Workflow {
        static var initial: any PlayerState { StoppedState() }
        let go = Event(from: StoppedState.self, to: PausedState.self)
        let back = Event(
            fromAny: StateGroup((any Running).self) { $0 is any Positioned.Type },
            to: StoppedState.self
        )
    }

    @Test("An empty group, two groups of one name, and contradictory rules of groups are problems")
    func problems() {
        #expect(Lonely.diagnostics.facts == ["emptyGroup Running", "emptyGroup Nobody", "duplicateGroupName Nobody"])
        #expect(Lonely.diagnostics[0].description.hasPrefix("The group \"Running\" has no states."))
        #expect(Lonely.diagnostics[2].description.hasPrefix("Several groups have the name \"Nobody\". "))
        #expect(Contradicting.diagnostics.facts == ["contradictoryIgnore swap PlayingState"])
    }

    struct OnlyGrouped: Workflow {
        static var initial: any PlayerState { PausedState(position: 1) }
        let seek = Event(updatingAny: .positioned)
        let play = Event(from: StoppedState.self, to: PlayingState.self)
    }

    @Test("An initial state that only a group contains is unregistered, and the problem names the remedy")
    func onlyGrouped() throws {
        let problem = try #require(OnlyGrouped.diagnostics.first)
        #expect(problem.description.contains("PausedState is not registered"))
        #expect(problem.description.contains("`static var states`. A group registers no classes."))
    }

    @Test(
        "A closure that asks for another protocol is a problem, at the latest at the first object of a class"
    )
    func mistaken() async throws {
        // The initial object and that of an empty state show the mistake.
        let states = ["StoppedState", "BufferingState"]
        #expect(Mistaken.diagnostics.facts == states.map { "mistakenGroup Running \($0)" })
        #expect(MistakenLater.diagnostics.isEmpty)
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                try StateMachine<MistakenLater>().fire.go(PausedState(position: 1))
            }
        )
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("The closure of the group \"Running\" is wrong about PausedState"))
    }
}
