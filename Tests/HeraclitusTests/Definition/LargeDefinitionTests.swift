import HeraclitusInspecting
import Testing

@testable import Fixtures
@testable import Heraclitus

/// The number of states of a workflow.
protocol StateCount: Sendable {
    static var value: Int { get }
}
enum Thousand: StateCount { static var value: Int { 1_000 } }
enum TwiceOf<Half: StateCount>: StateCount { static var value: Int { 2 * Half.value } }
enum TenTimes<Tenth: StateCount>: StateCount { static var value: Int { 10 * Tenth.value } }

/// An equal number as another type.
///
/// A workflow is compiled once per type, so each attempt needs a new one.
enum Again<Same: StateCount>: StateCount { static var value: Int { Same.value } }

protocol Digit: Sendable {}
enum D0: Digit {}
enum D1: Digit {}
enum D2: Digit {}
enum D3: Digit {}
enum D4: Digit {}
enum D5: Digit {}
enum D6: Digit {}
enum D7: Digit {}
enum D8: Digit {}
enum D9: Digit {}

final class Numbered<A: Digit, B: Digit, C: Digit, D: Digit>: WorkflowState, EmptyState {}

enum NumberedStates {
    /// Ten thousand classes.
    static let all: [any WorkflowState.Type] = {
        let digits: [any Digit.Type] = [
            D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
        ]
        func type<A: Digit, B: Digit, C: Digit, D: Digit>(
            _ a: A.Type,
            _ b: B.Type,
            _ c: C.Type,
            _ d: D.Type
        ) -> any WorkflowState.Type { Numbered<A, B, C, D>.self }
        return digits.flatMap { a in
            digits.flatMap { b in digits.flatMap { c in digits.map { d in type(a, b, c, d) } } }
        }
    }()

    static func first(_ count: Int) -> [any WorkflowState.Type] { Array(all.prefix(count)) }
}

protocol LargeWorkflow: Workflow where AnyState == any WorkflowState, Initial == any WorkflowState {}

extension LargeWorkflow {
    static var initial: any WorkflowState { Numbered<D0, D0, D0, D0>() }
}

/// A workflow with one event from each state to each.
struct Product<Count: StateCount>: LargeWorkflow {
    let go = Event(from: NumberedStates.first(Count.value), to: NumberedStates.first(Count.value))
}

/// A workflow with one event, from each state to the next.
struct Chain<Count: StateCount>: LargeWorkflow {
    let go: Event<any WorkflowState, any WorkflowState>
    init() {
        let states = NumberedStates.first(Count.value)
        go = zip(states, states.dropFirst()).reduce(Event(from: [], to: [])) { $0.or(from: $1.0, to: $1.1) }
    }
}

/// A workflow with one event from each state to a state of its own, and from all states to all.
struct Mixed<Count: StateCount>: LargeWorkflow {
    let go: Event<any WorkflowState, any WorkflowState>
    init() {
        let states = NumberedStates.first(Count.value)
        let product: Event<any WorkflowState, any WorkflowState> = Event(from: states, to: states)
        go = zip(states, states.dropFirst()).reduce(product) { $0.or(from: $1.0, to: $1.1) }
    }
}

/// A workflow with one event that updates some states, leads from them to the others, and is ignored in a few.
struct Updating<Count: StateCount>: LargeWorkflow {
    let go: Event<any WorkflowState, any WorkflowState>
    init() {
        let states = NumberedStates.first(Count.value)
        let kept = Array(states.prefix(states.count / 2))
        let rest = Array(states.dropFirst(states.count / 2).dropLast(100))
        let updating = Event<any WorkflowState, any WorkflowState>(updating: kept)
        // One rule, as `Event(from: kept, to: rest)` would have it.
        let leading: Event<any WorkflowState, any WorkflowState> = updating.changed {
            $0.add(from: .states(kept), to: rest)
        }
        go = states.suffix(100).reduce(leading) { $0.ignored(in: $1) }
    }
}

/// A workflow that lists its events by reflection, so their number is free.
struct Several<Count: StateCount, EventsPerState: StateCount>: LargeWorkflow, CustomReflectable {
    var customMirror: Mirror {
        let states = NumberedStates.first(Count.value)
        let events = states.indices.map { index in
            let destinations = (1...EventsPerState.value).map { states[(index + $0 * $0) % states.count] }
            return (label: "event\(index)" as String?, value: Event(from: [states[index]], to: destinations) as Any)
        }
        return Mirror(self, children: events)
    }
}
enum One: StateCount { static var value: Int { 1 } }
enum Ten: StateCount { static var value: Int { 10 } }

