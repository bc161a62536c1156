import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Diagrams of composites") struct CompositeDiagramTests {
    final class DueState: EmptyState {}
    final class SettledState: EmptyState {}
    struct Payment: Workflow {
        static var initial: any WorkflowState { DueState() }
        let receive = Event(updating: DueState.self)
        let settle = Event(from: DueState.self, to: SettledState.self)
    }

    final class PackingState: EmptyState {}
    final class PackedState: EmptyState {}
    struct Parcel: Workflow {
        static var initial: any WorkflowState { PackingState() }
        let pack = Event(from: PackingState.self, to: PackedState.self)
    }

    final class CartState: EmptyState {}
    final class PlacedState: Composite {
        let address: String
        let payment: StateMachine<Payment>
        let parcel: StateMachine<Parcel>
        var regions: [any Region] { [payment, parcel] }
        init(_ address: String, _ payment: StateMachine<Payment> = .init(), _ parcel: StateMachine<Parcel> = .init()) {
            self.address = address
            self.payment = payment
            self.parcel = parcel
        }
        func copied() -> PlacedState { PlacedState(address, payment.copy(), parcel.copy()) }
    }
    final class ShippedState: EmptyState {}
    final class LapsedState: EmptyState {}

    struct Order: Workflow {
        static var initial: any WorkflowState { CartState() }
        let place = Event(from: CartState.self, to: PlacedState.self)
        let move = Event(updating: PlacedState.self)
        let ship = Event(from: PlacedState.self, to: ShippedState.self).whenFinal(\.payment, \.parcel)
        let lapse = Event(from: PlacedState.self, to: LapsedState.self).due(after: .seconds(3_600))
        let again = Event(from: PlacedState.self, to: PlacedState.self)
    }

    static func placed() throws -> (StateMachine<Order>, PlacedState) {
        let order = StateMachine<Order>()
        let state = PlacedState("1 Main St")
        try order.fire.place(state)
        return (order, state)
    }

    // MARK: Tables

    @Test("The table has the inner machines for which an event waits, with their own tables")
    func table() throws {
        let table = Order.table
        #expect(table.regions.map(\.state) == ["PlacedState", "PlacedState"])
        #expect(table.regions.map(\.name) == ["payment", "parcel"])
        #expect(table.regions.map(\.table) == [Payment.table, Parcel.table])
        #expect(table["lapse"]?.dueAfter == 3_600 && table["ship"]?.dueAfter == nil)
        #expect(Payment.table.regions.isEmpty)
        let data = try JSONEncoder().encode(table)
        #expect(try JSONDecoder().decode(TransitionTable.self, from: data) == table)
        var json = try JSONDecoder().decode(JSONValue.self, from: data)
        json["regions"] = nil
        let old = try JSONDecoder().decode(TransitionTable.self, from: JSONEncoder().encode(json))
        #expect(old.regions.isEmpty && old.events == table.events)
    }

    final class PairState: EmptyState, Composite {
        let first = StateMachine<Parcel>()
        let second = StateMachine<Parcel>()
        private enum CodingKeys: CodingKey {}
        var regions: [any Region] { [second, first] }
        func copied() -> PairState { PairState() }
    }
    struct Pairs: Workflow {
        static var initial: any WorkflowState { PlacedState("") }
        let pair = Event(from: PlacedState.self, to: PairState.self)
    }

    @Test("The table has the machines of initial and empty states, whose objects it sees, in order")
    func objects() {
        #expect(
            Pairs.table.regions.map { "\($0.state) \($0.name) \($0.table.workflow)" } == [
                "PlacedState payment Payment", "PlacedState parcel Parcel", "PairState second Parcel",
                "PairState first Parcel",
            ]
        )
    }

    final class FullState: Composite {
        let inner: StateMachine<Folder>
        let count: Int
        init(_ inner: StateMachine<Folder>, _ count: Int) {
            self.inner = inner
            self.count = count
        }
        var regions: [any Region] { [inner] }
        func copied() -> FullState { FullState(inner.copy(), count) }
    }
    struct Folder: Workflow {
        static var initial: any WorkflowState { CartState() }
        let fill = Event(from: CartState.self, to: FullState.self)
        let close = Event(from: FullState.self, to: ShippedState.self).whenFinal(\.inner)
    }

    @Test("A workflow within itself appears once more, without its content")
    func recursion() throws {
        #expect(Folder.table.regions.map(\.name) == ["inner"])
        #expect(Folder.table.regions[0].table.regions.isEmpty)
        let folder = StateMachine<Folder>()
        try folder.fire.fill(FullState(StateMachine(entering: FullState(StateMachine(), 1)), 2))
        #expect(folder.diagram().components(separatedBy: "inner #58; Folder").count == 2)
    }

    @Test("The table in an archive has the machines of the initial state, one level deep")
    func archived() throws {
        #expect(try Self.archivedTable(StateMachine<Pairs>()) == Pairs.table)
        #expect(try Self.archivedTable(StateMachine<Folder>()) == Folder.table)
    }

    private static func archivedTable<W: Workflow>(_ machine: StateMachine<W>) throws -> TransitionTable {
        let archive = try JSONValue(json: machine.archive(includingDefinition: true))
        return try #require(archive["definition"]).decoded(as: TransitionTable.self)
    }

    class CarrierState: Composite, @unchecked Sendable {
        let parcels: [StateMachine<Parcel>]
        let lock: StateMachine<Payment>
        var regions: [any Region] { parcels + [lock] }
        init(_ parcels: [StateMachine<Parcel>] = [.init(), .init()], _ lock: StateMachine<Payment> = .init()) {
            self.parcels = parcels
            self.lock = lock
        }
        func copied() -> Self { preconditionFailure("Nobody copies it.") }
    }
    final class VanState: CarrierState, @unchecked Sendable {}
    struct Carrying: Workflow {
        static var initial: any WorkflowState { CartState() }
        let load = Event(from: CartState.self, to: VanState.self)
        let some = Event(from: VanState.self, to: ShippedState.self).whenFinal(\.parcels[0], \.lock)
        let all = Event(from: VanState.self, to: LapsedState.self).whenFinal(\.parcels[0], \.parcels[1])
        let carry = Event(from: CarrierState.self, to: LapsedState.self).whenFinal(\.lock)
    }

    @Test("Machines that share a name are several, and a machine for which several events wait is one")
    func sameNames() {
        let regions = Carrying.table.regions.filter { $0.state == "VanState" }
        #expect(regions.map(\.table.workflow) == ["Parcel", "Payment", "Parcel"])
        #expect(regions[1].name == "lock")
    }

    // MARK: Mermaid

    @Test("Mermaid has a box for each machine, side by side, and the triggers of automatic events")
    func mermaid() {
        #expect(
            Order.table.diagram(.mermaid) == """
                stateDiagram-v2
                    state "CartState" as s0
                    state "PlacedState" as s1 {
                        state "move #47; update" as s1n
                        state "payment #58; Payment" as s1r0 {
                            state "DueState" as s1r0s0
                            state "SettledState" as s1r0s1
                            s1r0s0 : receive #47; update
                            [*] --> s1r0s0
                            s1r0s0 --> s1r0s1 : settle
                            s1r0s1 --> [*]
                        }
                        --
                        state "parcel #58; Parcel" as s1r1 {
                            state "PackingState" as s1r1s0
                            state "PackedState" as s1r1s1
                            [*] --> s1r1s0
                            s1r1s0 --> s1r1s1 : pack
                            s1r1s1 --> [*]
                        }
                    }
                    state "ShippedState" as s2
                    state "LapsedState" as s3
                    [*] --> s0
                    s0 --> s1 : place
                    s1 --> s2 : ship #40;when final#41;
                    s1 --> s3 : lapse #40;after 1 h#41;
                    s1 --> s1 : again
                    s2 --> [*]
                    s3 --> [*]
                    classDef notes stroke:none
                    class s1n notes

                """
        )
    }

    @Test("A machine marks its state and inner states at any depth, and draws machines found in objects only")
    func live() throws {
        let (order, state) = try Self.placed()
        try state.payment.fire.settle()
        let marked = order.diagram().split(separator: "\n").filter { $0.hasSuffix(" current") }
        #expect(marked == ["    class s1 current", "    class s1r0s1 current", "    class s1r1s0 current"])
        #expect(Forest.Order.table.regions.isEmpty)
        let forest = try Forest.busyOrder()
        let deep = forest.diagram()
        for name in ["first #58; Errand", "second #58; Errand", "lamp #58; Lamp"] { #expect(deep.contains(name)) }
        #expect(deep.contains("    class s1r0s1r0s1 current\n    class s1r1s1 current\n    class s1r1s1r0s0 current\n"))
    }

    @Test(
        "The label of an event has the machines for which it waits",
        arguments: [
            (0.25, "250 ms"), (1, "1 s"), (90, "90 s"), (120, "2 min"), (7_200, "2 h"), (172_800, "2 d"), (0, "0 s"),
            (1.5, "1500 ms"), (0.000_25, "0.00025 s"),
        ]
    )
    func labels(seconds: Double, text: String) throws {
        var json = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(Order.table))
        json["events"]?[3]?["dueAfter"] = .number(seconds)
        let table = try JSONDecoder().decode(TransitionTable.self, from: JSONEncoder().encode(json))
        #expect(table.diagram(.dot).contains("lapse (after \(text))"))
    }

    final class TryingState: EmptyState, Working {
        func work(_ call: WorkCall<Trial>) async throws {}
    }
    struct Trial: Workflow {
        static var initial: any WorkflowState { TryingState() }
        let fail = Event(from: TryingState.self, to: LapsedState.self).whenFailed()
        let lapse = Event(from: TryingState.self, to: LapsedState.self).due { _ in nil }
    }

    @Test("Failed work and a state's own dates are in labels as well")
    func causes() {
        #expect(Trial.table.diagram(.dot).contains(#"label="fail (when failed)\nlapse (when due)"]"#))
    }

    struct Patience: Workflow {
        static var initial: any WorkflowState { CartState() }
        let lapse = Event(from: CartState.self, to: LapsedState.self).due(after: .seconds(9)).due(after: .seconds(5))
            .or(from: ShippedState.self, to: SettledState.self)
        let ship = Event(from: CartState.self, to: ShippedState.self)
    }

    @Test("Of several delays the table has the shortest, also for states without the deadline")
    func shortest() throws {
        #expect(Patience.table["lapse"]?.dueAfter == 5)
        #expect(Patience.table.diagram(.dot).matches(of: /label="lapse \(after 5 s\)"/).count == 2)
        let clock = ManualClock()
        let (waiting, shipped) = (
            StateMachine<Patience>(scheduler: clock.scheduler), StateMachine<Patience>(scheduler: clock.scheduler)
        )
        waiting.activate()
        try shipped.fire.ship()
        clock.advance(by: .seconds(6))
        #expect(waiting.stateName == "LapsedState")
        clock.advance(by: .seconds(60))
        #expect(shipped.stateName == "ShippedState")
    }

    // MARK: DOT

    @Test("DOT has nested boxes, with arrows at their borders")
    func dot() throws {
        let (order, state) = try Self.placed()
        try state.parcel.fire.pack()
        let lines = order.diagram(.dot).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        for line in [
            #"subgraph "cluster_s1" {"#, #"label="PlacedState\lmove / update\l";"#,
            ##"style=rounded; color="#ffd700"; penwidth=3;"##, #"subgraph "cluster_s1_0" {"#,
            #"label="payment : Payment";"#,
            ##""PlacedState/payment/DueState" [margin=0, width=0, height=0, label=<<table border="0" cellspacing="0" cellpadding="5"><tr><td>DueState</td></tr><hr/><tr><td align="left">receive / update</td></tr></table>>, style="rounded,filled", fillcolor="#ffd700", fontcolor=black];"##,
            #""PlacedState/payment/SettledState" [label="SettledState"];"#,
            #""PlacedState/payment/" -> "PlacedState/payment/DueState";"#,
            #""PlacedState/payment/SettledState" -> "PlacedState/payment/ ";"#,
            #""CartState" -> "arrow 1" [dir=none];"#, #""arrow 1" -> "PlacedState" [lhead="cluster_s1"];"#,
            #""arrow 2" [shape=plain, style=solid, label="ship (when final)"];"#,
            #""PlacedState" -> "arrow 2" [dir=none, ltail="cluster_s1"];"#, #""arrow 2" -> "ShippedState";"#,
            #""PlacedState" -> "arrow 4" [dir=none, ltail="cluster_s1"];"#,
            #""arrow 4" -> "PlacedState" [lhead="cluster_s1"];"#, #""ShippedState" -> " ";"#,
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.count { $0.hasSuffix("{") } == lines.count { $0 == "}" })
        #expect(Order.table.diagram(.dot, current: "CartState").contains(#""CartState" [style="rounded,filled""#))
    }

    // MARK: SCXML

    @Test("SCXML has a parallel state for inner machines, with ids and events prefixed by their path")
    func scxml() {
        let text = Order.table.scxml()
        #expect(
            text.contains(
                """
                    <state id="PlacedState">
                        <transition event="move"/>
                        <transition event="ship" target="ShippedState"/>
                        <transition event="lapse" target="LapsedState"/>
                        <transition event="again" target="PlacedState"/>
                        <parallel id="PlacedState._">
                            <state id="PlacedState.payment" initial="PlacedState.payment.DueState">
                                <state id="PlacedState.payment.DueState">
                                    <transition event="payment.receive"/>
                                    <transition event="payment.settle" target="PlacedState.payment.SettledState"/>
                                </state>
                                <final id="PlacedState.payment.SettledState"/>
                            </state>

                """
            )
        )
        #expect(Folder.table.scxml().contains(#"<state id="FullState.inner" initial="FullState.inner.CartState">"#))
        #expect(!Folder.table.scxml().contains("parallel"))
    }

    final class HoldingState: Composite {
        let payment: StateMachine<Payment>
        let parcel: StateMachine<Parcel>
        var regions: [any Region] { [payment, parcel] }
        init(_ payment: StateMachine<Payment> = .init(), _ parcel: StateMachine<Parcel> = .init()) {
            self.payment = payment
            self.parcel = parcel
        }
        func copied() -> HoldingState { HoldingState(payment.copy(), parcel.copy()) }
    }

    /// A workflow with an event named like an inner machine, and with destinations named like an event of that machine.
    struct Clash: Workflow {
        static var initial: any WorkflowState { HoldingState() }
        let payment = Event(from: HoldingState.self, to: ShippedState.self, SettleState.self)
        let fail = Event("_x_payment", from: HoldingState.self, to: LapsedState.self)
    }
    final class SettleState: WorkflowState, EmptyState { static var name: String { "settle" } }

    @Test("In SCXML, outer and inner events stay distinct for all names")
    func clashes() throws {
        let text = Clash.table.scxml()
        let names = text.matches(of: #/event="([^"]*)"/#).map { String($0.1) }
        let outer = ["payment.ShippedState", "payment.settle", "_x005f_x_payment"]
        let inner = ["_x_payment.receive", "_x_payment.settle", "parcel.pack"]
        #expect(names == outer + inner)
        // A sent event fires each transition whose name it has, or is prefixed by.
        for (name, other) in outer.flatMap({ name in inner.map { (name, $0) } }) {
            #expect(!"\(name).".hasPrefix("\(other).") && !"\(other).".hasPrefix("\(name)."))
        }
        #expect(text.contains(#"<transition event="_x_payment.settle" target="HoldingState.payment.SettledState"/>"#))
    }

    @Test("A reader of SCXML keeps outer and inner events distinct", .enabled(if: SCXMLTests.python != nil))
    func readClashes() throws {
        let script = [["_x_payment.settle", "_x_payment.settle"], ["payment.settle"], ["payment.ShippedState"]]
        let answer = try SCXMLTests.run(Clash.table.scxml(), script)
        let isSettled = answer[0].map { $0.contains("HoldingState.payment.SettledState") }
        #expect(isSettled == [true, true] && answer[1] == [["settle"]] && answer[2] == [["ShippedState"]])
    }

    @Test("A reader of SCXML runs the machines in a state", .enabled(if: SCXMLTests.python != nil))
    func read() throws {
        let (before, after) = (["CartState"], ["ShippedState"])
        func within(_ payment: String, _ parcel: String) -> [String] {
            [
                "PlacedState", "PlacedState._", "PlacedState.parcel", "PlacedState.parcel.\(parcel)",
                "PlacedState.payment", "PlacedState.payment.\(payment)",
            ]
        }
        let steps: [(event: String, states: [String])] = [
            ("payment.settle", before), ("place", within("DueState", "PackingState")),
            ("payment.receive", within("DueState", "PackingState")), ("move", within("DueState", "PackingState")),
            ("parcel.pack", within("DueState", "PackedState")), ("settle", within("DueState", "PackedState")),
            ("payment.settle", within("SettledState", "PackedState")), ("again", within("DueState", "PackingState")),
            ("ship", after),
        ]
        let answer = try SCXMLTests.run(Order.table.scxml(), [steps.map(\.event)])
        #expect(answer.map { $0.map { $0.sorted() } } == [steps.map(\.states)])
    }

    final class TowerState: EmptyState, Composite {
        let parcels = [StateMachine<Parcel>(), StateMachine<Parcel>()]
        private enum CodingKeys: CodingKey {}
        var regions: [any Region] { parcels }
        func copied() -> TowerState { TowerState() }
    }
    struct Stack: Workflow {
        static var initial: any WorkflowState { TowerState() }
        let fall = Event(from: TowerState.self, to: ShippedState.self)
    }

    @Test("Machines in a list have separate ids in SCXML")
    func idsInLists() {
        let ids = Stack.table.scxml().matches(of: /id="([^"]*)"/).map { String($0.1) }
        #expect(ids.contains("TowerState.Parcel.PackedState") && ids.contains("TowerState.Parcel.2.PackedState"))
        #expect(Set(ids).count == ids.count)
        #expect(Stack.table.scxml().contains(#"event="Parcel.2.pack" target="TowerState.Parcel.2.PackedState""#))
    }

    @Test("An id in SCXML belongs to one state or machine, for all names", arguments: ["_", "", "_x_", "x"])
    func oddIDs(name: String) throws {
        let inner =
            #"{"workflow":"I","version":1,"states":["_",""],"superstates":{},"initial":"_","finals":[],"events":[]}"#
        let regions = [name, "_", "", "other"].map { #"{"state":"_","name":"\#($0)","table":\#(inner)}"# }
        let json = #"""
            {"workflow":"W","version":1,"states":["_",""],"superstates":{},"initial":"_","finals":[],"events":[],
            "regions":[\#(regions.joined(separator: ","))]}
            """#
        let table = try JSONDecoder().decode(TransitionTable.self, from: Data(json.utf8))
        let ids = table.scxml().matches(of: /id="([^"]*)"/).map { String($0.1) }
        // The states, the parallel state, and four machines with two states each.
        #expect(ids.count == 15 && Set(ids).count == 15, "\(ids)")
    }

    @Test("A journal of a tree is drawn for its outermost machine, and printed with the paths of the others")
    func journalOfTree() throws {
        let (order, placed) = try Self.placed()
        let heard = Lock<[Occurrence]>([])
        order.observe(regions: true) { occurrence in heard.withLock { $0.append(occurrence) } }
        try placed.parcel.fire.pack()
        try order.fire.lapse()
        let journal = heard.withLock { $0 }
        #expect(journal.count == 2)
        for diagram in [journal.mermaidGantt(), journal.mermaidSequence()] {
            #expect(diagram.contains("LapsedState") && !diagram.contains("PackedState"))
        }
        #expect(journal.mermaidGantt().contains("title Order"))
        #expect(journal.table.contains("pack (parcel)"))
    }

    @Test("Regions of one name are drawn in linear space, each with separate ids", .timeLimit(.minutes(5)))
    func regionsOfOneName() throws {
        func table(regions: Int) throws -> TransitionTable {
            var json = try JSONValue(json: JSONEncoder().encode(Order.table))
            let region = try #require(json["regions"]?.arrayValue?.first)
            json["regions"] = .array([JSONValue](repeating: region, count: regions))
            return try json.decoded(as: TransitionTable.self)
        }
        let (few, many) = (try table(regions: 100), try table(regions: 2_000))
        #expect(many.diagram(.dot).utf8.count < 24 * few.diagram(.dot).utf8.count)
        #expect(many.diagram(.mermaid).utf8.count < 24 * few.diagram(.mermaid).utf8.count)
        let lines = few.diagram(.dot).split(separator: "\n").map { $0.drop { $0 == " " } }
        let nodes = lines.filter { $0.contains("label=\"DueState") || $0.hasPrefix("\"PlacedState/payment/DueState") }
            .filter { !$0.contains("->") }.map { $0.prefix { $0 != "[" && $0 != ";" } }
        #expect(nodes.count == 100 && Set(nodes).count == 100)
    }
}
