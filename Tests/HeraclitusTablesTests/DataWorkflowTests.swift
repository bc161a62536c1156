import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTables
import HeraclitusTesting
import Synchronization
import Testing

@testable import Fixtures

@Suite("A workflow of data")
struct DataWorkflowTests {
    @Test("A machine of a table fires by name and keeps its data")
    func fires() throws {
        let machine = try StateMachine(try DataWorkflow(.approval), entering: DataState("Draft", ["amount": 1200]))
        try machine.fire[named: "submit"](DataState("Review", ["amount": 1200, "reviewer": "Ada"]))
        #expect(machine.stateName == "Review")
        #expect(machine.state["amount"] == 1200)
        #expect(machine.state["reviewer"] == "Ada")
        #expect(machine.allowedEvents == ["approve", "reject", "note"])
        #expect(machine.can[named: "approve"])
        #expect(!machine.can[named: "submit"])
        #expect(machine.revision == 1)
        #expect(machine.isIn(named: "Review"))
        #expect(machine.isIn(named: "Open"))
        #expect("\(machine)" == "approval in Review, revision 1")
    }

    @Test("An event without an object keeps the data")
    func keepsData() throws {
        let machine = try StateMachine(try DataWorkflow(.approval), entering: DataState("Draft", ["amount": 1200]))
        try machine.fire[named: "submit"]()
        try machine.enter(named: "Approved")
        #expect(machine.stateName == "Approved")
        #expect(machine.state.data == ["amount": 1200])
    }

