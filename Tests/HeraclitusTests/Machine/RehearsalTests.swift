import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

@Suite("Rehearsals") struct RehearsalTests {
    // A shop whose guards explain their refusals.

    final class CartState: WorkflowState, ExitGuarding {
        let items: Int
        init(items: Int) { self.items = items }
        func shouldExit(_ transition: StateTransition) throws {
            if transition.userInfo["locked", as: Bool.self] == true { throw Objection(text: "locked") }
        }
    }
    final class PaidState: WorkflowState, EntryGuarding {
        let cents: Int
        init(cents: Int) { self.cents = cents }
        func shouldEnter(_ transition: StateTransition) throws {
            if cents == 0 { throw Objection(text: "nothing paid") }
        }
    }
    final class EmptiedState: WorkflowState, EmptyState {}
    final class SentState: WorkflowState, EmptyState {}

    struct Shop: Workflow {
        static var initial: any WorkflowState { CartState(items: 0) }

        let pay = Event(from: CartState.self, to: PaidState.self)
            .guarded { cart, _, _ in if cart.items == 0 { throw Objection(text: "the cart is empty") } }
        let drop = Event(from: CartState.self, to: EmptiedState.self).ignored(in: EmptiedState.self)
            .guarded { cart, _, _ in if cart.items == 0 { throw Objection(text: "the cart is empty") } }
            .guarded { _, _, transition in
                guard transition.userInfo["isSure", as: Bool.self] == true else { throw Objection(text: "not sure") }
            }
        let send = Event(from: PaidState.self, to: SentState.self)
        let split = Event(from: CartState.self, to: EmptiedState.self, SentState.self)
    }

    private static func texts(_ errors: [any Error]) -> [String] { errors.map { ($0 as? Objection)?.text ?? "\($0)" } }

    /// All texts of an error.
    private static func all(_ error: InvalidTransition?) -> [String] {
        guard let error else { return ["no error"] }
        return [
            "\(error.reason)", error.workflow, error.event ?? "none", error.source, error.destination ?? "none",
            "\(error.candidates)", "\(error.allowedEvents)", "\(error.userInfo)", "\(error)",
            error.underlyingError.map { "\($0)" } ?? "none",
        ]
    }

    private static func error(_ body: () throws(InvalidTransition) -> Void) -> InvalidTransition? {
        do { try body() } catch { return error }
        return nil
    }

    private static func make(_ state: String) -> any WorkflowState {
        switch state {
        case "empty cart": CartState(items: 0)
        case "cart": CartState(items: 2)
        case "paid": PaidState(cents: 7)
        case "free": PaidState(cents: 0)
        case "emptied": EmptiedState()
        case "sent": SentState()
        default: OpenState()
        }
    }

    @Test(
        "A rehearsal throws exactly the error of the fire, and none for an accepted or ignored fire",
        arguments: ["empty cart", "cart", "paid", "emptied", "sent"],
        ["pay", "drop", "send", "split", "unknown"]
    )
    func agrees(_ source: String, _ event: String) {
        for destination in ["cart", "paid", "free", "emptied", "sent", "stranger", nil] {
            for userInfo: UserInfo in [[:], ["isSure": true], ["locked": true]] {
                let machine = StateMachine<Shop>(resumingIn: Self.make(source))
                machine.activate()
                machine.guarded(\.send) { _, _, _ in throw Objection(text: "own") }
                machine.guarded(\.split) { _, destination, _ in
                    if destination is SentState { throw Objection(text: "own") }
                }
                func run(_ fire: Fire<Shop>) -> InvalidTransition? {
                    Self.error { () throws(InvalidTransition) in
                        if let destination {
                            try fire[named: event](Self.make(destination), userInfo: userInfo)
                        } else {
                            try fire[named: event](userInfo: userInfo)
                        }
                    }
                }
                let before = machine.state
                let rehearsed = run(machine.rehearse)
                #expect(machine.state === before && machine.revision == 0 && machine.previousState == nil)
                let fired = run(machine.fire)
                #expect(Self.all(rehearsed) == Self.all(fired))
                #expect(fired == nil || machine.revision == 0)
            }
        }
    }

    @Test("Every form of firing can be rehearsed")
    func ways() throws {
        let machine = StateMachine<Shop>(resumingIn: CartState(items: 1))
        try machine.rehearse.pay(PaidState(cents: 1))
        try machine.rehearse.pay { cart in PaidState(cents: cart.items) }
        try machine.rehearse[Shop.events.pay](PaidState(cents: 1))
        try machine.rehearse[Shop.events.pay]({ cart in PaidState(cents: cart.items) })
        try machine.rehearse[Shop.events.drop](userInfo: ["isSure": true])
        try machine.rehearse[named: "pay"](PaidState(cents: 1))
        try machine.rehearse[named: "drop"](userInfo: ["isSure": true])
        #expect(throws: InvalidTransition.self) { try machine.rehearse.pay { _ in throw Objection() } }
        #expect(machine.revision == 0 && machine.state is CartState)
    }

