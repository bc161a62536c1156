import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

/// Lifetimes of state objects, counted for every way of passing them to a machine and back.
@Suite("Lifetimes") struct LifetimeTests {
    /// Counts living objects.
    final class Census: Sendable {
        private let living = Atomic<Int>(0)
        private let born = Atomic<Int>(0)

        var population: Int { living.load(ordering: .sequentiallyConsistent) }
        var births: Int { born.load(ordering: .sequentiallyConsistent) }

        /// Whether all objects are released soon.
        ///
        /// A thread releases its closure shortly after its end.
        var isExtinct: Bool {
            for _ in 0..<30_000 where population > 0 { usleep(10_000) }
            return population == 0
        }

        func begin() {
            living.add(1, ordering: .sequentiallyConsistent)
            born.add(1, ordering: .sequentiallyConsistent)
        }

        func end() { living.subtract(1, ordering: .sequentiallyConsistent) }
    }

    protocol Named: Sendable { var kind: String { get } }
    protocol Counted: WorkflowState {}

    protocol Marked {}

    class CountedBase: Counted, Named, @unchecked Sendable {
        let census: Census
        var kind: String { "counted" }

        init(_ census: Census) {
            self.census = census
            census.begin()
        }

        required init(from decoder: any Decoder) throws {
            census = Census()
            census.begin()
        }

        func encode(to encoder: any Encoder) throws {}

        deinit { census.end() }
    }

    class CountedState: CountedBase, Marked, @unchecked Sendable {}

    final class FirstState: CountedState, @unchecked Sendable { override var kind: String { "first" } }
    final class SecondState: CountedState, @unchecked Sendable { override var kind: String { "second" } }

    final class ListeningState: CountedState, ExitGuarding, Entering, @unchecked Sendable {
        func shouldExit(_ transition: StateTransition) throws {
            if transition.userInfo["decline", as: Bool.self] == true { throw CancellationError() }
        }

        func didEnter(_ transition: StateTransition) {
            if transition.userInfo["again", as: Bool.self] == true {
                try? transition.machine(as: Classes.self)?.fire.go(ListeningState(census))
            }
        }
    }

    final class UnknownState: CountedState, @unchecked Sendable {}

    /// States typed as their common class: one word.
    struct Classes: Workflow {
        static let census = Census()
        static var initial: CountedState { FirstState(Census()) }
        let go = Event(to: [FirstState.self, SecondState.self, ListeningState.self])
        let second = Event(from: FirstState.self, to: SecondState.self)
    }

    /// States typed as a protocol: two words.
    struct Existentials: Workflow {
        static var initial: any Counted { FirstState(Census()) }
        let go = Event(to: [FirstState.self, SecondState.self])
    }

    /// States typed as two protocols: three words.
    struct Compositions: Workflow {
        static var initial: any Counted & Named { FirstState(Census()) }
        let go = Event(to: [FirstState.self, SecondState.self])
    }

    /// States typed as a class and a protocol.
    struct ClassCompositions: Workflow {
        static var initial: any CountedBase & Marked { FirstState(Census()) }
        let go = Event(to: [FirstState.self, SecondState.self])
    }

    /// States typed as any value: a buffer, a class and a witness.
    struct Anything: Workflow {
        static var initial: any Named { FirstState(Census()) }
        let go = Event(to: [FirstState.self, SecondState.self])
    }

    private func expectExtinct<W: Workflow>(
        _ workflow: W.Type,
        _ live: (StateMachine<W>, Census) throws -> Void,
        from initial: (Census) -> W.AnyState,
        location: SourceLocation = #_sourceLocation
    ) rethrows {
        let census = Census()
        do {
            let machine = StateMachine<W>(entering: initial(census))
            try live(machine, census)
            #expect(census.population > 0, sourceLocation: location)
        }
        #expect(census.population == 0, sourceLocation: location)
        #expect(census.births > 0, sourceLocation: location)
    }

