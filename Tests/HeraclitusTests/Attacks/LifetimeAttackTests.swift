import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

/// Machines, states, closures and payloads are released with their last reference, on any thread.
@Suite("Lifetimes under attack") struct LifetimeAttackTests {
    /// Counts the living objects of a kind.
    final class Population: Sendable {
        private let living = Atomic<Int>(0)
        private let born = Atomic<Int>(0)

        var count: Int { living.load(ordering: .sequentiallyConsistent) }
        var births: Int { born.load(ordering: .relaxed) }

        /// Whether all objects are released soon.
        ///
        /// A thread releases its closure shortly after its end.
        var isExtinct: Bool {
            for _ in 0..<30_000 where count != 0 { usleep(10_000) }
            return count == 0
        }

        func begin() {
            living.add(1, ordering: .sequentiallyConsistent)
            born.add(1, ordering: .relaxed)
        }

        func end() { living.subtract(1, ordering: .sequentiallyConsistent) }
    }

    static let states = Population()
    static let tokens = Population()
    static let payloads = Population()

    /// An object that a closure captures.
    final class Token: Sendable {
        init() { tokens.begin() }
        deinit { tokens.end() }
        func touch() {}
    }

    /// An object that a caller passes along.
    final class Payload: Codable, Sendable {
        init() { payloads.begin() }
        init(from decoder: any Decoder) throws { payloads.begin() }
        func encode(to encoder: any Encoder) throws {}
        deinit { payloads.end() }
    }

    class Mortal: WorkflowState, @unchecked Sendable {  // no data, and the class has subclasses
        class var name: String { "Mortal" }
        required init() { states.begin() }
        required init(from decoder: any Decoder) throws { states.begin() }
        func encode(to encoder: any Encoder) throws {}
        deinit { states.end() }
    }

    final class Quiet: Mortal, EmptyState, @unchecked Sendable { override class var name: String { "Quiet" } }

    /// A state that calls the firing thread's hand from all hooks.
    final class Talking: Mortal, EmptyState, ExitGuarding, EntryGuarding, EntryPreparing, Entering, Exiting, Restoring,
        Copying, @unchecked Sendable
    {
        override class var name: String { "Talking" }
        func shouldExit(_ transition: StateTransition) throws { try Hand.current?.isAsked(transition) }
        func shouldEnter(_ transition: StateTransition) throws { try Hand.current?.isAsked(transition) }
        func willEnter(_ transition: StateTransition) { Hand.current?.isCalled(transition) }
        func didEnter(_ transition: StateTransition) { Hand.current?.isCalled(transition) }
        func didExit(_ transition: StateTransition) { Hand.current?.isCalled(transition) }
        func didRestore(_ transition: StateTransition) { Hand.current?.isCalled(transition) }
        func copied() -> Self { Self() }
    }

    /// A workflow whose states are typed as a class.
    struct Classes: LifeWorkflow {
        static var initial: Mortal { Quiet() }
        let quiet = Event(to: Quiet.self)
        let talk = Event(to: Talking.self)
        let renew = Event(updating: [Talking.self, Quiet.self])
        static func mortal(_ state: Mortal) -> Mortal { state }
    }

    /// A workflow whose states are typed as a protocol.
    struct Existentials: LifeWorkflow {
        static var initial: any WorkflowState { Talking() }
        let quiet = Event(to: Quiet.self)
        let talk = Event(to: Talking.self)
        let renew = Event(updating: [Talking.self, Quiet.self])
        static func mortal(_ state: Mortal) -> any WorkflowState { state }
    }

    @Test("Every state, closure and payload is released with its last reference, also with concurrent releases")
    func extinction() async throws {
        try await Attack("Lifetimes", suite: Self.self, counting: "objects").run { start in
            let before = Self.states.births + Self.tokens.births + Self.payloads.births
            try Self.live(start)
            var findings = Attack.Findings()
            findings.count = Self.states.births + Self.tokens.births + Self.payloads.births - before
            for (name, population) in [("states", Self.states), ("closures", Self.tokens), ("payloads", Self.payloads)]
            where !population.isExtinct {
                findings.faults.append("\(population.count) \(name) are left")
            }
            return findings
        }
    }

    private static func live(_ start: Seed) throws {
        var seed = start
        let count = 2 + seed.below(7)
        let shelf = Shelf(2 + seed.below(3))
        onThreads(count) { index in
            let hand = Hand(start.branch(index), shelf)
            Hand.$current.withValue(hand) {
                for _ in 0..<150 { hand.act() }
            }
        }
    }
}

/// A workflow of mortal states.
protocol LifeWorkflow: Workflow where Initial == AnyState {
    static func mortal(_ state: LifetimeAttackTests.Mortal) -> AnyState
}

extension LifeWorkflow {
    fileprivate static func machine() -> any MortalMachine { StateMachine<Self>() }
}

/// The operations of hands on a machine of any workflow.
private protocol MortalMachine: AnyObject, Sendable {
    func fire(_ event: String, _ state: LifetimeAttackTests.Mortal?, _ userInfo: UserInfo) throws
    func listen(_ way: Int, _ token: LifetimeAttackTests.Token) -> Registration
    func read() -> [any Sendable]
    func doubled(asArchive: Bool) throws -> any MortalMachine
    func act(_ body: @escaping @Sendable () -> Void)
}