@Suite("Large definitions", .serialized) struct LargeDefinitionTests {
    private func firstUse<W: LargeWorkflow>(of workflow: W.Type) -> Duration {
        threadTime { #expect(StateMachine<W>().revision == 0) }
    }

    /// A generous bound: other work on the computer makes a thread's own time longer, too.
    private static let limit = Duration.seconds(40)

    /// Each closure compiles a workflow with a number of states.
    private static let shapes: [String: @Sendable (LargeDefinitionTests, any StateCount.Type) -> Duration] = [
        "from each state to each": { tests, count in tests.product(count) },
        "from each state to the next": { tests, count in tests.chain(count) },
        "from each state to one and to all": { tests, count in tests.mixed(count) },
        "updates, transitions and ignored": { tests, count in tests.updating(count) },
        "an event a state": { tests, count in tests.several(count) },
    ]

    private func product<C: StateCount>(_: C.Type) -> Duration { firstUse(of: Product<C>.self) }
    private func chain<C: StateCount>(_: C.Type) -> Duration { firstUse(of: Chain<C>.self) }
    private func mixed<C: StateCount>(_: C.Type) -> Duration { firstUse(of: Mixed<C>.self) }
    private func updating<C: StateCount>(_: C.Type) -> Duration { firstUse(of: Updating<C>.self) }
    private func several<C: StateCount>(_: C.Type) -> Duration { firstUse(of: Several<C, One>.self) }

    @Test(
        "The first use of a workflow takes about twice as long for twice as many states",
        arguments: shapes.keys.sorted()
    )
    func growth(_ shape: String) throws {
        let firstUse = try #require(Self.shapes[shape])
        func again<C: StateCount>(_: C.Type) -> any StateCount.Type { Again<C>.self }
        var half: any StateCount.Type = Again<Thousand>.self
        var whole: any StateCount.Type = TwiceOf<Thousand>.self
        // The runtime looks up a class once.
        let unwarmed = firstUse(self, again(whole))
        #expect(unwarmed < Self.limit)
        var ratios: [Double] = []
        for _ in 0..<6 {
            let time = firstUse(self, half)
            ratios.append(firstUse(self, whole) / time)
            if ratios.contains(where: { $0 < 2.5 }) { break }
            (half, whole) = (again(half), again(again(whole)))
        }
        #expect(ratios.contains { $0 < 2.5 }, "\(ratios)")
    }

    @Test("A hundred thousand transitions compile fast, also unoptimized; their findings take a second, optimized")
    func large() {
        typealias Large = Several<TenTimes<Thousand>, Ten>
        #expect(firstUse(of: Large.self) < Self.limit)
        #if DEBUG
            let limit = Duration.seconds(8)
        #else
            let limit = Duration.seconds(1)
        #endif
        let time = threadTime { #expect(Large.findings == []) }
        #expect(time < limit)
    }

    @Test("A large table equals the lists of the definition")
    func answers() throws {
        let validator = TransitionValidator<Several<Thousand, Ten>>()
        let events = Several<Thousand, Ten>.table.events
        let states = NumberedStates.first(1_000)
        for (index, source) in states.enumerated() where index % 211 == 0 {
            let leaving = events.filter { $0.transitions.contains { $0.from == source.name } }
            #expect(leaving.map(\.name) == ["event\(index)"])
            let allowed = Set((1...10).map { (index + $0 * $0) % 1_000 })
            for (other, destination) in states.enumerated() {
                let verdict = Result {
                    try validator.validate(named: "event\(index)", from: source.name, to: destination.name)
                }
                #expect(((try? verdict.get()) != nil) == allowed.contains(other))
            }
        }
        let table = Updating<Thousand>.table
        let transitions = try #require(table["go"]).transitions
        #expect(transitions.filter(\.isUpdate).count == 500)
        #expect(transitions.filter { !$0.isUpdate }.count == 500 * 400)
        #expect(table["go"]?.ignored.count == 100)
        // Nothing enters the states that ignore the event.
        #expect(table.finals.count == 400)
    }

    @Test("A wait takes time in proportion to the transitions, and none in the state itself", .timeLimit(.minutes(20)))
    func waiting() async throws {
        typealias First = Numbered<D0, D0, D0, D0>
        typealias Last = Numbered<D3, D9, D9, D9>
        typealias Line = Chain<TwiceOf<TwiceOf<Thousand>>>
        let (first, last) = (StateMachine<Line>(entering: First()), StateMachine<Line>(entering: Last()))
        let start = ContinuousClock.now
        _ = try await last.wait(for: Last.self)
        await #expect(throws: InvalidTransition.self) { try await last.wait(for: First.self) }
        await #expect(throws: InvalidTransition.self) {
            try await first.wait(for: Last.self, timeout: .milliseconds(1))
        }
        #expect(ContinuousClock.now - start < Self.limit)
    }
}