    @Test("A rehearsal calls guards and builder once, without hooks and observers, and releases the built object")
    func nothingElse() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(journal)
        machine.guarded(\.go) { _, _, _ in journal.write("own guard") }
        machine.willFire(\.go) { _, _, _ in journal.write("own hook") }
        machine.observe { journal.write("heard \($0)") }
        machine.onTransition { journal.write("heard \($0)") }
        weak var built: BState?
        try machine.rehearse.go { _ in
            journal.write("build")
            let state = BState(journal)
            built = state
            return state
        }
        #expect(
            journal.entries == ["build", "go.guard1", "go.guard2", "A.shouldExit", "B.shouldEnter", "own guard"]
        )
        #expect(built == nil)
        journal.clear()
        #expect(throws: InvalidTransition.self) { try machine.rehearse.back(AState(journal)) }
        try machine.rehearse.touch(AState(journal))
        #expect(journal.entries == ["touch.guard"])
        // The table rejects before any object is made.
        #expect(throws: InvalidTransition.self) {
            try machine.rehearse.back { _ in
                journal.write("built")
                return AState()
            }
        }
        #expect(journal.entries == ["touch.guard"])
        journal.clear()
        try machine.fire.go(BState(journal))
        #expect(machine.stateName == "B" && journal.entries.contains("own hook"))
    }

    @Test("A rehearsal leaves an inactive machine inactive")
    func inactive() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>(entering: AState(journal))
        machine.didEnter(AState.self) { _, transition in
            try? transition.machine(as: Heard.self)?.fire.go(BState(journal))
        }
        try machine.rehearse.go(BState(journal))
        #expect(throws: InvalidTransition.self) { try machine.rehearse.back(AState(journal)) }
        #expect(!machine.eventAvailability().isEmpty)
        #expect(!machine.isActive && machine.stateName == "A" && !journal.entries.contains("A.didEnter"))
        machine.activate()
        #expect(machine.isActive && machine.stateName == "B" && journal.entries.contains("A.didEnter"))
    }

    @Test("An announcement of a guard in a rehearsal activates the machine before observers fire")
    func announcing() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>(entering: AState(journal))
        machine.guarded(\.again) { _, _, transition in
            transition.machine(as: Heard.self)?.announce("asked")
            transition.machine(as: Heard.self)?.announce("asked again")
        }
        machine.observe { [unowned machine] occurrence in
            journal.write(occurrence.message)
            if occurrence.announcement == "asked" { try? machine.fire.nudge(CState(journal)) }
        }
        try machine.rehearse.again(AState(journal))
        #expect(machine.isActive && machine.stateName == "C" && machine.revision == 1)
        #expect(
            journal.entries.filter { !$0.contains("should") && !$0.contains("guard") } == [
                "A.willEnter", "A.didEnter", #""asked" announced in A"#, #""asked again" announced in A"#,
                "A.willExit", "C.willEnter", "A.didExit", "C.didEnter", "nudge: A → C",
            ]
        )
    }

    @Test(
        "In a did hook the answer is for the state after all accepted fires; a guard has no answer"
    )
    func inCallbacks() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        machine.guarded(\.go) { _, _, transition in
            let machine = transition.machine(as: Heard.self)
            let error = Self.error { () throws(InvalidTransition) in try machine?.rehearse.go(BState()) }
            journal.write("guard \(error.map { "\($0.reason)" } ?? "none")")
            for (event, rejection) in machine?.eventAvailability() ?? []
            where rejection?.reason != .transitionInProgress {
                journal.write(event)
            }
        }
        machine.willExit(AState.self) { _, transition in
            let error = Self.error { () throws(InvalidTransition) in
                try transition.machine(as: Heard.self)?.rehearse.go(BState())
            }
            journal.write("will \(error.map { "\($0.reason)" } ?? "none")")
        }
        machine.didEnter(BState.self) { _, transition in
            guard let machine = transition.machine(as: Heard.self) else { return }
            #expect(throws: Never.self) { try machine.rehearse.onward(CState()) }
            // Any number of rehearsals leaves the chain's length unchanged.
            for _ in 0..<(StateMachine<Heard>.chainLimit + 1) { try? machine.rehearse.onward(CState()) }
            #expect(throws: Never.self) { try machine.fire.back(AState()) }
            let error = Self.error { () throws(InvalidTransition) in try machine.rehearse.onward(CState()) }
            journal.write("did \(error.map { "\($0.reason) in \($0.source)" } ?? "none")")
            #expect(throws: Never.self) {
                try machine.rehearse.again { (source: AState) in
                    journal.write("built from \(type(of: source).name)")
                    return AState()
                }
            }
        }
        try machine.fire.go(BState())
        #expect(machine.stateName == "A" && machine.revision == 2)
        #expect(
            journal.entries == [
                "guard transitionInProgress", "will transitionInProgress", "did notAllowed in A", "built from A",
            ]
        )
    }

    @Test("A rehearsal waits for its turn, and a fire after a failed rehearsal works as usual")
    func turns() throws {
        let machine = StateMachine<Shop>(resumingIn: CartState(items: 1))
        let isInside = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        machine.didEnter(PaidState.self) { _, _ in
            isInside.signal()
            mayGoOn.wait()
        }
        let fired = onThread { try? machine.fire.pay(PaidState(cents: 1)) }
        #expect(isInside.comes())
        let rehearsed = onThread { try? machine.rehearse.send() }
        #expect(!rehearsed.comes(within: 0.1))
        mayGoOn.signal()
        #expect(fired.comes() && rehearsed.comes())
        #expect(machine.state is PaidState)
        #expect(throws: InvalidTransition.self) { try machine.rehearse.pay(PaidState(cents: 0)) }
        try machine.fire.send()
        #expect(machine.state is SentState)
    }

    @Test("Rehearsals on many threads change nothing and hold up no thread")
    func threads() {
        let machine = StateMachine<Shop>(resumingIn: CartState(items: 1))
        onThreads(4) { index in
            for _ in 0..<500 {
                try? machine.rehearse.pay(PaidState(cents: index))
                _ = machine.eventAvailability()
            }
        }
        #expect(machine.revision == 0 && machine.state is CartState)
    }
}

