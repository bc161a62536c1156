import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTables
import Synchronization
import Testing

@testable import Fixtures

@Suite("Tables from outside")
struct HostileTableTests {
    @Test("All problems of a table are listed at once")
    func problems() throws {
        let table = TransitionTable(
            " ",
            version: 0,
            states: ["A", "A", "B", "", "C"],
            initial: "Lost",
            events: [
                .init("", from: "A", to: "B"), .init("go", from: "A", to: "Gone"), .init("go", []),
                TransitionTable.Event("ignored", from: "A", to: "B").ignored(in: "A"),
                .init("both", [.init(from: "A", to: "A"), .init(from: "A", to: "A", isUpdate: true)]),
                .init("odd", [.init(from: "A", to: "B", isUpdate: true)]),
                TransitionTable.Event("late", from: "A", to: "B").due(after: .seconds(-1)),
                .init("never", [.init(from: "A", to: "B")], dueAfter: .nan),
                TransitionTable.Event("endless", updating: "A").due(after: .seconds(1)),
            ]
        )
        .keys(["k": .any], in: "D")
        .group("g").group("g", "E")
        .within("A", "B").within("B", "A").within("F", "C")
        .ending(in: "G")
        let error = try #require(throws: InvalidWorkflow.self) { try DataWorkflow(table) }
        #expect(
            error.problems.facts == [
                "blankWorkflowName", "badVersion 0", "blankStateName", "duplicateStateName A", "emptyGroup g",
                "duplicateGroupName g", "blankEventName", "duplicateEventName go", "emptyEvent go",
                "contradictoryIgnore ignored A", "contradictoryUpdate both A",
                "unknownTableState Lost", "unknownTableState G", "unknownTableState F", "unknownTableState D",
                "unknownTableState E", "circularSuperstates A B", "unknownTableState Gone", "unsupportedInTable odd A",
                "badDeadline late", "badDeadline never",
            ]
        )
        let subjects = [0: "The workflow's name", 2: "The name of one state", 6: "The name of one event"]
        for (number, text) in subjects { #expect(error.problems[number].description.hasPrefix("\(text) is blank.")) }
        let places = [
            11: "the initial state", 12: "the declared final states", 13: "the superstates", 14: "the keys",
            15: "the group \"g\"", 17: "the event \"go\"",
        ]
        for (number, place) in places { #expect(error.problems[number].description.contains("named in \(place). ")) }
        #expect(error.problems[18].description.contains("the event \"odd\" updates \"A\" and leads to another state"))
        #expect(table.problems.facts.contains("endlessDeadline endless"))
        #expect(error.description.hasSuffix("and 1 more."))
    }

    @Test("An unknown state is one problem for each place, with advice, and does not make its event empty")
    func unknownStates() throws {
        let table = try TransitionTable(
            json: Data(
                #"""
                {"workflow": "w", "states": ["A", "B"], "initial": "A", "superstates": {"A": "Up", "B": "Up"},
                 "groups": [{"name": "g", "states": ["G"]}],
                 "events": [{"name": "go", "transitions": [{"from": "X", "to": "Y"}], "ignored": ["X"]},
                            {"name": "any", "transitions": [], "fromAnyState": ["Q", "Q"]},
                            {"name": "twice", "transitions": [{"from": "A", "to": "B"}],
                             "triggers": ["condition", "condition"]}]}
                """#.utf8
            )
        )
        let problems = table.problems
        #expect(
            problems.facts == [
                "unknownTableState Up", "unknownTableState G", "unknownTableState X", "unknownTableState Y",
                "unknownTableState Q", "unsupportedInTable twice",
            ]
        )
        let events = ["go", "go", "any"].map { "the event \"\($0)\"" }
        let places = ["the superstates", "the group \"g\""] + events
        for (problem, place) in zip(problems, places) { #expect(problem.description.contains("named in \(place). ")) }
        #expect(problems[5].description.contains("the event \"twice\" fires when a condition holds"))
        #expect(problems.allSatisfy { $0.description.contains(". ") })
    }

    @Test("An automatic event with several destinations from one state is a problem")
    func severalDestinations() throws {
        func table(_ event: TransitionTable.Event) -> TransitionTable {
            TransitionTable("w", states: ["A", "B", "C"], initial: "A", events: [event.due(after: .seconds(1))])
        }
        let forked = table(TransitionTable.Event("go", from: "A", to: "B").or(from: "A", to: "C"))
        let error = try #require(throws: InvalidWorkflow.self) { try DataWorkflow(forked) }
        #expect(error.problems.facts == ["missingBuilder go A"])
        let general = table(TransitionTable.Event("go", fromAnyStateTo: "B", "C").ignored(in: "B"))
        #expect(general.problems.facts == ["missingBuilder go A", "missingBuilder go C"])
        let chain = table(TransitionTable.Event("go", from: "A", to: "B").or(from: "B", to: "C"))
        #expect(chain.problems.isEmpty)
    }

    @Test("A blank name of a group is a problem")
    func blankGroup() {
        let table = TransitionTable("w", states: ["A"], initial: "A", events: []).group(" ", "A")
        #expect(table.problems.map(\.description) == ["The name of one group is blank. Give it a name."])
    }

    @Test("Machines in states and their events are rejected")
    func regions() throws {
        let error = try #require(throws: InvalidWorkflow.self) { try DataWorkflow(House.table) }
        #expect(error.problems.facts.first == "unsupportedInTable HouseState")
        #expect(error.description.contains("the state \"HouseState\" holds a machine"))
    }

    @Test("A small table with many regions stays small: all tables share the limit of pairs from any state")
    func manyPairsOfRegions() throws {
        let names = (0..<1_000).map { "\"s\($0)\"" }.joined(separator: ",")
        let inner =
            #"{"workflow":"i","states":[\#(names)],"initial":"s0","events":[{"name":"e","fromAnyState":[\#(names)]}]}"#
        let region = #"{"state":"A","name":"r","table":\#(inner)}"#
        let json = #"{"workflow":"w","states":["A"],"initial":"A","events":[],"regions":[\#(region),\#(region)]}"#
        let table = try TransitionTable(json: Data(json.utf8))
        #expect(table.regions.map { $0.table.events[0].transitions.count } == [1_000_000, 0])
    }

    @Test("Long names in many problems keep the problems small")
    func longNames() {
        let long = String(repeating: "x", count: 200_000)
        let states = (0..<200).map { "s\($0)" }
        let transitions = states.flatMap { state in
            [
                TransitionTable.Transition(from: state, to: "A"),
                TransitionTable.Transition(from: state, to: "A", isUpdate: true),
                TransitionTable.Transition(from: state, to: state),
                TransitionTable.Transition(from: state, to: state, isUpdate: true),
                TransitionTable.Transition(from: state, to: "unknown " + state),
            ]
        }
        let table = TransitionTable(
            "w",
            states: ["A"] + states,
            initial: "A",
            events: [.init(long, transitions, ignored: states)]
        )
        .group(long, "unknown A", "unknown B")
        let problems = table.problems
        let kinds = Dictionary(grouping: problems, by: \.kind).mapValues(\.count)
        let expected = [
            "contradictoryIgnore": 200, "contradictoryUpdate": 200, "unknownTableState": 202,
            "unsupportedInTable": 200,
        ]
        #expect(kinds == expected)
        #expect(problems.reduce(0) { $0 + $1.description.utf8.count } < 5_000_000)
    }

    @Test("An endless version is a problem, found at once")
    func versions() {
        let table = TransitionTable("w", version: .max, states: ["A"], initial: "A", events: [])
        #expect(table.problems.count == 20)
    }

    @Test("A table of many states and events is compiled and fired in time linear in it")
    func many() throws {
        _ = try timeOfRing(10)
        // A quadratic time would grow 64-fold with eight times as many states.
        #expect(try timeOfRing(8_000) < timeOfRing(1_000) * 24)
    }

    private func timeOfRing(_ count: Int) throws -> Duration {
        let states = (0..<count).map { "s\($0)" }
        let ring = zip(states, states.dropFirst() + states.prefix(1)).map {
            TransitionTable.Transition(from: $0, to: $1)
        }
        let table = TransitionTable(
            "ring",
            states: states,
            initial: "s0",
            events: [.init("next", ring)] + (0..<count / 3).map { .init("e\($0)", from: "s\($0)", to: "s0") }
        )
        var deep = table
        deep.superstates = Dictionary(uniqueKeysWithValues: zip(states.dropFirst(), states))
        return try threadTime {
            let machine = try StateMachine(try DataWorkflow(table))
            for _ in 1..<count { try machine.fire[named: "next"]() }
            #expect(machine.stateName == "s\(count - 1)")
            let last = try StateMachine(try DataWorkflow(deep), entering: DataState("s\(count - 1)"))
            #expect(last.isIn(named: "s0"))
            #expect(deep.diagram(.mermaid).utf8.count < 700 * count)
        }
    }

    @Test("The problems of many events from any state are found in time linear in them")
    func manyFromAnyState() {
        func time(_ count: Int) -> Duration {
            let table = TransitionTable(
                "w",
                states: (0..<count).map { "s\($0)" },
                initial: "s0",
                events: (0..<count).map { .init("e\($0)", fromAnyStateTo: "s0") }
            )
            return threadTime { #expect(!table.problems.isEmpty) }
        }
        _ = time(2_000)
        // A quadratic time would grow 64-fold with eight times as many events.
        #expect(time(16_000) < time(2_000) * 24)
    }

    @Test("Names of any characters work in machines, archives, diagrams and errors")
    func names() throws {
        let names = [
            "\0", "\u{200B}", "é", "a\"b\\c", "<&>", "状態", "👩‍👩‍👧", String(repeating: "x", count: 100_000), "${a}", "%s",
        ]
        let table = TransitionTable(
            "\u{202E}odd",
            states: names,
            initial: names[0],
            events: zip(names, names.dropFirst()).map { .init("to \($1)", from: $0, to: $1) }
        )
        let workflow = try DataWorkflow(table)
        var machine = try StateMachine(workflow)
        for name in names.dropFirst() {
            try machine.fire[named: "to \(name)"](DataState(name, [name: .string(name)]))
            machine = try StateMachine(archive: machine.archive(), of: workflow)
            #expect(machine.stateName == name)
            #expect(machine.state[name] == .string(name))
        }
        let long = String(repeating: "y", count: 1_000_000)
        let error = #expect(throws: InvalidTransition.self) {
            try machine.fire[named: long](DataState(long))
        }
        #expect((error?.description.utf8.count ?? .max) < 1_000_000)
        #expect(try TransitionTable(scxml: table.scxml()).states == names)
        _ = (table.diagram(.dot), table.diagram(.mermaid))
    }

    @Test("Names that look alike are compared as Swift compares texts")
    func composed() throws {
        // Swift considers both texts equal, however they are composed.
        let table = TransitionTable("w", states: ["\u{E9}", "e\u{301}"], initial: "\u{E9}", events: [])
        #expect(table.problems.facts == ["duplicateStateName \u{E9}"])
    }

    @Test("A diagram of endlessly nested states is small and needs a small stack")
    func chain() throws {
        let states = (0..<6_000).map { "s\($0)" }
        var table = TransitionTable(
            "chain",
            states: states,
            initial: "s0",
            events: [.init("go", states.map { .init(from: $0, to: "s0") })]
        )
        table.superstates = Dictionary(uniqueKeysWithValues: zip(states.dropFirst(), states))
        let text = onSmallStack { [table] in table.diagram(.dot) + table.diagram(.mermaid) }
        #expect(text.utf8.count < 3_600_000)
        for state in [0, 31, 32, 5_999] { #expect(text.contains("s\(state)")) }
    }

    @Test("A diagram of equal groups, or of nested groups, is small and needs a small stack")
    func groups() throws {
        let states = (0..<1_000).map { "s\($0)" }
        var same = TransitionTable("same", states: ["a", "b"], initial: "a", events: [.init("go", from: "a", to: "b")])
        same.groups = (0..<5_000).map { .init(name: "g\($0)", states: ["a", "b"]) }
        let first = onSmallStack { [same] in same.diagram(.dot) + same.diagram(.mermaid) }
        #expect(first.utf8.count < 750_000)
        #expect(first.contains("g4999"))
        let value: JSONValue = [
            "workflow": "nested", "states": .array(states.map { .string($0) }), "initial": "s0", "events": [],
            "groups": .array(
                (0..<1_000).map { number in
                    ["name": .string("g\(number)"), "states": .array(states.dropFirst(number).map { .string($0) })]
                }
            ),
        ]
        let nested = try value.decoded(as: TransitionTable.self)
        let second = onSmallStack { nested.diagram(.dot) + nested.diagram(.mermaid) }
        #expect(second.contains("g999"))
    }

    @Test("A box has an arrow if all states of the group have the event, and none otherwise")
    func arrows() {
        func table(_ sources: String...) -> TransitionTable {
            TransitionTable(
                "w",
                states: ["a", "b", "c", "end"],
                initial: "a",
                events: [.init("go", sources.map { .init(from: $0, to: "end") })]
            )
            .group("g", "a", "b", "c")
        }
        #expect(table("a", "b", "c").diagram(.dot).contains("ltail"))
        #expect(!table("a", "b").diagram(.dot).contains("ltail"))
    }

    /// The result on a thread with a stack of 512 KiB.
    private func onSmallStack(_ body: @escaping @Sendable () -> String) -> String {
        let result = Result()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let text = body()
            result.text.withLock { $0 = text }
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        done.wait()
        return result.text.withLock { $0 }
    }

    private final class Result: Sendable {
        let text = Mutex("")
    }

    @Test("A large table's errors list a few names, also in a journal")
    func manyNames() throws {
        let states = (0..<2_000).map { "state \($0)" }
        let events = states.dropFirst().map { TransitionTable.Event("to \($0)", from: "state 0", to: $0) }
        let table = TransitionTable("large", states: states, initial: "state 0", events: events)
        let workflow = try DataWorkflow(table)
        let machine = try StateMachine(workflow, journal: 10)
        let error = #expect(throws: InvalidTransition.self) { try machine.fire[named: "nowhere"]() }
        #expect(error?.candidates.count == 1_999)
        #expect((error?.description.utf8.count ?? .max) < 2_000)
        #expect(try machine.archive().count < 4_000)
        let archive = String(decoding: try machine.archive(), as: UTF8.self).replacing("\"state 0\"", with: "\"gone\"")
        let unknown = #expect(throws: ArchiveError.self) {
            _ = try StateMachine(archive: Data(archive.utf8), of: workflow)
        }
        #expect((unknown.map { "\($0)" }?.utf8.count ?? .max) < 2_000)
    }

    @Test("The error of an unregistered state of data shortens its name")
    func longState() throws {
        let table = TransitionTable("s", states: ["A", "B"], initial: "A", events: [.init("go", from: "A", to: "B")])
        let machine = try StateMachine(DataWorkflow(table))
        let name = String(repeating: "y", count: 1_000_000)
        let error = #expect(throws: InvalidTransition.self) { try machine.fire[named: "go"](DataState(name)) }
        #expect(error?.reason == .unregisteredState && error?.candidates.first?.count == 1_000_000)
        #expect((error?.description.utf8.count ?? .max) < 2_000)
    }
}

private final class HouseState: Composite {
    let door: StateMachine<Door>
    init(door: StateMachine<Door>) { self.door = door }
    var regions: [any Region] { [door] }
    func copied() -> HouseState { HouseState(door: door.copy()) }
}

private struct House: Workflow {
    static var initial: HouseState { HouseState(door: StateMachine()) }
    let change = Event(updating: HouseState.self)
}