    @Test("A table is exact: an unlisted event is rejected, with the allowed ones")
    func rejects() throws {
        let machine = try StateMachine(try DataWorkflow(.approval))
        let error = #expect(throws: InvalidTransition.self) { try machine.fire[named: "approve"]() }
        #expect(error?.reason == .notAllowed)
        #expect(error?.workflow == "approval")
        #expect(error?.source == "Draft")
        #expect(error?.allowedEvents == ["submit"])
        let elsewhere = #expect(throws: InvalidTransition.self) {
            try machine.fire[named: "submit"](DataState("Approved"))
        }
        #expect(elsewhere?.reason == .notAllowed)
        #expect(elsewhere?.destination == "Approved")
        let stranger = #expect(throws: InvalidTransition.self) {
            try machine.fire[named: "submit"](DataState("Lost"))
        }
        #expect(stranger?.reason == .unregisteredState)
        #expect(stranger?.candidates == ["Lost"])
        #expect(
            #expect(throws: InvalidTransition.self) { try machine.fire[named: "submitt"]() }?.candidates.first
                == "submit"
        )
        #expect(
            #expect(throws: InvalidTransition.self) { try machine.enter(DataState("Lost")) }?.reason
                == .unregisteredState
        )
        #expect(machine.revision == 0)
    }

    @Test("A machine begins only in states of the table")
    func begins() throws {
        let error = #expect(throws: InvalidTransition.self) {
            try StateMachine(try DataWorkflow(.approval), entering: DataState("Lost"))
        }
        #expect(error?.reason == .unknownState)
        #expect(
            "\(try #require(error))".hasPrefix(#"approval cannot begin in Lost: the workflow has no state "Lost"."#)
        )
    }

    @Test("A state object made for one workflow has the state of that name in another")
    func twoWorkflows() throws {
        let other = TransitionTable(
            "other",
            states: ["Review", "Draft"],
            initial: "Review",
            events: [.init("back", from: "Review", to: "Draft")]
        )
        let machine = try StateMachine(try DataWorkflow(other))
        let first = try StateMachine(try DataWorkflow(.approval))
        try first.fire[named: "submit"](DataState("Review"))
        try machine.fire[named: "back"](DataState("Draft"))
        #expect(first.stateName == "Review")
        #expect(machine.stateName == "Draft")
        #expect(machine.allowedEvents.isEmpty)
    }

    @Test("An archive has the names of workflow and state and the version, and is restored")
    func archives() throws {
        let approval = try DataWorkflow(.approval)
        let machine = try StateMachine(approval, entering: DataState("Draft", ["amount": 1200, "tags": ["a", 1.5]]))
        try machine.fire[named: "submit"]()
        let archive = try machine.archive()
        #expect(
            String(decoding: archive, as: UTF8.self)
                == #"{"activated":true,"data":{"amount":1200,"tags":["a",1.5]},"format":1,"revision":1,"state":"Review","version":1,"workflow":"approval"}"#
        )
        let later = try StateMachine(archive: archive, of: approval)
        #expect(later.state.name == "Review")
        #expect(later.state.data == machine.state.data)
        try later.fire[named: "approve"]()
        #expect(later.revision == 2)
        let decoder = JSONDecoder()
        decoder.userInfo[.dataWorkflow] = approval
        #expect(try decoder.decode(StateMachine<DataWorkflow>.self, from: archive).state["amount"] == 1200)
    }

    @Test("An archive without its workflow, or of another one, is rejected")
    func refusesArchives() throws {
        let archive = try StateMachine(try DataWorkflow(.approval)).archive()
        var table = TransitionTable.approval
        #expect(throws: ArchiveError.self) { try JSONDecoder().decode(StateMachine<DataWorkflow>.self, from: archive) }
        table = TransitionTable("other", states: ["Draft"], initial: "Draft", events: [])
        let other = try DataWorkflow(table)
        guard
            case .wrongWorkflow("approval", "other", "")? = #expect(
                throws: ArchiveError.self,
                performing: {
                    try StateMachine(archive: archive, of: other)
                }
            )
        else {
            Issue.record("It is another error.")
            return
        }
    }

    @Test("A machine made without its workflow stops the program, and says what to write")
    func missingWorkflow() async throws {
        let entering = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = StateMachine<DataWorkflow>(entering: DataState("Draft"))
        }
        let resuming = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = StateMachine<DataWorkflow>(resumingIn: DataState("Draft"))
        }
        let restored = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try StateMachine<DataWorkflow>(archive: Data("{}".utf8))
        }
        for result in [entering, resuming, restored] {
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains("A machine of DataWorkflow needs its context at once"))
            #expect(text.contains("`StateMachine<DataWorkflow>(entering: state, context: context)`"))
        }
    }

    @Test("Guards and hooks of the workflow run in order, and then observers of the machine")
    func order() throws {
        let heard = Mutex<[String]>([])
        func note(_ text: String) { heard.withLock { $0.append(text) } }
        let approval = try DataWorkflow(.approval)
            .guarded("submit") { draft, _ in heard.withLock { $0.append("guard \(draft.name)") } }
            .didEnter("Open") { state, _ in heard.withLock { $0.append("in \(state.name)") } }
            .didExit("Draft") { state, _ in heard.withLock { $0.append("out of \(state.name)") } }
            .didFire("submit") { _, transition in heard.withLock { $0.append("\(transition)") } }
        let machine = try StateMachine(approval)
        machine.onTransition { _ in heard.withLock { $0.append("observer") } }
        try machine.fire[named: "submit"]()
        #expect(
            heard.withLock { $0 } == [
                "in Draft", "guard Draft", "out of Draft", "in Review", "submit: Draft → Review", "observer",
            ]
        )
        // A copy has the workflow's closures, without the machine's observers.
        heard.withLock { $0 = [] }
        try machine.copy().fire[named: "approve"]()
        #expect(heard.withLock { $0 } == [])
        let again = try StateMachine(archive: try StateMachine(approval).archive(), of: approval).copy()
        try again.fire[named: "submit"]()
        #expect(
            heard.withLock { $0 } == ["in Draft", "guard Draft", "out of Draft", "in Review", "submit: Draft → Review"]
        )
    }

    @Test("A closure hears that the state is left together with the state around it")
    func leftWithHolder() throws {
        let heard = Mutex<[String]>([])
        let approval = try StateMachine(
            DataWorkflow(.approval).didExit("Open") { state, transition in
                heard.withLock { $0 += [state.name, "\(transition)"] }
            },
            entering: DataState("Review")
        )
        let folder = StateMachine<Folder>(entering: OpenFolder(approval))
        try folder.fire.shut()
        #expect(heard.withLock { $0 } == ["Review", "shut: Review → ShutFolder"])
    }

    @Test("A machine is in the groups of its state, by their names")
    func groups() throws {
        let machine = try StateMachine(DataWorkflow(.approval.group("Pending", "Draft")))
        #expect(machine.isIn(named: "Pending"))
        try machine.fire[named: "submit"]()
        #expect(!machine.isIn(named: "Pending"))
        let error = #expect(throws: InvalidTransition.self) {
            try DataWorkflow(.approval).didEnter("Pendnig") { _, _ in }
        }
        #expect(error?.description.hasPrefix("approval cannot add a closure to \"Pendnig\"") == true)
    }

    @Test("A guard declines, and nothing changes")
    func guards() throws {
        struct TooMuch: Error {}
        let approval = try DataWorkflow(.approval).guarded("approve") { review, transition in
            if (review["amount"]?.intValue ?? 0) > 1000, transition.userInfo["by", as: String.self] != "boss" {
                throw TooMuch()
            }
        }
        let machine = try StateMachine(approval, entering: DataState("Review", ["amount": 1200]))
        let error = #expect(throws: InvalidTransition.self) { try machine.fire[named: "approve"]() }
        #expect(error?.reason == .declined)
        #expect(error?.underlyingError is TooMuch)
        try machine.fire[named: "approve"](userInfo: ["by": "boss"])
        #expect(machine.stateName == "Approved")
    }

    @Test("The guard of a workflow is in its table, and in the diagrams, findings and archives of its machines")
    func drawnGuards() throws {
        let plain = try DataWorkflow(.approval)
        let guarded = try plain.guarded("approve") { _, _ in }
        let machine = try StateMachine(guarded)
        #expect(guarded.table["approve"]?.isGuarded == true && guarded.table["reject"]?.isGuarded == false)
        for format in [DiagramFormat.dot, .mermaid] {
            #expect(machine.diagram(format) == guarded.table.diagram(format, current: "Draft"))
        }
        #expect(machine.diagram(.dot).contains("approve [guarded]"))
        let archive = try JSONValue(json: machine.archive(includingDefinition: true))
        #expect(try archive["definition"]?.decoded(as: TransitionTable.self) == guarded.table)
        #expect(!(try StateMachine(plain).diagram(.dot).contains("guarded")))
        let events = ["go", "run"].map { TransitionTable.Event($0, from: "A", to: "B") }
        let twins = try DataWorkflow(TransitionTable("twins", states: ["A", "B"], initial: "A", events: events))
        #expect(twins.table.findings.facts == ["sameEvents go run"])
        #expect(try twins.guarded("go") { _, _ in }.table.findings.isEmpty)
        #expect(try twins.didFire("go") { _, _ in }.table.findings.isEmpty)
    }

    @Test("Guards, hooks and actions that only the table has are problems, and the program goes on")
    func missingClosures() throws {
        #expect(try DataWorkflow(Door.table).problems.facts == ["missingGuard unlock"])
        var table = TransitionTable.approval
        table.events[0].hasHooks = true
        table.events[1].isGuarded = true
        table.actions = [.init(name: "look", states: ["Draft"])]
        let plain = try DataWorkflow(table)
        #expect(plain.problems.facts == ["unsupportedInTable look", "missingHook submit", "missingGuard approve"])
        #expect(plain.problems.allSatisfy { !$0.stopsTheProgram && $0.description.hasSuffix(".") })
        let full = try plain.didFire("submit") { _, _ in }.guarded("approve") { _, _ in }
        #expect(full.problems == table.problems && full.table == table)
        #expect(try plain.guarded("submit") { _, _ in }.problems.count == 3)
        #expect(try DataWorkflow(.approval).guarded("approve") { _, _ in }.problems.isEmpty)
    }

    @Test("A closure for an unknown name is rejected")
    func unknownNames() throws {
        let approval = try DataWorkflow(.approval)
        #expect(
            #expect(throws: InvalidTransition.self) { try approval.guarded("aprove") { _, _ in } }?.candidates.first
                == "approve"
        )
        #expect(
            #expect(throws: InvalidTransition.self) { try approval.didEnter("Reviev") { _, _ in } }?.candidates.first
                == "Review"
        )
        #expect(
            #expect(throws: InvalidTransition.self) { try approval.guarded("aprove") { _, _ in } }?.reason
                == .unknownEvent
        )
    }

    @Test("A fire from a callback is carried out after the current transition")
    func nests() throws {
        let machine = try StateMachine(
            DataWorkflow(.approval).didEnter("Review") { _, transition in
                try? transition.machine(as: DataWorkflow.self)?.fire[named: "approve"]()
            }
        )
        try machine.fire[named: "submit"]()
        #expect(machine.stateName == "Approved")
        #expect(machine.revision == 2)
    }

    @Test("An event is due after the table's delay, and keeps the data")
    func deadlines() async throws {
        let clock = ManualClock()
        let table = TransitionTable(
            "offer",
            states: ["Open", "Lapsed"],
            initial: "Open",
            events: [TransitionTable.Event("lapse", from: "Open", to: "Lapsed").due(after: .seconds(60))]
        )
        let offer = try DataWorkflow(table)
        let machine = try StateMachine(offer, entering: DataState("Open", ["price": 3]), scheduler: clock.scheduler)
        machine.activate()
        #expect(machine.nextDeadline == clock.date + 60)
        let archive = try machine.archive()
        await clock.advance(by: .seconds(61))
        #expect(machine.stateName == "Lapsed")
        #expect(machine.state["price"] == 3)
        let later = try StateMachine(archive: archive, of: offer, scheduler: clock.scheduler)
        later.activate()
        #expect(later.stateName == "Lapsed")
    }

    @Test("The journal, occurrences and streams use the names of the table")
    func journal() async throws {
        let machine = try StateMachine(try DataWorkflow(.approval), journal: 10)
        let seen = Mutex<[String]>([])
        machine.observe { occurrence in seen.withLock { $0.append(occurrence.message) } }
        var states = machine.states().makeAsyncIterator()
        #expect(await states.next()?.name == "Draft")
        try machine.fire[named: "submit"]()
        #expect(await states.next()?.name == "Review")
        try? machine.fire[named: "submit"]()
        #expect(machine.journal.map(\.event) == ["submit", "submit"])
        #expect(machine.journal.first?.destination == "Review")
        #expect(seen.withLock { $0.first }?.contains("Draft → Review") == true)
        let later = try StateMachine(archive: try machine.archive(), of: try DataWorkflow(.approval))
        #expect(later.journal.count == 2)
        #expect(seen.withLock { $0.count } == 2)
    }

    @Test("An ignored event changes nothing, an update keeps the state, and an event from any state leads from each")
    func kinds() throws {
        let table = TransitionTable(
            "kinds",
            states: ["A", "B", "C"],
            initial: "A",
            events: [
                TransitionTable.Event("go", from: "A", to: "B").or(from: "B", to: "C").ignored(in: "C"),
                TransitionTable.Event("note", updating: "B"),
                TransitionTable.Event("reset", fromAnyStateTo: "A").ignored(in: "A"),
            ]
        )
        let machine = try StateMachine(try DataWorkflow(table))
        try machine.fire[named: "reset"]()
        #expect(machine.revision == 0)
        try machine.fire[named: "go"]()
        var isUpdate = false
        let seen = Mutex(isUpdate)
        machine.onTransition { transition in seen.withLock { $0 = transition.isUpdate } }
        try machine.fire[named: "note"](DataState("B", ["n": 1]))
        isUpdate = seen.withLock { $0 }
        #expect(isUpdate)
        #expect(machine.state["n"] == 1)
        try machine.fire[named: "go"]()
        try machine.fire[named: "go"]()
        #expect(machine.stateName == "C")
        try machine.fire[named: "reset"]()
        #expect(machine.stateName == "A")
    }
}