    @Test("A state is handed out with the workflow's type, and released with its last reference")
    func handedOut() throws {
        try expectExtinct(
            Classes.self,
            { machine, census in
                #expect(machine.state.kind == "first")
                try machine.fire.go(SecondState(census))
                try machine.fire.go { source in
                    #expect(source.kind == "second")
                    return FirstState(census)
                }
                #expect((machine.state.kind, machine.previousState?.kind) == ("first", "second"))
                #expect(census.population == 2)
            },
            from: { FirstState($0) }
        )
        try expectExtinct(
            Existentials.self,
            { machine, census in
                #expect((machine.state as? CountedState)?.kind == "first")
                try machine.fire.go(SecondState(census))
                try machine.fire.go { source in
                    #expect((source as? CountedState)?.kind == "second")
                    return FirstState(census)
                }
                #expect(machine.state is FirstState && machine.previousState is SecondState)
            },
            from: { FirstState($0) }
        )
        try expectExtinct(
            Compositions.self,
            { machine, census in
                #expect(machine.state.kind == "first")
                try machine.fire.go(SecondState(census))
                try machine.fire.go { source in
                    #expect(source.kind == "second")
                    return FirstState(census)
                }
                #expect((machine.state.kind, machine.previousState?.kind) == ("first", "second"))
            },
            from: { FirstState($0) }
        )
        try expectExtinct(
            ClassCompositions.self,
            { machine, census in
                #expect(machine.state.kind == "first")
                try machine.fire.go(SecondState(census))
                try machine.fire.go { source in
                    #expect(source.kind == "second")
                    return FirstState(census)
                }
                #expect(machine.state.kind == "first")
            },
            from: { FirstState($0) }
        )
        try expectExtinct(
            Anything.self,
            { machine, census in
                #expect(machine.state.kind == "first")
                try machine.fire.go(SecondState(census))
                try machine.fire.go { source in
                    #expect(source.kind == "second")
                    return FirstState(census)
                }
                #expect((machine.state.kind, machine.previousState?.kind) == ("first", "second"))
            },
            from: { FirstState($0) }
        )
    }

    @Test("A machine retains its state and the previous one")
    func two() throws {
        try expectExtinct(
            Classes.self,
            { machine, census in
                for _ in 0..<100 { try machine.fire.go(ListeningState(census)) }
                #expect(census.population == 2)
            },
            from: { FirstState($0) }
        )
    }

