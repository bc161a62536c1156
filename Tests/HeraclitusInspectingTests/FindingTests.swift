import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

@testable import Fixtures

@Suite("Findings") struct FindingTests {
    final class AState: WorkflowState, EmptyState { static var name: String { "A" } }
    final class BState: WorkflowState, EmptyState { static var name: String { "B" } }
    final class CState: WorkflowState, EmptyState { static var name: String { "C" } }
    final class DState: WorkflowState, EmptyState { static var name: String { "D" } }
    final class EState: WorkflowState, EmptyState { static var name: String { "E" } }

    // MARK: States

    struct Unreachable: Workflow {
        static var initial: any WorkflowState { AState() }
        let again = Event(updating: AState.self)
        let go = Event(from: BState.self, to: CState.self)
        let on = Event(from: CState.self, to: CState.self)
        let anywhere = Event(to: AState.self)
    }
    struct BegunElsewhere: Workflow {
        static var initial: any WorkflowState { AState() }
        static var states: [any WorkflowState.Type] { [AState.self, BState.self] }
        let go = Event(from: BState.self, to: CState.self)
        let on = Event(from: CState.self, to: CState.self)
    }

    @Test("Unreachable states and events are found, unless the workflow lists where machines may begin")
    func unreachable() throws {
        #expect(
            Unreachable.findings.facts == [
                "unreachableState B", "unreachableState C", "unreachableEvent go", "unreachableEvent on",
            ]
        )
        #expect(Unreachable.diagnostics.isEmpty && StateMachine<Unreachable>(resumingIn: BState()).can.go)
        #expect(BegunElsewhere.findings.facts == ["endlessState B", "endlessState C"])
    }

    struct Endless: Workflow {
        static var initial: any WorkflowState { AState() }
        let go = Event(from: AState.self, to: BState.self)
        let end = Event(from: AState.self, to: DState.self)
        let there = Event(from: BState.self, to: CState.self)
        let back = Event(from: CState.self, to: BState.self)
        let stay = Event(updating: CState.self)
    }
    struct Circle: Workflow {
        static var initial: any WorkflowState { AState() }
        let there = Event(from: AState.self, to: BState.self)
        let back = Event(from: BState.self, to: AState.self)
    }

    @Test("States that cannot reach a final state are found, if there is a final state")
    func endless() {
        #expect(Endless.findings.facts == ["endlessState B", "endlessState C"])
        #expect(Circle.findings == [])
    }

    struct Declared: Workflow {
        static var initial: any WorkflowState { AState() }
        static var finals: [any WorkflowState.Type] { [CState.self, DState.self, EState.self] }
        let go = Event(from: AState.self, to: BState.self)
        let end = Event(from: AState.self, to: CState.self)
        let close = Event(from: AState.self, to: DState.self)
        let reopen = Event(from: DState.self, to: AState.self)
        let undo = Event(from: DState.self, to: AState.self, BState.self)
        let note = Event(updating: CState.self)
    }

    @Test("The workflow's final states are compared with its events")
    func finals() {
        #expect(Declared.findings.facts == ["deadEnd B", "leftFinal D reopen undo", "unknownFinal E"])
        #expect(Declared.findings.filter { !($0.kind == "deadEnd" && $0.names == ["B"]) }.count == 2)
        #expect(Declared.table.finals == ["B", "C"] && Declared.table.declaredFinals == ["C", "D", "E"])
    }

    class BaseState: WorkflowState, @unchecked Sendable {
        class var name: String { "Base" }
        init() {}
    }
    final class LeftState: BaseState, EmptyState, @unchecked Sendable { override static var name: String { "Left" } }
    final class RightState: BaseState, EmptyState, @unchecked Sendable { override static var name: String { "Right" } }

    struct Abstract: Workflow {
        static var initial: any WorkflowState { AState() }
        static var finals: [any WorkflowState.Type] { [BaseState.self] }
        let left = Event(from: AState.self, to: LeftState.self)
        let right = Event(from: AState.self, to: RightState.self)
        let note = Event(updating: BaseState.self)
    }

    @Test("A superclass that only stands for its subclasses is fine, and a final class has final subclasses")
    func superclasses() {
        #expect(Abstract.table.states.contains("Base") && Abstract.findings == [])
        #expect(Set(Abstract.table.declaredFinals) == ["Base", "Left", "Right"])
    }

    /// A workflow without an end, whose superclass names both states.
    struct Alternating: Workflow {
        static var initial: any WorkflowState { LeftState() }
        let right = Event(from: LeftState.self, to: RightState.self)
        let left = Event(from: RightState.self, to: LeftState.self)
        let note = Event(updating: BaseState.self)
    }

    @Test("A superclass that no machine enters is no final state")
    func abstract() throws {
        #expect(Alternating.table.finals == [] && Alternating.findings == [])
        #expect(
            !Alternating.table.scxml().contains("<final") && !Alternating.table.diagram(.mermaid).contains("--> [*]")
        )
        let json = String(decoding: try JSONEncoder().encode(Alternating.table), as: UTF8.self)
        #expect(try TransitionTable(json: Data(json.replacing(#""finals":[],"#, with: "").utf8)).finals == [])
        // A superclass that an event enters is one of its own.
        #expect(Failing.table.finals == ["Base"])
    }

    struct Failing: Workflow {
        static var initial: any WorkflowState { LeftState() }
        let fail = Event(from: LeftState.self, to: BaseState.self)
    }

    // MARK: Events

    struct Same: Workflow {
        static var initial: any WorkflowState { AState() }
        let one = Event(from: AState.self, BState.self, to: BState.self)
        let two = Event(from: BState.self, to: BState.self).or(from: AState.self, to: BState.self)
        let ignored = Event(from: AState.self, BState.self, to: BState.self).ignored(in: CState.self)
        let updating = Event(updating: BState.self).or(from: AState.self, to: BState.self)
        let guarded = Event(from: AState.self, BState.self, to: BState.self).guarded { _, _, _ in }
        let hooked = Event(from: AState.self, BState.self, to: BState.self).didFire { _, _, _ in }
        let due = Event(from: AState.self, BState.self, to: BState.self).due(after: .seconds(1))
        let end = Event(from: BState.self, to: CState.self)
        let three = Event(from: AState.self, to: BState.self).or(from: BState.self, to: BState.self)
        let built = Event(from: AState.self, BState.self, to: BState.self).enters { _ in BState() }
    }

    @Test("Events that do the same are found; events with their own closures may differ")
    func same() {
        #expect(Same.findings.facts == ["sameEvents one two three"])
        let flags = Same.table.events.map { [$0.isGuarded, $0.hasHooks, $0.isAutomatic] }
        #expect(flags[4...6] == [[true, false, false], [false, true, false], [false, false, true]])
        #expect(flags[0] == [false, false, false])
    }

    struct Updated: Workflow {
        static var initial: any WorkflowState { AState() }
        let rename = Event(updating: AState.self)
        let resize = Event(updating: AState.self)
        let refresh = Event(updating: AState.self).or(from: BState.self, to: AState.self)
        let reload = Event(updating: AState.self).or(from: BState.self, to: AState.self)
        let go = Event(from: AState.self, to: BState.self)
    }

    @Test("Updates of one state bring different data, and therefore differ")
    func updates() {
        #expect(Updated.findings == [])
    }

    // MARK: Tables

    @Test("A coded table has the same findings, and so has one of an earlier version")
    func decoded() throws {
        func again(_ table: TransitionTable) throws -> TransitionTable {
            try JSONDecoder().decode(TransitionTable.self, from: JSONEncoder().encode(table))
        }
        for table in [
            Unreachable.table, BegunElsewhere.table, Endless.table, Declared.table, Abstract.table, Same.table,
        ] {
            #expect(try again(table) == table && again(table).findings == table.findings)
        }
        let old = #"""
            {"workflow":"Old","version":2,"states":["A","B","C"],"superstates":{},"initial":"A","finals":["B"],
            "events":[{"name":"go","transitions":[{"from":"A","to":"B","isUpdate":false}],"ignored":["B"]}]}
            """#
        let table = try JSONDecoder().decode(TransitionTable.self, from: Data(old.utf8))
        #expect(table.findings.facts == ["unreachableState C"] && table["go"]?.fromAnyState == [])
    }

    @Test("A table with any content has findings")
    func broken() throws {
        let texts = [
            #"{"workflow":"","version":0,"states":[],"superstates":{},"initial":"A","finals":["B"],"events":[]}"#,
            #"""
            {"workflow":"W","version":1,"states":["A","A","B"],"superstates":{"A":"B","B":"A"},"initial":"A","finals":["X"],
            "declaredFinals":["Y"],"listed":["Z"],"events":[{"name":"go","transitions":[{"from":"A","to":"X","isUpdate":false},
            {"from":"X","to":"A","isUpdate":true}],"ignored":["Q"]}]}
            """#,
        ]
        let tables = try texts.map { try JSONDecoder().decode(TransitionTable.self, from: Data($0.utf8)) }
        #expect(tables[0].findings == [])
        #expect(
            tables[1].findings.facts == ["unreachableState A", "unknownFinal Y", "unreachableEvent go"],
            "The second A is another state, to which nothing can lead."
        )
        _ = tables.map { ($0.diagram(.dot), $0.diagram(.mermaid)) }
    }

    final class FetchState: WorkflowState, Working {
        let url: String
        init(url: String) { self.url = url }
        func work(_ call: WorkCall<Fetching>) async throws {}
    }
    final class RetryState: WorkflowState, Working {
        let url: String
        init(url: String) { self.url = url }
        func work(_ call: WorkCall<Fetching>) async throws {}
    }
    struct Fetching: Workflow {
        static var initial: any WorkflowState { AState() }
        let fetch = Event(from: AState.self, to: FetchState.self)
        let retry = Event(from: FetchState.self, to: RetryState.self)
        let fail = Event(from: RetryState.self, to: BState.self).whenFailed()
    }

    final class LoadState: EmptyState, Working {
        func work(_ call: WorkCall<Returning>) async throws {}
    }
    struct Returning: Workflow {
        static var initial: any WorkflowState { AState() }
        let load = Event(from: AState.self, to: LoadState.self)
        let done = Event(from: LoadState.self, to: BState.self).whenDone()
        let fail = Event(from: LoadState.self, to: BState.self).whenFailed()
    }

    final class LoopState: EmptyState, Working {
        func work(_ call: WorkCall<Looping>) async throws {}
    }
    struct Looping: Workflow {
        static var initial: any WorkflowState { AState() }
        let start = Event(from: AState.self, to: LoopState.self)
        let end = Event(from: LoopState.self, to: BState.self).whenDone().whenFailed()
    }

    @Test("Work whose failure or end no event follows is found")
    func unheardWork() {
        #expect(Fetching.findings.facts == ["unheardFailure FetchState", "unheardEnd RetryState"])
        #expect(Returning.findings.isEmpty && Looping.findings.isEmpty)
        #expect(Fetching.table.findings.isEmpty, "a table has no work")
    }

    @Test("Every finding is a sentence that names its subject")
    func sentences() {
        let found =
            Unreachable.findings + Endless.findings + Declared.findings + Same.findings
            + Fetching.findings
        for finding in found {
            let text = finding.description
            #expect(text.hasSuffix(".") && text.first?.isUppercase == true && !finding.stopsTheProgram)
        }
        #expect(
            Declared.findings[1].description
                == "The state D is listed as final, and is left by \"reopen\", \"undo\"."
        )
    }
}