// MARK: - Offers

extension RehearsalTests {
    @Test("Every event is offered with its answer, in the order of the definition")
    func eventAvailability() {
        let machine = StateMachine<Shop>(resumingIn: CartState(items: 1))
        let events = machine.eventAvailability(userInfo: ["isSure": true])
        #expect(events.map(\.event) == ["pay", "drop", "send", "split"])
        #expect(events.map(\.rejection?.reason) == [.destinationNeeded, nil, .notAllowed, .destinationNeeded])
        #expect(events[0].rejection?.candidates == ["PaidState"])
        #expect(events[2].rejection?.failureReason == #""send" has no transition from CartState to SentState."#)
        #expect(events[3].rejection?.candidates == ["EmptiedState", "SentState"])
        let emptied = StateMachine<Shop>(resumingIn: EmptiedState())
        #expect(emptied.eventAvailability().map(\.event) == ["pay", "drop", "send", "split"])
        // An ignored event succeeds.
        #expect(emptied.eventAvailability()[1].rejection == nil)
        #expect(emptied.eventAvailability()[0].rejection?.reason == .notAllowed)
        #expect(machine.revision == 0)
    }

    @Test("A declined event is offered with the errors of all its guards; a fire has the first error")
    func unmetGuards() throws {
        let journal = CallLog()
        let machine = StateMachine<Shop>(resumingIn: CartState(items: 0))
        machine.guarded(\.drop) { _, _, _ in throw Objection(text: "own") }
        machine.observe { journal.write($0.message) }
        let rejection = try #require(machine.eventAvailability(userInfo: ["locked": true])[1].rejection)
        #expect(Self.texts(rejection.unmetGuards) == ["the cart is empty", "not sure", "locked", "own"])
        #expect(rejection.reason == .declined && rejection.userInfo["locked", as: Bool.self] == true)
        #expect(journal.entries == [])
        let fired = Self.error { () throws(InvalidTransition) in try machine.fire.drop(userInfo: ["locked": true]) }
        #expect(Self.all(rejection) == Self.all(fired))
        #expect(fired.map { Self.texts($0.unmetGuards) } == ["the cart is empty"])
        let sure = try #require(machine.eventAvailability(userInfo: ["isSure": true])[1].rejection)
        #expect(Self.texts(sure.unmetGuards) == ["the cart is empty", "own"])
    }

    @Test("In a did hook availabilities are for the state that all accepted fires lead to")
    func offersInCallbacks() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(CallLog())
        machine.didEnter(BState.self) { _, transition in
            guard let machine = transition.machine(as: Heard.self) else { return }
            try? machine.fire.onward(CState())
            for (event, rejection) in machine.eventAvailability() {
                journal.write("\(event) \(rejection.map { "\($0.reason) in \($0.source)" } ?? "succeeds")")
            }
        }
        try machine.fire.go(BState())
        #expect(journal.entries.count == Heard.table.events.count && journal.entries[0] == "go notAllowed in C")
    }
}
