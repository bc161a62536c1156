import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Context") struct ContextTests {
    /// The context of doors: it records visitors, and knows who may enter.
    private final class Porter: Sendable, Equatable {
        let journal = CallLog()
        let isStrict: Bool

        init(isStrict: Bool = false) { self.isStrict = isStrict }

        static func == (left: Porter, right: Porter) -> Bool { left === right }
    }

    private struct NotPermitted: Error {}

    private final class ShutState: WorkflowState, EmptyState, Exiting {
        func didExit(_ transition: StateTransition) { transition.context(as: Gate.self).journal.write("didExit") }
    }

    private final class OpenState: WorkflowState, EntryGuarding, Entering, Restoring {
        let guest: String

        init(_ guest: String) { self.guest = guest }

        func shouldEnter(_ transition: StateTransition) throws {
            if transition.context(as: Gate.self).isStrict { throw NotPermitted() }
        }
        func didEnter(_ transition: StateTransition) {
            transition.context(as: Gate.self).journal.write("\(guest) enters")
        }
        func didRestore(_ transition: StateTransition) {
            transition.context(as: Gate.self).journal.write("\(guest) is back")
        }
    }

    private final class LockedState: WorkflowState {
        let entries: Int
        init(entries: Int) { self.entries = entries }
    }

    private struct Gate: Workflow {
        typealias Context = Porter
        static var initial: any WorkflowState { ShutState() }
        let open = Event(from: ShutState.self, to: OpenState.self)
            .guarded { _, open, transition in
                transition.context(as: Gate.self).journal.write("guard")
                if open.guest.isEmpty { throw NotPermitted() }
            }
            .didFire { _, _, transition in transition.context(as: Gate.self).journal.write("didFire") }
        let shut = Event(from: OpenState.self, to: ShutState.self)
        let lock = Event(from: OpenState.self, to: LockedState.self)
            .due(after: .seconds(60)).enters { _, call in LockedState(entries: call.context.journal.entries.count) }
        let ring = Action { (_: any WorkflowState, call) in call.context.journal.write("ring") }
    }

    private let clock = ManualClock()

    private func machine(_ porter: Porter) -> StateMachine<Gate> {
        StateMachine(context: porter, scheduler: clock.scheduler)
    }

    @Test("Guards, hooks, actions and builders of automatic events get the typed context")
    func reaches() throws {
        let porter = Porter()
        let machine = machine(porter)
        #expect(machine.context === porter)
        try machine.fire.open(OpenState("Ada"))
        #expect(porter.journal.entries == ["guard", "didExit", "Ada enters", "didFire"])
        try machine.perform(\.ring)
        clock.advance(by: .seconds(60))
        #expect((machine.state as? LockedState)?.entries == 5)
    }

    @Test("A guard of a state declines by the context")
    func declines() throws {
        let machine = machine(Porter(isStrict: true))
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.open(OpenState("Ada")) }
        #expect(error?.underlyingError is NotPermitted)
    }

    @Test("Archives leave the context out, and a restored machine gets another one")
    func restored() throws {
        let machine = machine(Porter())
        try machine.fire.open(OpenState("Ada"))
        let archive = try machine.archive()
        #expect(!String(decoding: archive, as: UTF8.self).contains("journal"))
        let porter = Porter()
        let restored = try StateMachine<Gate>(archive: archive, context: porter, scheduler: clock.scheduler)
        restored.activate()
        #expect(porter.journal.entries == ["Ada is back"])
        #expect(try restored.archive() == archive)
    }

    @Test("A copy shares the context")
    func copies() throws {
        let porter = Porter()
        let machine = machine(porter)
        let copy = machine.copy()
        #expect(copy.context === porter)
        try copy.fire.open(OpenState("Bob"))
        #expect(porter.journal.entries.contains("Bob enters"))
        #expect(machine.isIn(ShutState.self))
    }

    @Test("A decoded machine runs only with its context, and a fire without it has that reason")
    func missing() throws {
        // Entered in the future, so that no deadline is due by the system's clock.
        let future = ManualClock(at: Date() + 1e6)
        let original = StateMachine<Gate>(context: Porter(), scheduler: future.scheduler)
        try original.fire.open(OpenState("Ada"))
        let machine = try decoder.decode(StateMachine<Gate>.self, from: original.archive())
        let heard = CallLog()
        machine.observe { heard.write("\($0.kind) \($0.reason ?? "")") }
        machine.activate()
        #expect(machine.context == nil && !machine.isActive)
        #expect(machine.can.shut && machine.isIn(OpenState.self))

        let error = #expect(throws: InvalidTransition.self) { try machine.fire.shut() }
        #expect(error?.reason == .missingContext)
        #expect(
            error?.description
                == "Gate cannot fire \"shut\" in OpenState: the machine has no context yet. "
                + "Make it by `StateMachine(context: …)` or `store.workflow(_, context: …)`, or call "
                + "`activate(context:)` first. In a machine's state it gets its holder's context, or one of the "
                + "holder's `regionContexts`."
        )
        let rehearsed = #expect(throws: InvalidTransition.self) { try machine.rehearse.shut() }
        #expect(rehearsed?.reason == .missingContext)
        let refused = #expect(throws: InvalidTransition.self) { try machine.perform(\.ring) }
        #expect(refused?.reason == .missingContext)
        let block = #expect(throws: InvalidTransition.self) { try machine.perform { _ in Issue.record("It ran.") } }
        #expect(block?.reason == .missingContext)
        machine.announce("hello")
        #expect(machine.revision == 1 && !machine.isActive)
        #expect(
            heard.entries == [
                "rejected missingContext", "refused missingContext", "refused missingContext", "announced ",
            ]
        )

        let porter = Porter()
        machine.activate(context: porter)
        #expect(machine.isActive && porter.journal.entries == ["Ada is back"])
        machine.activate(context: Porter())
        #expect(machine.context === porter)
        try machine.fire.shut()
        #expect(machine.isIn(ShutState.self))
    }

    @Test("A machine made without its context says what to write, and works with it")
    func madeWithout() throws {
        let machine = StateMachine<Gate>(scheduler: clock.scheduler)
        try expectMissingContext { try machine.fire.open(OpenState("Ada")) }
        let porter = Porter()
        machine.activate(context: porter)
        try machine.fire.open(OpenState("Ada"))
        #expect(porter.journal.entries == ["guard", "didExit", "Ada enters", "didFire"])
    }

    /// Ways to make a machine in a state.
    enum Beginning: CaseIterable {
        case entering, resuming, archive
    }

    /// A machine in the open state, without its context.
    private func machineWithoutContext(by beginning: Beginning) throws -> StateMachine<Gate> {
        let open = OpenState("Ada")
        switch beginning {
        case .entering: return StateMachine<Gate>(entering: open, scheduler: clock.scheduler)
        case .resuming: return StateMachine<Gate>(resumingIn: open, scheduler: clock.scheduler)
        case .archive:
            let machine = machine(Porter())
            try machine.fire.open(open)
            return try StateMachine<Gate>(archive: machine.archive(), scheduler: clock.scheduler)
        }
    }

    @Test(
        "A machine made in a state without its context says what to write, and works with it",
        arguments: Beginning.allCases
    )
    func madeInState(by beginning: Beginning) throws {
        let machine = try machineWithoutContext(by: beginning)
        machine.activate()
        #expect(machine.context == nil && !machine.isActive)
        let text = "Gate in OpenState, revision \(machine.revision)"
        #expect("\(machine)" == "\(text), without its context")
        try expectMissingContext { try machine.fire.shut() }
        let porter = Porter()
        machine.activate(context: porter)
        #expect("\(machine)" == text)
        #expect(porter.journal.entries == [beginning == .entering ? "Ada enters" : "Ada is back"])
        try machine.fire.shut()
        #expect(machine.isIn(ShutState.self))
    }

    /// Expects the error of a missing context, which says what to write.
    private func expectMissingContext(_ fire: () throws -> Void) throws {
        let thrown = #expect(throws: InvalidTransition.self) { try fire() }
        let error = try #require(thrown)
        #expect(error.reason == .missingContext)
        for code in ["`StateMachine(context: …)`", "`store.workflow(_, context: …)`", "`activate(context:)`"] {
            #expect(error.description.contains(code))
        }
    }

    @Test("An observer of a missing context that fires again gets the same error, and the chain ends")
    func observerFires() throws {
        let machine = try decoder.decode(StateMachine<Gate>.self, from: machine(Porter()).archive())
        let heard = CallLog()
        machine.observe { [weak machine] _ in
            do throws(InvalidTransition) {
                try machine?.fire.open(OpenState("x"))
            } catch {
                heard.write(error.reason.rawValue)
            }
        }
        #expect(throws: InvalidTransition.self) { try machine.fire.open(OpenState("y")) }
        #expect(heard.entries == ["missingContext"])
    }

    private final class HallState: EmptyState, Copying {
        let gate: StateMachine<Gate>?
        init() { gate = nil }
        init(_ gate: StateMachine<Gate>) { self.gate = gate }
        func copied() -> HallState { gate.map { HallState($0.copy()) } ?? HallState() }
    }

    private struct Hall: Workflow {
        static var initial: any WorkflowState { HallState() }
        let enter = Event(from: HallState.self, to: HallState.self)
    }

    @Test("An inner machine gets the context at its activation")
    func inner() throws {
        let hall = StateMachine<Hall>(resumingIn: HallState(machine(Porter())))
        let restored = try StateMachine<Hall>(archive: hall.archive())
        let gate = try #require((restored.state as? HallState)?.gate)
        let porter = Porter()
        #expect(throws: InvalidTransition.self) { try gate.fire.open(OpenState("Ada")) }
        gate.activate(context: porter)
        try gate.fire.open(OpenState("Ada"))
        #expect(porter.journal.entries.contains("Ada enters"))
    }

    @Test("A transition read later has its context, also after the machine's release")
    func later() async throws {
        let porter = Porter()
        let (stream, other) = try {
            let machine = machine(porter)
            let streams = (machine.transitions(), machine.transitions())
            try machine.fire.open(OpenState("Ada"))
            return streams
        }()
        for await transition in stream { transition.context(as: Gate.self).journal.write("later") }
        #expect(porter.journal.entries.last == "later")
        for await transition in other { #expect(transition.machine(as: Gate.self) == nil) }
    }

    @Test("A store gives the context to the machines of its units of work", arguments: [false, true])
    func store(inFiles: Bool) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store: any ArchiveStore = inFiles ? try DirectoryStore(at: folder) : InMemoryStore()
        let porter = Porter()
        let gates = store.workflow(Gate.self, context: porter, scheduler: clock.scheduler)
        try await gates.update("1") { try $0.fire.open(OpenState("Ada")) }
        #expect(porter.journal.entries == ["guard", "didExit", "Ada enters", "didFire"])
        let stored = try #require(try await gates.machine("1"))
        #expect(stored.machine.context === porter)
        await clock.advance(by: .seconds(100))
        #expect(try await gates.fireDue().count == 1)
        #expect(try await gates.ids(in: [LockedState.self]) == ["1"])
    }

    @Test("Machines of a store without their context reject fires, and due ones are failures")
    func storeWithout() async throws {
        let store = InMemoryStore()
        let gates = store.workflow(Gate.self, scheduler: clock.scheduler)
        let error = await #expect(throws: InvalidTransition.self) {
            try await gates.update("1") { try $0.fire.open(OpenState("Ada")) }
        }
        #expect(error?.reason == .missingContext)
        #expect(error?.description.contains("`store.workflow(_, context: …)`") == true)
        #expect(await store.load("1") == nil)

        let equipped = store.workflow(Gate.self, context: Porter(), scheduler: clock.scheduler)
        try await equipped.update("1") { try $0.fire.open(OpenState("Ada")) }
        await clock.advance(by: .seconds(100))
        let report = try await gates.fireDue()
        #expect(report.failures.map { $0.id } == ["1"])
        #expect((report.failures.first?.error as? InvalidTransition)?.reason == .missingContext)
        // The failed machine stays claimed for a while.
        await clock.advance(by: .seconds(100))
        #expect(try await equipped.fireDue().failures.isEmpty)
        #expect(try await equipped.ids(in: [LockedState.self]) == ["1"])
    }

    @Test("A machine that a unit of work makes without its context gets the store's, and a context of its own stays")
    func createdWithout() async throws {
        let porter = Porter()
        let gates = InMemoryStore().workflow(Gate.self, context: porter, scheduler: clock.scheduler)
        func made() -> StateMachine<Gate> { StateMachine(entering: OpenState("Ada"), scheduler: clock.scheduler) }
        try await gates.update("1", creating: made) { $0.activate() }
        #expect(porter.journal.entries == ["Ada enters"])
        let other = Porter()
        func equipped() -> StateMachine<Gate> {
            StateMachine(entering: OpenState("Bob"), context: other, scheduler: clock.scheduler)
        }
        try await gates.update("2", creating: equipped) { $0.activate() }
        #expect(other.journal.entries == ["Bob enters"] && porter.journal.entries == ["Ada enters"])
    }

    private struct Maybe: Workflow {
        typealias Context = Porter?
        static var initial: any WorkflowState { HallState() }
        let stay = Event(from: HallState.self, to: LockedState.self)
    }

    @Test("A context may be an optional, `.some(nil)` counts as given, and `nil` counts as missing")
    func optional() throws {
        let missing = StateMachine<Maybe>(context: nil)
        let error = #expect(throws: InvalidTransition.self) { try missing.fire.stay(LockedState(entries: 0)) }
        #expect(error?.reason == .missingContext)
        let machine = StateMachine<Maybe>(context: .some(nil))
        try machine.fire.stay(LockedState(entries: 0))
        #expect(machine.context == .some(nil))
        let porter = Porter()
        #expect(StateMachine<Maybe>(context: porter).context == .some(.some(porter)))
    }

    private func made<W: Workflow>(_ workflow: W.Type, _ context: W.Context? = nil) -> StateMachine<W>
    where W.Initial == W.AnyState {
        StateMachine(context: context)
    }

    @Test("Generic code makes machines with and without a context")
    func generic() throws {
        let plain = made(Hall.self)
        try plain.fire.enter()
        #expect(plain.context != nil)
        plain.activate(context: ())
        plain.onTransition { transition in transition.context(as: Hall.self) }
        try plain.fire.enter()
        #expect(made(Gate.self, Porter()).context != nil)
        #expect(made(Gate.self).context == nil)
    }

    @Test("A stream gives its transitions the machine's context of that moment, also after the machine's release")
    func streams() async throws {
        let archive = try StateMachine<Gate>(context: Porter()).archive()
        var gate: StateMachine<Gate>? = try JSONDecoder().decode(StateMachine<Gate>.self, from: archive)
        let transitions = try #require(gate).transitions()
        let porter = Porter()
        gate?.activate(context: porter)
        try gate?.fire.open(OpenState("Ada"))
        gate = nil
        for await transition in transitions { #expect(transition.context(as: Gate.self) === porter) }
    }

    @Test("A context lives as long as the machines that share it")
    func lifetime() throws {
        weak var gone: Porter?
        do {
            let porter = Porter()
            gone = porter
            let machine = machine(porter)
            try machine.copy().fire.open(OpenState("Ada"))
        }
        #expect(gone == nil)
    }

    private var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .archived
        return decoder
    }
}