    @Test("A rejected object is released at once", arguments: ["guard", "unknown", "place", "builder", "own guard"])
    func rejected(by reason: String) {
        expectExtinct(
            Classes.self,
            { machine, census in
                let own = machine.guarded(\.go) { _, destination, _ in
                    if destination is SecondState { throw CancellationError() }
                }
                #expect(throws: InvalidTransition.self) {
                    switch reason {
                    case "guard": try machine.fire.go(FirstState(census), userInfo: ["decline": true])
                    case "unknown": try machine.fire.go(UnknownState(census))
                    case "place": try machine.fire.second(SecondState(census))
                    case "builder":
                        try machine.fire.go { _ in
                            _ = FirstState(census)
                            throw CancellationError()
                        }
                    default: try machine.fire.go(SecondState(census))
                    }
                }
                withExtendedLifetime(own) {}
                #expect(census.population == 1)
            },
            from: { ListeningState($0) }
        )
    }

    @Test("Objects of nested fires are released")
    func chain() throws {
        try expectExtinct(
            Classes.self,
            { machine, census in
                let count = Atomic<Int>(0)
                let fired = machine.didEnter(ListeningState.self) { [weak machine] _, _ in
                    guard count.add(1, ordering: .relaxed).newValue < 200 else { return }
                    try? machine?.fire.go(ListeningState(census))
                }
                try machine.fire.go(ListeningState(census), userInfo: ["again": true])
                #expect(machine.revision >= 200)
                #expect(census.population == 2)
                fired.cancel()
            },
            from: { FirstState($0) }
        )
    }

    @Test(
        "A kept transition retains its states, its user info and its machine; otherwise all are released"
    )
    func kept() throws {
        final class Payload: Codable, Sendable { init() {} }
        let census = Census()
        let kept = Lock<[StateTransition]>([])
        weak var weakMachine: StateMachine<Classes>?
        weak var weakPayload: Payload?
        do {
            let machine = StateMachine<Classes>(entering: FirstState(census))
            weakMachine = machine
            machine.onTransition { transition in
                if transition.userInfo["keep", as: Bool.self] == true { kept.withLock { $0.append(transition) } }
            }
            for number in 0..<10 {
                let payload = Payload()
                if number == 3 { weakPayload = payload }
                let keeps = number.isMultiple(of: 3)
                try machine.fire.go(
                    SecondState(census),
                    userInfo: ["keep": keeps, "payload": payload, "number": number]
                )
            }
        }
        let transitions = kept.withLock { $0 }
        #expect(transitions.map { $0.userInfo["number", as: Int.self] } == [0, 3, 6, 9])
        #expect(transitions.map { $0.event } == ["go", "go", "go", "go"])
        #expect(transitions[0].source is FirstState)
        #expect(transitions.allSatisfy { $0.destination is SecondState })
        // The first machine has left the first state; each of the others has two states.
        #expect(census.population == 8)
        #expect(transitions[1].machine(as: Classes.self) === weakMachine)
        #expect(weakPayload != nil)
        kept.withLock { $0 = [] }
        withExtendedLifetime(transitions) {}
    }

    @Test("A released transition releases its objects")
    func letGo() throws {
        let census = Census()
        weak var weakMachine: StateMachine<Classes>?
        let kept = Lock<StateTransition?>(nil)
        do {
            let machine = StateMachine<Classes>(entering: FirstState(census))
            weakMachine = machine
            machine.onTransition { transition in kept.withLock { $0 = transition } }
            try machine.fire.go(SecondState(census))
        }
        #expect(weakMachine != nil)
        kept.withLock { $0 = nil }
        #expect(weakMachine == nil)
        #expect(census.population == 0)
    }

    @Test("A transition kept on another thread while it is under way is complete")
    func keptElsewhere() throws {
        let census = Census()
        do {
            let machine = StateMachine<Classes>(entering: FirstState(census))
            let handed = Lock<[StateTransition]>([])
            machine.onTransition { transition in handed.withLock { $0.append(transition) } }
            let isDone = Atomic<Bool>(false)
            let seen = Atomic<Int>(0)
            let reader = onThread {
                while true {
                    let last = isDone.load(ordering: .acquiring)
                    for transition in handed.withLock({ transitions in
                        defer { transitions = [] }
                        return transitions
                    }) {
                        if transition.destination is SecondState, transition.event == "go" {
                            seen.add(1, ordering: .relaxed)
                        }
                    }
                    if last { break }
                }
            }
            for _ in 0..<2_000 { try machine.fire.go(SecondState(census)) }
            isDone.store(true, ordering: .releasing)
            #expect(reader.comes())
            #expect(seen.load(ordering: .relaxed) == 2_000)
        }
        #expect(census.isExtinct)
    }

    @Test("Copies and archives retain only their own objects")
    func copies() throws {
        try expectExtinct(
            Classes.self,
            { machine, census in
                try machine.fire.go(SecondState(census))
                let copy = machine.copy()
                try copy.fire.go(SecondState(census))
                _ = try StateMachine<Classes>(archive: try machine.archive())
                #expect(census.population == 3)
            },
            from: { FirstState($0) }
        )
    }

    @Test("Readers on other threads get complete states during transitions")
    func readers() throws {
        let census = Census()
        do {
            let machine = StateMachine<Compositions>(entering: FirstState(census))
            let isDone = Atomic<Bool>(false)
            let wrong = Atomic<Int>(0)
            let reader = onThread {
                while !isDone.load(ordering: .acquiring) {
                    let state = machine.state
                    let kind = state is FirstState ? "first" : "second"
                    if state.kind != kind { wrong.add(1, ordering: .relaxed) }
                    if let previous = machine.previousState, previous.kind.isEmpty { wrong.add(1, ordering: .relaxed) }
                }
            }
            for _ in 0..<5_000 {
                try machine.fire.go(SecondState(census))
                try machine.fire.go(FirstState(census))
            }
            isDone.store(true, ordering: .releasing)
            #expect(reader.comes())
            #expect(wrong.load(ordering: .relaxed) == 0)
        }
        #expect(census.isExtinct)
    }

    struct Impostor: Named {
        let pretence = FirstState(Census())
        var kind: String { "impostor" }
    }

    @Test("A value other than an object is rejected as a state, with any content")
    func impostor() throws {
        let census = Census()
        let machine = StateMachine<Anything>(entering: FirstState(census))
        for fire in [
            { try machine.fire.go(Impostor()) },
            { try machine.fire.go { _ in Impostor() } },
            { try machine.fire[named: "go"](Impostor()) },
            { try machine.enter(Impostor()) },
        ] {
            let error = #expect(throws: InvalidTransition.self) { try fire() }
            #expect(error?.reason == .unregisteredState)
            #expect(machine.state.kind == "first" && machine.revision == 0)
        }
    }

    final class BeginningState: Chained, Entering, EmptyState {
        func didEnter(_ transition: StateTransition) { try? transition.machine(as: Chain.self)?.fire.skip() }
    }

    final class SkippedState: Chained, EmptyState {}

    /// A state built from itself that fires further events, and is told that it is left.
    final class LinkState: Chained, Entering, Exiting {
        let number: Int
        init(_ number: Int) { self.number = number }

        func didEnter(_ transition: StateTransition) {
            guard number < 3, let machine = transition.machine(as: Chain.self) else { return }
            try? machine.fire.link { source in LinkState((source as? LinkState)?.number ?? -9) }
            try? machine.fire.next { link in LinkState(link.number + 1) }
        }

        func didExit(_ transition: StateTransition) { LeftLinks.shared.add(number, transition.source === self) }
    }

    final class LeftLinks: Sendable {
        static let shared = LeftLinks()
        private let links = Lock<[Int]>([])
        func add(_ number: Int, _ isRight: Bool) { links.withLock { $0.append(isRight ? number : -1) } }
        var all: [Int] { links.withLock { $0 } }
    }

    protocol Chained: WorkflowState {}

    struct Chain: Workflow {
        static var initial: any Chained { BeginningState() }
        let skip = Event(from: BeginningState.self, to: SkippedState.self)
        let link = Event(to: LinkState.self)
        let next = Event(from: LinkState.self, to: LinkState.self)
    }

    @Test("Fires of the first fire's callbacks begin in its destination, after any fires of the activation")
    func afterActivation() throws {
        let machine = StateMachine<Chain>()
        try machine.fire.link(LinkState(1))
        // 1; then again 1 by `link` and 2 by `next`; each of these below 3 continues from the last one.
        #expect(machine.revision > 4)
        #expect(LeftLinks.shared.all.allSatisfy { $0 >= 1 })
        #expect(LeftLinks.shared.all.prefix(3) == [1, 1, 2])
    }

    @Test("The payload of a queued fire is released after the turn, and may fire then")
    func userInfoOfPutOff() throws {
        final class Payload: Codable, Sendable {
            let gone: DispatchSemaphore
            let machine: StateMachine<Classes>?
            let census: Census?
            let isFree = Lock<Bool?>(nil)
            init(_ gone: DispatchSemaphore, _ machine: StateMachine<Classes>, _ census: Census) {
                (self.gone, self.machine, self.census) = (gone, machine, census)
            }
            init(from decoder: any Decoder) throws { (gone, machine, census) = (.init(value: 0), nil, nil) }
            func encode(to encoder: any Encoder) throws {}
            deinit {
                // Another thread can have its turn now.
                if let machine, let census {
                    let done = onThread { try? machine.fire.go(SecondState(census)) }
                    if done.comes() { gone.signal() }
                }
            }
        }
        let census = Census()
        let machine = StateMachine<Classes>(entering: FirstState(census))
        let gone = DispatchSemaphore(value: 0)
        let firing = machine.didEnter(FirstState.self) { [weak machine] _, _ in
            guard let machine else { return }
            try? machine.fire.go(ListeningState(census), userInfo: ["payload": Payload(gone, machine, census)])
        }
        try machine.fire.go(FirstState(census))
        #expect(gone.comes())
        #expect(machine.state is SecondState)
        firing.cancel()
    }
}