private final class OpenFolder: Composite {
    let approval: StateMachine<DataWorkflow>

    var regions: [any Region] { [approval] }

    init(_ approval: StateMachine<DataWorkflow>) { self.approval = approval }

    func copied() -> Self { Self(approval.copy()) }
}

private final class ShutFolder: EmptyState {}

private struct Folder: Workflow {
    static var initial: any WorkflowState { ShutFolder() }

    let shut = Event(from: OpenFolder.self, to: ShutFolder.self)

    @Test("An update due since the entry is a problem of a table, unless the event has a guard")
    func guardedDeadline() throws {
        let tick = TransitionTable.Event("tick", updating: "A").due(after: .seconds(1))
        let plain = try DataWorkflow(TransitionTable("w", states: ["A"], initial: "A", events: [tick]))
        #expect(plain.problems.facts == ["endlessDeadline tick"])
        #expect(try plain.guarded("tick") { _, _ in }.problems.isEmpty)
    }
}

extension TransitionTable {
    static var approval: TransitionTable {
        TransitionTable(
            "approval",
            states: ["Open", "Draft", "Review", "Approved", "Rejected"],
            initial: "Draft",
            events: [
                Event("submit", from: "Draft", to: "Review"),
                Event("approve", from: "Review", to: "Approved"),
                Event("reject", from: "Review", to: "Rejected"),
                Event("note", updating: "Review"),
            ]
        )
        .within("Open", "Draft", "Review")
    }
}
