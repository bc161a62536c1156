import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

@testable import Fixtures

@Suite("Paths in diagrams") struct DiagramPathTests {
    private static func parcel() throws -> StateMachine<Parcel> {
        let parcel = StateMachine<Parcel>()
        try parcel.fire.send(SentState("a"))
        try parcel.fire.track(SentState("b"))
        _ = try? parcel.fire.send(SentState("c"))
        try parcel.fire.bounce()
        try parcel.fire.send(SentState("d"))
        return parcel
    }

    @Test("Mermaid marks the visited states, and has the number of fires of each event")
    func mermaid() throws {
        #expect(
            try Self.parcel().diagram() == """
                stateDiagram-v2
                    state "Packed" as s0
                    state "Sent" as s1
                    state "Lost" as s2
                    s0 : bounce #47; ignored
                    s1 : track #47; update #215;1
                    [*] --> s0
                    s0 --> s1 : send #91;guarded#93; #215;2
                    s1 --> s0 : bounce #215;1
                    s1 --> s2 : lose
                    s2 --> [*]
                    classDef visited stroke:#2f81f7,stroke-width:3px
                    class s0,s1 visited
                    classDef current fill:#ffd700,color:#000
                    class s1 current

                """
        )
    }

    @Test("DOT draws the path thick")
    func dot() throws {
        let lines = try Self.parcel().diagram(.dot).split(separator: "\n").filter { $0.contains("#2f81f7") }
        #expect(
            lines.map { $0.trimmingCharacters(in: .whitespaces) } == [
                ##""Packed" [margin=0, width=0, height=0, label=<<table border="0" cellspacing="0" cellpadding="5"><tr><td>Packed</td></tr><hr/><tr><td align="left">bounce / ignored</td></tr></table>>, color="#2f81f7", penwidth=2.5];"##,
                ##""Sent" [margin=0, width=0, height=0, label=<<table border="0" cellspacing="0" cellpadding="5"><tr><td>Sent</td></tr><hr/><tr><td align="left">track / update ×1</td></tr></table>>, color="#2f81f7", penwidth=2.5, style="rounded,filled", fillcolor="#ffd700", fontcolor=black];"##,
                ##""Packed" -> "arrow 1" [dir=none, color="#2f81f7", penwidth=2.5];"##,
                ##""arrow 1" -> "Sent" [color="#2f81f7", penwidth=2.5];"##,
                ##""Packed" -> "arrow 2" [dir=back, color="#2f81f7", penwidth=2.5];"##,
                ##""arrow 2" -> "Sent" [dir=none, color="#2f81f7", penwidth=2.5];"##,
            ]
        )
    }

    @Test("Without a journal, a machine's diagram is that of its table")
    func none() throws {
        let silent = StateMachine<SilentParcel>()
        try silent.fire.send(SentState("a"))
        for format in [DiagramFormat.dot, .mermaid] {
            let plain =
                format == .dot
                ? SilentParcel.table.diagram(.dot, current: "Sent")
                : SilentParcel.table.diagram(.mermaid, current: "Sent")
            #expect(silent.diagram(format) == plain && !plain.contains("×") && !plain.contains("#215"))
        }
    }

    struct Anywhere: Workflow {
        static var initial: any WorkflowState { PackedState() }
        static var journal: Int { 10 }
        let send = Event(from: PackedState.self, to: SentState.self)
        let lose = Event(to: LostState.self)
    }

    @Test("An arrow for many states has the total number of its fires")
    func general() throws {
        let machine = StateMachine<Anywhere>()
        try machine.fire.send(SentState("a"))
        try machine.fire.lose()
        try machine.fire.lose()
        #expect(machine.diagram().contains("any0 --> s2 : lose #215;2"))
    }

    @Test("Renamed states are marked under their current names")
    func renamed() throws {
        let old = StateMachine<Parcel>()
        try old.fire.send(SentState("a"))
        let later = try StateMachine<LaterParcel>(archive: old.archive())
        #expect(later.diagram().contains("s0 --> s1 : send #215;1") && later.diagram().contains("class s0,s1 visited"))
    }
}
