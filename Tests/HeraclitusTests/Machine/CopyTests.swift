import Heraclitus
import Testing

@testable import Fixtures

@Suite("Copies") struct CopyTests {
    @Test("A copy is in the same state at the same revision, and independent")
    func independent() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        try machine.fire.go(BState())
        let copy = machine.copy()
        #expect(copy !== machine)
        #expect(copy.state === machine.state)
        #expect(copy.previousState === machine.previousState)
        #expect(copy.revision == 1)
        #expect(copy.isActive)
        try copy.fire.back(AState())
        #expect(machine.stateName == "B")
        #expect(copy.stateName == "A")
        #expect(copy.revision == 2)
    }

    @Test("A copy has the definition's hooks and none of the original's own closures")
    func hooks() throws {
        let journal = CallLog()
        let machine = StateMachine<Heard>.active(journal)
        machine.didEnter(BState.self) { _, _ in journal.write("own") }
        machine.guarded(\.go) { _, _, _ in throw Objection() }
        let copy = machine.copy()
        try copy.fire.go(BState(journal))
        #expect(journal.entries.contains("go.guard1"))
        #expect(journal.entries.contains("B.didEnter"))
        #expect(!journal.entries.contains("own"))
    }

    @Test("A copy of an inactive machine enters its state later, and a restored one calls `didRestore` then")
    func activation() throws {
        let journal = CallLog()
        let copy = StateMachine<Heard>(entering: AState(journal)).copy()
        #expect(!copy.isActive)
        #expect(journal.entries.isEmpty)
        copy.activate()
        #expect(journal.entries == ["A.willEnter", "A.didEnter"])
        StateMachine<Heard>(resumingIn: BState(journal)).copy().activate()
        #expect(journal.entries.last == "B.didRestore")
    }

    @Test("A copy made in a callback has the committed state, without pending work")
    func duringTransition() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        let copies = CallLog()
        machine.willExit(AState.self) { _, transition in
            let copy = transition.machine(as: Heard.self)?.copy()
            copies.write("\(copy?.stateName ?? "") \(copy?.revision ?? -1)")
        }
        machine.didEnter(BState.self) { _, transition in
            try? transition.machine(as: Heard.self)?.fire.onward(CState())
            let copy = transition.machine(as: Heard.self)?.copy()
            copies.write("\(copy?.stateName ?? "") \(copy?.revision ?? -1) \(copy?.can.back ?? false)")
        }
        try machine.fire.go(BState())
        #expect(copies.entries == ["A 0", "B 1 true"])
        #expect(machine.stateName == "C")
    }

    // A composite: a state that holds a machine.
    final class PayingState: WorkflowState, Copying {
        let payment: StateMachine<Download>
        init(payment: StateMachine<Download> = StateMachine()) { self.payment = payment }
        func copied() -> Self { Self(payment: payment.copy()) }
    }
    final class DoneState: WorkflowState, EmptyState {}
    struct Order: Workflow {
        static var initial: any WorkflowState { PayingState() }
        let done = Event(from: PayingState.self, to: DoneState.self)
    }

    @Test("A Copying state is copied with its content, as current and as previous state")
    func copying() throws {
        let machine = StateMachine<Order>()
        let copy = machine.copy()
        let original = try #require(machine.state as? PayingState)
        let copied = try #require(copy.state as? PayingState)
        try copied.payment.fire.cancel()
        #expect(original.payment.state is IdleState)
        #expect(copied.payment.state is CancelledState)
        try machine.fire.done()
        #expect((machine.copy().previousState as? PayingState)?.payment !== original.payment)
    }

    final class CarelessState: WorkflowState {
        let payments: [StateMachine<Download>]
        init() { payments = [] }
    }
    final class LateState: WorkflowState {
        struct Details: Codable, Sendable { var payment: StateMachine<Download>? }
        let details: Details
        init() { details = Details() }
    }
    final class LuckyState: WorkflowState {
        enum Payment: Codable, Sendable {
            case none
            case paying(StateMachine<Download>)
        }
        let payment: Payment
        init(_ payment: Payment) { self.payment = payment }
    }
    struct Lucky: Workflow {
        static var initial: any WorkflowState { LuckyState(.none) }
        let pay = Event(updating: LuckyState.self)
    }

    @Test("A state without a machine at its first copy is checked again when it holds one")
    func lucky() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let machine = StateMachine<Lucky>()
                _ = machine.copy()
                try machine.fire.pay(LuckyState(.paying(StateMachine())))
                _ = machine.copy()
            }
        )
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self).contains("LuckyState holds a state machine")
        )
    }

    struct Paid: Workflow {
        static var initial: any WorkflowState { LuckyState(.none) }
        let pay = Event(updating: LuckyState.self)
        let finish = Event(from: LuckyState.self, to: DoneState.self)
    }

    @Test("A copy lacks a previous state with a machine that is not Copying, and the original keeps it")
    func previous() throws {
        let machine = StateMachine<Paid>()
        try machine.fire.pay(LuckyState(.none))
        #expect(machine.copy().previousState === machine.previousState)
        try machine.fire.pay(LuckyState(.paying(StateMachine())))
        try machine.fire.finish()
        let copy = machine.copy()
        #expect(copy.state is DoneState && copy.revision == 3)
        #expect(copy.previousState == nil && machine.previousState is LuckyState)
    }

    struct Careless: Workflow {
        static var initial: any WorkflowState { CarelessState() }
        static var states: [any WorkflowState.Type] { [CarelessState.self] }
        let leave = Event(to: DoneState.self)
    }
    struct Late: Workflow {
        static var initial: any WorkflowState { DoneState() }
        static var states: [any WorkflowState.Type] { [DoneState.self, LateState.self] }
        let leave = Event(to: DoneState.self)
    }

    @Test("A non-Copying state that can hold a machine is found at its first object, even while it holds none")
    func careless() async throws {
        let array = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Careless>()
            }
        )
        #expect(
            String(decoding: array.standardErrorContent, as: UTF8.self).contains(
                "CarelessState holds a state machine in `payments`"
            )
        )
        let optional = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Late>(resumingIn: LateState())
            }
        )
        #expect(String(decoding: optional.standardErrorContent, as: UTF8.self).contains("`details.payment`"))
    }

    final class ManyState: WorkflowState {
        struct Point: Codable, Sendable, Hashable {
            let x: Double
            let y: Double?
        }
        let numbers: [Int]
        let texts: [String: [String?]]
        let points: Set<Point>
        init(count: Int) {
            numbers = Array(0..<count)
            texts = ["all": (0..<count).map { "\($0)" }]
            points = Set((0..<count).map { Point(x: Double($0), y: nil) })
        }
    }
    struct Many: Workflow {
        static var initial: any WorkflowState { ManyState(count: 0) }
        let grow = Event(updating: ManyState.self)
    }

    @Test("The time of a copy is independent of the number of plain values")
    func many() throws {
        let machine = StateMachine<Many>()
        _ = machine.copy()
        try machine.fire.grow(ManyState(count: 10_000))
        let time = (0..<5).map { _ in threadTime { _ = machine.copy() } }.min()
        #expect(try #require(time) < .milliseconds(5))
    }

    final class HidingState: WorkflowState {
        struct Item: Codable, Sendable, Hashable {
            let name: String
            let payment: Payment
            enum Payment: Codable, Sendable, Hashable {
                case none
                case paying(Machine)
            }
            struct Machine: Codable, Sendable, Hashable {
                let machine: StateMachine<Download>
                static func == (left: Self, right: Self) -> Bool { left.machine === right.machine }
                func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(machine)) }
            }
        }
        let list: [Item]
        let set: Set<Item>
        let dictionary: [String: [Item?]]
        init(_ place: String) {
            let items = [
                Item(name: "a", payment: .none), Item(name: "b", payment: .paying(.init(machine: StateMachine()))),
            ]
            list = place == "list" ? items : []
            set = place == "set" ? Set(items) : []
            dictionary = place == "dictionary" ? ["key": [nil] + items] : [:]
        }
    }
    struct Hiding: Workflow {
        static var initial: any WorkflowState { HidingState("") }
        let hide = Event(updating: HidingState.self)
    }

    @Test("A machine deep within lists, sets and dictionaries of structs is found")
    func hidden() async throws {
        _ = StateMachine<Hiding>().copy()
        let list = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Hiding>(resumingIn: HidingState("list")).copy()
            }
        )
        #expect(
            String(decoding: list.standardErrorContent, as: UTF8.self).contains(
                "holds a state machine in `list.[].payment.paying.machine`"
            )
        )
        await #expect(processExitsWith: .failure) { _ = StateMachine<Hiding>(resumingIn: HidingState("set")).copy() }
        let dictionary = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Hiding>(resumingIn: HidingState("dictionary")).copy()
            }
        )
        #expect(
            String(decoding: dictionary.standardErrorContent, as: UTF8.self).contains(
                "in `dictionary.[].value.[].some.payment.paying.machine`"
            )
        )
    }

    final class NotedState: WorkflowState {
        let notes: UserInfo
        init(_ notes: UserInfo) { self.notes = notes }
    }
    struct Noted: Workflow {
        static var initial: any WorkflowState { NotedState([:]) }
        let note = Event(updating: NotedState.self)
    }

    @Test("A machine among the values of a user info is found, and other values are ignored")
    func userInfo() async throws {
        let machine = StateMachine<Noted>()
        _ = machine.copy()
        try machine.fire.note(NotedState(["count": 1, "names": ["a", "b"], "request": Request(url: "a")]))
        _ = machine.copy()
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                let machine = StateMachine<Noted>(
                    resumingIn: NotedState(["count": 1, "payment": StateMachine<Download>()])
                )
                _ = machine.copy()
            }
        )
        #expect(
            String(decoding: result.standardErrorContent, as: UTF8.self).contains(
                "holds a state machine in `notes.payment`"
            )
        )
    }

    final class ChainState: WorkflowState {
        indirect enum Chain: Codable, Sendable {
            case end
            case machine(StateMachine<Download>)
            case link(Chain)
        }
        let chain: Chain
        init(_ end: Chain, depth: Int) { chain = (0..<depth).reduce(end) { chain, _ in .link(chain) } }
    }
    struct Chained: Workflow {
        static var initial: any WorkflowState { ChainState(.end, depth: 0) }
        let extend = Event(updating: ChainState.self)
    }

    @Test("A machine is found at any depth within values")
    func deep() async throws {
        let plain = StateMachine<Chained>(resumingIn: ChainState(.end, depth: 1_000))
        #expect(plain.copy().state === plain.state)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = StateMachine<Chained>(resumingIn: ChainState(.machine(StateMachine()), depth: 1_000)).copy()
        }
        let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(message.contains("holds a state machine in `chain.link"))
    }

    final class MirroredState: WorkflowState {
        struct Endless: Codable, Sendable, CustomReflectable {
            let text: String
            var customMirror: Mirror { Mirror(self, children: ["again": self]) }
        }
        let endless: Endless
        init() { endless = Endless(text: "") }
    }
    struct Mirrored: Workflow {
        static var initial: any WorkflowState { MirroredState() }
        let renew = Event(updating: MirroredState.self)
    }

    @Test("A value with an endless mirror stops the program at a copy")
    func endless() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = StateMachine<Mirrored>().copy()
            }
        )
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("Endless"))
    }
}