extension StateMachine: MortalMachine where W: LifeWorkflow {
    fileprivate func fire(_ event: String, _ state: LifetimeAttackTests.Mortal?, _ userInfo: UserInfo) throws {
        guard let state else { return try fire[named: event](userInfo: userInfo) }
        try fire[named: event](W.mortal(state), userInfo: userInfo)
    }

    fileprivate func listen(_ way: Int, _ token: LifetimeAttackTests.Token) -> Registration {
        switch way {
        case 0:
            return onTransition { transition in
                token.touch()
                Hand.current?.isCalled(transition)
            }
        case 1:
            return observe { occurrence in
                token.touch()
                Hand.current?.keep(occurrence)
            }
        case 2:
            return add(
                .guard { transition in
                    if transition.isUpdate { return }
                    token.touch()
                    try Hand.current?.isAsked(transition)
                }
            )
        default:
            return didExit((any WorkflowState).self) { _, transition in
                token.touch()
                Hand.current?.isCalled(transition)
            }
        }
    }

    fileprivate func read() -> [any Sendable] { [state, previousState, states, transitions] }

    fileprivate func doubled(asArchive: Bool) throws -> any MortalMachine {
        asArchive ? try StateMachine(archive: archive()) : copy()
    }

    fileprivate func act(_ body: @escaping @Sendable () -> Void) {
        activate()
        try? perform { _ in body() }
    }
}

/// The shared place where threads find and drop machines and other objects.
private final class Shelf: Sendable {
    private let machines: Lock<[(any MortalMachine)?]>
    private let others = Lock<[any Sendable]>([])

    init(_ count: Int) { machines = Lock(Array(repeating: nil, count: count)) }

    func machine(_ place: Int) -> (any MortalMachine)? { machines.withLock { $0[place % $0.count] } }

    func put(_ machine: (any MortalMachine)?, _ place: Int) {
        // The old objects are released outside the lock.
        let old = machines.withLock { machines in
            let old = machines[place % machines.count]
            machines[place % machines.count] = machine
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Keeps an object until enough others are kept.
    func keep(_ other: any Sendable) {
        let dropped = others.withLock { others in
            others.append(other)
            return others.count > 20 ? others.removeFirst() : 0
        }
        withExtendedLifetime(dropped) {}
    }

    /// Takes a kept object.
    func take() -> (any Sendable)? { others.withLock { $0.popLast() } }
}

/// A thread that does random operations on machines, also from their callbacks.
private final class Hand: Sendable {
    @TaskLocal static var current: Hand?

    private let random: Lock<(seed: Seed, depth: Int)>
    private let shelf: Shelf

    init(_ seed: Seed, _ shelf: Shelf) {
        random = Lock((seed, 0))
        self.shelf = shelf
    }

    private func below(_ bound: Int) -> Int { random.withLock { $0.seed.below(bound) } }

    func isAsked(_ transition: StateTransition) throws {
        isCalled(transition)
        if below(10) == 0 { throw Declined(number: nil) }
    }

    func isCalled(_ transition: StateTransition) {
        // A kept transition retains its machine while the shelf keeps it.
        if below(12) == 0 { shelf.keep(transition) }
        goOn()
    }

    func keep(_ occurrence: Occurrence) {
        if below(6) == 0 { shelf.keep(occurrence) }
        goOn()
    }

    /// Sometimes does one more operation within a callback.
    private func goOn() {
        guard below(4) == 0, random.withLock({ $0.depth < 4 }) else { return }
        act()
    }

    func act() {
        random.withLock { $0.depth += 1 }
        defer { random.withLock { $0.depth -= 1 } }
        let place = below(8)
        guard let machine = shelf.machine(place) else { return shelf.put(made(), place) }
        switch below(20) {
        case ..<9: fire(machine)
        case ..<12: shelf.keep(machine.listen(below(4), LifetimeAttackTests.Token()))
        case 12: (shelf.take() as? Registration)?.cancel()
        case 13: for value in machine.read() where below(2) == 0 { shelf.keep(value) }
        case 14: (try? machine.doubled(asArchive: below(2) == 0)).map { shelf.put($0, below(8)) }
        case 15: shelf.put(nil, place)
        case 16: shelf.put(made(), place)
        case 17: machine.act { Hand.current?.goOn() }
        case 18: _ = shelf.take()
        default: shelf.keep(machine)
        }
    }

    private func made() -> any MortalMachine {
        below(2) == 0 ? LifetimeAttackTests.Classes.machine() : LifetimeAttackTests.Existentials.machine()
    }

    private func fire(_ machine: any MortalMachine) {
        let event = ["quiet", "talk", "renew"][below(3)]
        let state: LifetimeAttackTests.Mortal? =
            switch below(4) {
            case 0: nil
            case 1: LifetimeAttackTests.Quiet()
            case 2: LifetimeAttackTests.Talking()
            // A state outside the workflow.
            default: below(8) == 0 ? LifetimeAttackTests.Mortal() : LifetimeAttackTests.Talking()
            }
        let userInfo: UserInfo = below(2) == 0 ? ["payload": LifetimeAttackTests.Payload()] : [:]
        do { try machine.fire(event, state, userInfo) } catch {
            // An error retains the payload.
            if below(3) == 0 { shelf.keep(error) }
        }
    }
}
