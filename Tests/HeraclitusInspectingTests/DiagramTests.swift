import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

@testable import Fixtures

@Suite("Diagrams") struct DiagramTests {
    final class OddState: WorkflowState, EmptyState { static var name: String { "a \"b\" \\ c\nd; #1 é" } }
    final class EndState: WorkflowState, EmptyState { static var name: String { "end" } }

    struct Odd: Workflow {
        static var initial: any WorkflowState { OddState() }
        static var name: String { "odd \"one\"" }
        let go = Event("go: \"there\"; now", from: OddState.self, to: EndState.self)
    }

    @Test("DOT has every state and transition, with the current one and the final ones marked")
    func dot() {
        #expect(
            Door.table.diagram(.dot, current: "OpenState") == #"""
                digraph "Door" {
                    rankdir=LR;
                    compound=true;
                    labeljust=l;
                    node [shape=box, style=rounded];
                    "" [shape=point, width=0.15];
                    "ClosedState";
                    "OpenState" [margin=0, width=0, height=0, label=<<table border="0" cellspacing="0" cellpadding="5"><tr><td>OpenState</td></tr><hr/><tr><td align="left">swing / update</td></tr></table>>, style="rounded,filled", fillcolor="#ffd700", fontcolor=black];
                    "LockedState";
                    "SmashedState";
                    " " [shape=doublecircle, style=filled, fillcolor=black, label="", width=0.12, height=0.12];
                    "arrow 1" [shape=plain, style=solid, label="open"];
                    "arrow 2" [shape=plain, style=solid, label="close"];
                    "arrow 3" [shape=plain, style=solid, label="lock"];
                    "arrow 4" [shape=plain, style=solid, label="unlock [guarded]"];
                    "arrow 5" [shape=plain, style=solid, label="smash"];
                    "arrow 6" [shape=plain, style=solid, label="smash"];
                    "arrow 7" [shape=plain, style=solid, label="smash"];
                    "" -> "ClosedState";
                    "ClosedState" -> "arrow 1" [dir=none];
                    "arrow 1" -> "OpenState";
                    "ClosedState" -> "arrow 2" [dir=back];
                    "arrow 2" -> "OpenState" [dir=none];
                    "ClosedState" -> "arrow 3" [dir=none];
                    "arrow 3" -> "LockedState";
                    "ClosedState" -> "arrow 4" [dir=back];
                    "arrow 4" -> "LockedState" [dir=none];
                    "ClosedState" -> "arrow 5" [dir=none];
                    "arrow 5" -> "SmashedState";
                    "OpenState" -> "arrow 6" [dir=none];
                    "arrow 6" -> "SmashedState";
                    "LockedState" -> "arrow 7" [dir=none];
                    "arrow 7" -> "SmashedState";
                    "SmashedState" -> " ";
                }

                """#
        )
    }

    @Test("Mermaid has the same content, with escaped names")
    func mermaid() {
        #expect(
            Door.table.diagram(.mermaid, current: "OpenState") == """
                stateDiagram-v2
                    state "ClosedState" as s0
                    state "OpenState" as s1
                    state "LockedState" as s2
                    state "SmashedState" as s3
                    s1 : swing #47; update
                    [*] --> s0
                    s0 --> s1 : open
                    s1 --> s0 : close
                    s0 --> s2 : lock
                    s2 --> s0 : unlock #91;guarded#93;
                    s0 --> s3 : smash
                    s1 --> s3 : smash
                    s2 --> s3 : smash
                    s3 --> [*]
                    classDef current fill:#ffd700,color:#000
                    class s1 current

                """
        )
        let odd = Odd.table.diagram(.mermaid)
        #expect(odd.contains(#"state "a #34;b#34; #92; c#10;d#59; #35;1 é" as s0"#))
        #expect(odd.contains("s0 --> s1 : go#58; #34;there#34;#59; now"))
        #expect(!odd.contains("classDef") && Odd.table.diagram(.mermaid, current: "nobody") == odd)
    }

    @Test("A diagram has the states that a decoded table misspells, each with its name")
    func unlisted() throws {
        let json = #"""
            {"workflow": "w", "states": ["A"], "initial": "",
             "events": [{"name": "x", "transitions": [{"from": "A", "to": "Reveiw"}, {"from": "A", "to": "arrow 1"}]}]}
            """#
        let table = try TransitionTable(json: Data(json.utf8))
        let mermaid = table.diagram(.mermaid)
        for line in [#"state "Reveiw" as s2"#, "[*] --> s1", "s0 --> s2 : x", "s0 --> s3 : x"] {
            #expect(mermaid.contains("    \(line)\n"))
        }
        let dot = table.diagram(.dot)
        // A dot has the empty id, and labels have ids apart from those of states.
        let lines = [
            "\" 2\" [label=\"\"];", "\"\" -> \" 2\";", "\"Reveiw\";", "\"arrow 1 2\" -> \"Reveiw\";", "\"arrow 1\";",
        ]
        for line in lines { #expect(dot.contains("    \(line)\n"), "\(dot)") }
    }

    protocol Outer: WorkflowState {}
    protocol Inner: Outer {}
    protocol Aside: WorkflowState {}
    final class FreeState: WorkflowState, EmptyState {}
    final class OuterState: Outer, EmptyState {}
    final class InnerState: Inner, EmptyState {}
    final class SeveralState: Inner, Aside, EmptyState {}
    final class AsideState: Aside, EmptyState {}

    struct Boxed: Workflow {
        static var initial: any WorkflowState { FreeState() }
        static var groups: [any AnyStateGroup] {
            [
                StateGroup((any Inner).self) { $0 is any Inner.Type },
                StateGroup((any Outer).self, named: "Outer \"1\"") { $0 is any Outer.Type },
                StateGroup((any Aside).self) { $0 is any Aside.Type },
            ]
        }
        let go = Event(from: FreeState.self, to: OuterState.self, InnerState.self, SeveralState.self, AsideState.self)
    }

    @Test("Groups are boxes, nested if one contains all states of the other, and each state is drawn once")
    func boxes() {
        #expect(
            Boxed.table.diagram(.mermaid, current: "InnerState") == """
                stateDiagram-v2
                    state "FreeState" as s0
                    state "Outer #34;1#34;" as g1 {
                        state "OuterState" as s1
                        state "Inner" as g0 {
                            state "InnerState" as s2
                            state "SeveralState" as s3
                        }
                    }
                    state "Aside" as g2 {
                        state "AsideState" as s4
                    }
                    s3 : also in Aside
                    [*] --> s0
                    s0 --> s1 : go
                    s0 --> s2 : go
                    s0 --> s3 : go
                    s0 --> s4 : go
                    s1 --> [*]
                    s2 --> [*]
                    s3 --> [*]
                    s4 --> [*]
                    classDef current fill:#ffd700,color:#000
                    class s2 current

                """
        )
        #expect(
            Boxed.table.diagram(.dot, current: "InnerState") == #"""
                digraph "Boxed" {
                    rankdir=LR;
                    compound=true;
                    labeljust=l;
                    node [shape=box, style=rounded];
                    "" [shape=point, width=0.15];
                    "FreeState";
                    subgraph "cluster_1" {
                        label="Outer \"1\"";
                        style="rounded,dashed";
                        "OuterState";
                        subgraph "cluster_0" {
                            label="Inner";
                            style="rounded,dashed";
                            "InnerState" [style="rounded,filled", fillcolor="#ffd700", fontcolor=black];
                            "SeveralState" [margin=0, width=0, height=0, label=<<table border="0" cellspacing="0" cellpadding="5"><tr><td>SeveralState</td></tr><hr/><tr><td align="left">also in Aside</td></tr></table>>];
                        }
                    }
                    subgraph "cluster_2" {
                        label="Aside";
                        style="rounded,dashed";
                        "AsideState";
                    }
                    " " [shape=doublecircle, style=filled, fillcolor=black, label="", width=0.12, height=0.12];
                    "arrow 1" [shape=plain, style=solid, label="go"];
                    "arrow 2" [shape=plain, style=solid, label="go"];
                    "arrow 3" [shape=plain, style=solid, label="go"];
                    "arrow 4" [shape=plain, style=solid, label="go"];
                    "" -> "FreeState";
                    "FreeState" -> "arrow 1" [dir=none];
                    "arrow 1" -> "OuterState";
                    "FreeState" -> "arrow 2" [dir=none];
                    "arrow 2" -> "InnerState";
                    "FreeState" -> "arrow 3" [dir=none];
                    "arrow 3" -> "SeveralState";
                    "FreeState" -> "arrow 4" [dir=none];
                    "arrow 4" -> "AsideState";
                    "OuterState" -> " ";
                    "InnerState" -> " ";
                    "SeveralState" -> " ";
                    "AsideState" -> " ";
                }

                """#
        )
    }

    protocol Near: WorkflowState {}
    protocol Far: WorkflowState {}
    final class NearState: Near, EmptyState {}
    final class BothState: Near, Far, EmptyState {}
    final class FarState: Far, EmptyState {}
    final class FarthestState: Far, EmptyState {}

    struct Shared: Workflow {
        static var initial: any WorkflowState { FreeState() }
        static var states: [any WorkflowState.Type] { [NearState.self] }
        static var groups: [any AnyStateGroup] {
            [
                StateGroup((any Near).self) { $0 is any Near.Type }, StateGroup((any Far).self) { $0 is any Far.Type },
            ]
        }
        let go = Event(from: FreeState.self, to: BothState.self, FarState.self, FarthestState.self)
        let back = Event(from: FarState.self, FarthestState.self, to: FreeState.self)
    }
    struct SharedByAll: Workflow {
        static var initial: any WorkflowState { FreeState() }
        static var states: [any WorkflowState.Type] { [NearState.self] }
        static var groups: [any AnyStateGroup] { Shared.groups }
        let go = Event(from: FreeState.self, to: BothState.self, FarState.self, FarthestState.self)
        let back = Event(from: BothState.self, FarState.self, FarthestState.self, to: FreeState.self)
    }

    @Test("An arrow begins at a group's box only if every state of the group has the event, wherever it is drawn")
    func shared() {
        #expect(
            Shared.table.diagram(.mermaid).contains("also in") && !Shared.table.diagram(.mermaid).contains("g1 -->")
        )
        #expect(Shared.table.diagram(.mermaid).matches(of: /s\d --> s0 : back/).count == 2)
        #expect(!Shared.table.diagram(.dot).contains("ltail"))
        #expect(SharedByAll.table.diagram(.mermaid).contains("g1 --> s0 : back"))
        #expect(SharedByAll.table.diagram(.dot).contains(#"-> "FarState" [dir=none, lhead="cluster_1"]"#))
    }

    class FailedState: Inner, @unchecked Sendable {
        class var name: String { "Failed" }
        init() {}
    }
    final class TimedOutState: FailedState, EmptyState, @unchecked Sendable {
        override static var name: String { "Timed {out} | <late>" }
    }

    struct Gathered: Workflow {
        static var initial: any WorkflowState { FreeState() }
        static var states: [any WorkflowState.Type] { [TimedOutState.self, OuterState.self] }
        let start = Event(from: FreeState.self, to: InnerState.self)
        let begin = Event(from: FreeState.self, to: InnerState.self).guarded { _, _, _ in }
        let reset = Event(to: FreeState.self).ignored(in: TimedOutState.self)
        let leave = Event(fromAny: StateGroup((any Outer).self) { $0 is any Outer.Type }, to: AsideState.self)
        let fail = Event(from: InnerState.self, to: FailedState.self).due(after: .seconds(1)).enters { _ in
            TimedOutState()
        }
        let note = Event(updating: FailedState.self)
        let look = Action(in: FailedState.self) { _, _ in }
    }

    @Test("Transitions from any state, from a group or in several ways to the same state are one arrow")
    func gathered() {
        #expect(
            Gathered.table.diagram(.mermaid) == """
                stateDiagram-v2
                    state "FreeState" as s0
                    state "AsideState" as s3
                    state "Outer" as g0 {
                        state "InnerState" as s1
                        state "OuterState" as s5
                        state "Failed" as g1 {
                            state "Timed #123;out#125; #124; #60;late#62;" as s2
                            state "Failed" as s4
                        }
                    }
                    state "any state" as any0
                    s2 : note #47; update
                    s2 : reset #47; ignored
                    s2 : look#40;#41;
                    s4 : note #47; update
                    s4 : look#40;#41;
                    [*] --> s0
                    s0 --> s1 : start, begin #91;guarded#93;
                    any0 --> s0 : reset
                    g0 --> s3 : leave
                    s1 --> s2 : fail #40;after 1 s#41;
                    s1 --> s4 : fail #40;after 1 s#41;
                    classDef any stroke-dasharray:4
                    class any0 any

                """
        )
        let lines = Gathered.table.diagram(.dot).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        for line in [
            #""arrow 1" [shape=plain, style=solid, label="start\nbegin [guarded]"];"#,
            #""FreeState" -> "arrow 1" [dir=none];"#, #""arrow 1" -> "InnerState";"#,
            #""  " -> "arrow 2" [dir=none];"#, #""arrow 2" -> "FreeState";"#,
            #""InnerState" -> "arrow 3" [dir=none, ltail="cluster_0"];"#, #""arrow 3" -> "AsideState";"#,
            #""Timed {out} | <late>" [margin=0, width=0, height=0, label=<<table border="0" cellspacing="0" cellpadding="5"><tr><td>Timed {out} | &lt;late&gt;</td></tr><hr/><tr><td align="left">note / update</td></tr><tr><td align="left">reset / ignored</td></tr><tr><td align="left">look()</td></tr></table>>];"#,
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.count { $0.contains("leave") } == 1)
    }

    @Test("A machine draws its workflow with its state marked")
    func machine() throws {
        let machine = StateMachine<Door>()
        try machine.fire.open(OpenState())
        #expect(machine.diagram() == Door.table.diagram(.mermaid, current: "OpenState"))
        #expect(machine.diagram(.dot) == Door.table.diagram(.dot, current: "OpenState"))
        #expect(machine.diagram(.scxml) == Door.table.scxml())
    }

    final class NulState: WorkflowState, EmptyState { static var name: String { "nul \0 here" } }
    final class FeedState: WorkflowState, EmptyState { static var name: String { "a\nb" } }
    final class ParagraphState: WorkflowState, EmptyState { static var name: String { "a\u{2029}b" } }
    final class AccentState: WorkflowState, EmptyState { static var name: String { "a\"\u{301}\\\u{301}" } }

    struct Odder: Workflow {
        static var initial: any WorkflowState { NulState() }
        static var name: String { "odd \0" }
        let go = Event("g\0", from: NulState.self, to: FeedState.self, ParagraphState.self, AccentState.self)
    }

    @Test("In DOT, names are escaped, and states with similar names stay separate")
    func dotNames() {
        let dot = Odder.table.diagram(.dot)
        #expect(!dot.utf8.contains(0) && dot.contains("\"nul \u{2400} here\""))
        #expect(
            dot.unicodeScalars.split(separator: "\n").allSatisfy { line in
                // An even number of unescaped quotes.
                var isEscaped = false
                return line.count { scalar in
                    defer { isEscaped = scalar == "\\" && !isEscaped }
                    return scalar == "\"" && !isEscaped
                }.isMultiple(of: 2)
            }
        )
        let nodes = dot.split(separator: "\n").filter { $0.hasPrefix("    \"") && !$0.contains("->") }
        // With dots of the beginning and of the end, and three labels.
        #expect(nodes.count == 9 && Set(nodes).count == 9)
        #expect(nodes.contains { $0.contains(#"[label="a\nb"]"#) || $0.contains(#"[label="a\nb", "#) })
    }

    @Test("In DOT, names have no characters that XML forbids, because Graphviz writes them into an SVG")
    func controlCharacters() throws {
        let json = #"{"workflow":"w","states":["a\u0001b","c\uFFFEd"],"initial":"a\u0001b","events":[]}"#
        let dot = try TransitionTable(json: Data(json.utf8)).diagram(.dot)
        #expect(dot.contains("\"a\u{2401}b\"") && dot.contains("\"c\u{FFFD}d\""))
    }

    final class LessState: WorkflowState, EmptyState { static var name: String { "A&lt;B" } }
    final class NumberState: WorkflowState, EmptyState { static var name: String { "&#65;" } }
    final class AccentedState: WorkflowState, EmptyState { static var name: String { "&\u{301}#66;" } }

    struct Ampersands: Workflow {
        static var initial: any WorkflowState { LessState() }
        let go = Event("a &amp; b", from: LessState.self, to: NumberState.self, AccentedState.self)
        let stay = Event("&#67;", updating: NumberState.self)
    }

    @Test("In DOT, entities of HTML in names are escaped")
    func ampersands() {
        let dot = Ampersands.table.diagram(.dot)
        #expect(dot.contains(#""A&lt;B" [label="A&amp;lt;B"];"#))
        #expect(dot.contains(#"<td>&amp;#65;</td>"#) && dot.contains(#">&amp;#67; / update</td>"#))
        #expect(dot.contains(#"label="a &amp;amp; b"];"#))
        #expect(dot.contains("\"&\u{301}#66;\" [label=\"&amp;\u{301}#66;\"];"))
    }

    final class ShareState: WorkflowState, EmptyState { static var name: String { "%done" } }

    final class AccentedShareState: WorkflowState, EmptyState { static var name: String { "%\u{301}" } }

    struct Shares: Workflow {
        static var initial: any WorkflowState { ShareState() }
        let go = Event(from: ShareState.self, to: AccentedShareState.self)
    }

    @Test("In DOT, a name that begins with a per cent sign is written as a label, too")
    func perCent() {
        let dot = Shares.table.diagram(.dot)
        #expect(dot.contains(#""%done" [label="%done"];"#) && dot.contains("\"%\u{301}\" [label=\"%\u{301}\"];"))
    }

    final class RoomyState: WorkflowState, EmptyState { static var name: String { " a   b " } }

    struct Roomy: Workflow {
        static var initial: any WorkflowState { RoomyState() }
        let stay = Event(" go  on", updating: RoomyState.self)
    }

    @Test("In DOT several spaces beside notes stay several")
    func spaces() {
        #expect(Roomy.table.diagram(.dot).contains(#"<td>&#160;a &#160;&#160;b&#160;</td>"#))
        #expect(Roomy.table.diagram(.dot).contains(#">&#160;go &#160;on / update</td>"#))
    }

    @Test("A long chain of superclasses is drawn in linear time, also one into a circle", arguments: [false, true])
    func chain(isIntoCircle: Bool) throws {
        let short = try timeOfChain(1_000, isIntoCircle)
        let long = try timeOfChain(8_000, isIntoCircle)
        // Eight times as long; 64 times if quadratic.
        #expect(long < max(short, .milliseconds(5)) * 24)
    }

    private func timeOfChain(_ length: Int, _ isIntoCircle: Bool) throws -> Duration {
        let states = (0..<length).map { "\"s\($0)\"" }.joined(separator: ",")
        // Half of the states are in the circle.
        let outermost = isIntoCircle ? ["\"s0\":\"s\(length / 2)\""] : []
        let superstates = (outermost + (1..<length).map { "\"s\($0)\":\"s\($0 - 1)\"" }).joined(separator: ",")
        let json = #"""
            {"workflow":"W","version":1,"states":[\#(states)],"superstates":{\#(superstates)},"initial":"s0","finals":[],"events":[]}
            """#
        let table = try JSONDecoder().decode(TransitionTable.self, from: Data(json.utf8))
        var text = ""
        let time = threadTime { text = table.diagram(.mermaid) }
        // The innermost box has all deeper states, and a circle has no boxes.
        #expect(text.utf8.count { $0 == UInt8(ascii: "{") } == (isIntoCircle ? 0 : 32))
        return time
    }
}
