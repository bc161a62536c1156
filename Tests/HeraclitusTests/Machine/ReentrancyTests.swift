import Heraclitus
import Testing

@testable import Fixtures

@Suite("Firing from callbacks") struct ReentrancyTests {
    @Test("A fire from a did hook comes after all callbacks, before the outermost fire returns")
    func queued() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(journal)
        machine.didExit(AState.self) { _, transition in
            guard transition.event == "go", let machine = transition.machine(as: Heard.self) else { return }
            #expect(throws: Never.self) { try machine.fire.back(AState(journal)) }
            journal.write(
                "fired back; state \(machine.stateName), can.go \(machine.can.go), can.back \(machine.can.back)"
            )
            #expect(machine.allowedEvents == ["go", "again", "touch", "nudge"])
        }
        machine.onTransition { transition in
            journal.write("\(transition)")
        }
        try machine.fire.go(BState(journal))
        #expect(machine.stateName == "A")
        #expect(machine.revision == 2)
        #expect(
            journal.entries == [
                "go.guard1", "go.guard2", "A.shouldExit", "B.shouldEnter", "go.willFire", "A.willExit", "B.willEnter",
                "A.didExit",
                // The nested fire is guarded at once …
                "B.shouldExit", "A.shouldEnter", "fired back; state B, can.go true, can.back false",
                "B.didEnter", "go.didFire", "go: A → B",
                // … and carried out when the first one is through.
                "B.willExit", "A.willEnter", "B.didExit", "A.didEnter", "back: B → A",
            ]
        )
    }

    @Test("A nested fire is validated against the state that all accepted fires lead to")
    func projected() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        let errors = CallLog()
        machine.didEnter(BState.self) { _, transition in
            guard let machine = transition.machine(as: Heard.self), machine.revision == 1 else { return }
            do throws(InvalidTransition) {
                try machine.fire.onward { (b: BState) in
                    errors.write("builder gets \(type(of: b).name)")
                    return CState()
                }
                try machine.fire.back(AState())
            } catch {
                errors.write("\(error.reason) in \(error.source), shown \(machine.stateName)")
            }
        }
        try machine.fire.go(BState())
        #expect(errors.entries == ["builder gets B", "notAllowed in C, shown B"])
        #expect(machine.stateName == "C")
    }

    @Test("A declined nested fire leaves earlier accepted fires unchanged")
    func nestedDecline() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        machine.didEnter(BState.self) { _, transition in
            guard let machine = transition.machine(as: Heard.self) else { return }
            let error = #expect(throws: InvalidTransition.self) {
                try machine.fire.onward(CState(declinesEntry: true))
            }
            #expect(error?.reason == .declined)
            #expect(error?.source == "B")
            #expect(throws: Never.self) { try machine.fire.onward(CState()) }
        }
        try machine.fire.go(BState())
        #expect(machine.stateName == "C")
        #expect(machine.revision == 2)
    }

    @Test("Guards, builders, arguments and will hooks must not fire their machine")
    func inProgress() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        let reasons = CallLog()
        @Sendable func tryToFire(_ from: String) {
            do {
                try machine.fire.again(AState())
                reasons.write("\(from) fired")
            } catch {
                reasons.write("\(from) \(error.reason) \(error.event ?? "")")
            }
        }
        machine.guarded(\.go) { _, _, _ in tryToFire("guard") }
        machine.willFire(\.go) { _, _, _ in tryToFire("willFire") }
        machine.willExit(AState.self) { _, _ in tryToFire("willExit") }
        machine.willEnter(BState.self) { _, _ in tryToFire("willEnter") }
        try machine.fire.go { _ in
            tryToFire("builder")
            return BState()
        }
        #expect(
            reasons.entries
                == ["builder", "guard", "willFire", "willExit", "willEnter"].map {
                    "\($0) transitionInProgress again"
                }
        )
        #expect(machine.stateName == "B")
    }

    @Test("The builder and guards of a nested fire must not fire either, and the did hook may still")
    func inProgressNested() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        let reasons = CallLog()
        machine.didEnter(BState.self) { _, transition in
            guard let machine = transition.machine(as: Heard.self) else { return }
            do throws(InvalidTransition) {
                try machine.fire.onward { _ in
                    do throws(InvalidTransition) { try machine.fire.back(AState()) } catch {
                        reasons.write("\(error.reason)")
                    }
                    throw Objection()
                }
            } catch { reasons.write("\(error.reason)") }
            do throws(InvalidTransition) { try machine.fire.back(AState()) } catch { reasons.write("\(error.reason)") }
        }
        try machine.fire.go(BState())
        #expect(reasons.entries == ["transitionInProgress", "declined"])
        #expect(machine.stateName == "A")
    }

    @Test("An endless chain ends with an error at the fire that exceeds the limit, and the outer one succeeds")
    func endless() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        let errors = CallLog()
        let kept = machine.didEnter(AState.self) { _, transition in
            do throws(InvalidTransition) { try transition.machine(as: Heard.self)?.fire.again(AState()) } catch {
                errors.write("\(error.reason) \(error.event ?? "")")
            }
        }
        try machine.fire.again(AState())
        #expect(errors.entries == ["endlessChain again"])
        #expect(machine.revision == StateMachine<Heard>.chainLimit + 1)
        errors.clear()
        kept.cancel()
        try machine.fire.go(BState())
        #expect(machine.stateName == "B")
    }

    /// Fires when it is released.
    final class Token: Codable, Sendable {
        let onRelease: @Sendable () -> Void
        init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
        init(from decoder: any Decoder) { onRelease = {} }
        func encode(to encoder: any Encoder) {}
        deinit { onRelease() }
    }

    @Test("A fire during the release of a payload is carried out at any time")
    func released() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        machine.didEnter(BState.self) { _, transition in
            guard let machine = transition.machine(as: Heard.self), machine.revision == 1 else { return }
            let token = Token { #expect(throws: Never.self) { try machine.fire.again(AState()) } }
            #expect(throws: Never.self) { try machine.fire.back(AState(), userInfo: ["token": token]) }
        }
        try machine.fire.go(BState(), userInfo: ["token": Token { try? machine.fire.again(AState()) }])
        #expect(machine.revision == 4)
        #expect(machine.stateName == "A")
    }

    final class UnheardState: EmptyState {}
    final class LaterState: EmptyState {}

    /// A state that fires further events, and lets a listener in only then.
    final class FiringState: WorkflowState, Entering {
        let journal: CallLog

        init(_ journal: CallLog) { self.journal = journal }

        init(from decoder: any Decoder) { journal = CallLog() }

        func encode(to encoder: any Encoder) {}

        func didEnter(_ transition: StateTransition) {
            guard let machine = transition.machine(as: Unheard.self) else { return }
            try? machine.fire.finish(LaterState(), userInfo: ["from": "hook"])
            let journal = journal
            machine.didEnter(LaterState.self) { _, transition in
                journal.write("\(transition) \(transition.userInfo["from", as: String.self] ?? "nobody")")
            }
        }
    }

    struct Unheard: Workflow {
        static var initial: any WorkflowState { UnheardState() }
        let begin = Event(from: UnheardState.self, to: FiringState.self)
        let finish = Event(from: FiringState.self, to: LaterState.self)
    }

    @Test("A listener added after a nested fire was accepted gets it with its own user info")
    func listeningLater() throws {
        let journal = CallLog()
        let machine = StateMachine<Unheard>()
        try machine.fire.begin(FiringState(journal), userInfo: ["from": "caller"])
        #expect(journal.entries == ["finish: FiringState → LaterState hook"])
    }

    @Test("The limit covers activation and the first fire together")
    func endlessActivation() {
        let machine = StateMachine<Heard>()
        machine.didEnter(AState.self) { _, transition in
            try? transition.machine(as: Heard.self)?.fire.again(AState())
        }
        try? machine.fire.again(AState())
        #expect(machine.revision == StateMachine<Heard>.chainLimit + 1)
    }

    @Test("A fire of an observer is carried out, too")
    func observer() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        machine.onTransition { transition in
            guard transition.destination is BState else { return }
            #expect(throws: Never.self) { try transition.machine(as: Heard.self)?.fire.onward(CState()) }
        }
        try machine.fire.go(BState())
        #expect(machine.stateName == "C")
    }
}
