import Testing

@testable import Fixtures
@testable import Heraclitus

/// Every form that `AnyState` can have, with known layouts and by casts.
@Suite("Layouts of states") struct LayoutTests {
    protocol Numbered: WorkflowState { var number: Int { get } }
    protocol Named: Sendable { var title: String { get } }
    protocol Marked: Sendable {}
    protocol Tagged<Tag>: WorkflowState {
        associatedtype Tag: Sendable
        var tag: Tag { get }
    }

    class BaseState: WorkflowState, Numbered, Named, Marked, @unchecked Sendable {
        let number: Int
        var title: String { "base \(number)" }
        init(_ number: Int) { self.number = number }
    }
    final class FirstState: BaseState, Tagged, @unchecked Sendable {
        override var title: String { "first \(number)" }
        var tag: Int { -number }
    }
    final class SecondState: BaseState, Tagged, @unchecked Sendable {
        override var title: String { "second \(number)" }
        var tag: Int { number }
    }
    final class StrangeState: BaseState, @unchecked Sendable {}

    /// Equal events for every form.
    protocol Form: Workflow {
        static func made(_ state: BaseState) -> AnyState?
        static func base(of state: AnyState) -> BaseState
        var go: Event<FirstState, SecondState> { get }
        var back: Event<AnyState, AnyState> { get }
    }

    struct Classes: Form {
        static var initial: BaseState { FirstState(0) }
        static func made(_ state: BaseState) -> BaseState? { state }
        static func base(of state: BaseState) -> BaseState { state }
        let go = Event(from: FirstState.self, to: SecondState.self)
        let back = Event(from: [FirstState.self, SecondState.self], to: [FirstState.self, SecondState.self])
    }
    struct OneProtocol: Form {
        static var initial: any Numbered { FirstState(0) }
        static func made(_ state: BaseState) -> (any Numbered)? { state }
        static func base(of state: any Numbered) -> BaseState { state as! BaseState }
        let go = Event(from: FirstState.self, to: SecondState.self)
        let back = Event(from: [FirstState.self, SecondState.self], to: [FirstState.self, SecondState.self])
    }
    struct TwoProtocols: Form {
        static var initial: any Numbered & Named { FirstState(0) }
        static func made(_ state: BaseState) -> (any Numbered & Named)? { state }
        static func base(of state: any Numbered & Named) -> BaseState { state as! BaseState }
        let go = Event(from: FirstState.self, to: SecondState.self)
        let back = Event(from: [FirstState.self, SecondState.self], to: [FirstState.self, SecondState.self])
    }
    struct ThreeProtocols: Form {
        static var initial: any Numbered & Named & Marked { FirstState(0) }
        static func made(_ state: BaseState) -> (any Numbered & Named & Marked)? { state }
        static func base(of state: any Numbered & Named & Marked) -> BaseState { state as! BaseState }
        let go = Event(from: FirstState.self, to: SecondState.self)
        let back = Event(from: [FirstState.self, SecondState.self], to: [FirstState.self, SecondState.self])
    }
    struct ClassAndProtocol: Form {
        static var initial: any BaseState & Named { FirstState(0) }
        static func made(_ state: BaseState) -> (any BaseState & Named)? { state }
        static func base(of state: any BaseState & Named) -> BaseState { state }
        let go = Event(from: FirstState.self, to: SecondState.self)
        let back = Event(from: [FirstState.self, SecondState.self], to: [FirstState.self, SecondState.self])
    }
    struct AnyObjectForm: Form {
        static var initial: any AnyObject & Sendable { FirstState(0) }
        static func made(_ state: BaseState) -> (any AnyObject & Sendable)? { state }
        static func base(of state: any AnyObject & Sendable) -> BaseState { state as! BaseState }
        let go = Event(from: FirstState.self, to: SecondState.self)
        let back = Event(from: [FirstState.self, SecondState.self], to: [FirstState.self, SecondState.self])
    }
    /// A form for any value, with the object in a box of three words.
    struct ValueProtocol: Form {
        static var initial: any Named { FirstState(0) }
        static func made(_ state: BaseState) -> (any Named)? { state }
        static func base(of state: any Named) -> BaseState { state as! BaseState }
        let go = Event(from: FirstState.self, to: SecondState.self)
        let back = Event(from: [FirstState.self, SecondState.self], to: [FirstState.self, SecondState.self])
    }
    struct EverySendable: Form {
        static var initial: any Sendable { FirstState(0) }
        static func made(_ state: BaseState) -> (any Sendable)? { state }
        static func base(of state: any Sendable) -> BaseState { state as! BaseState }
        let go = Event(from: FirstState.self, to: SecondState.self)
        let back = Event(from: [FirstState.self, SecondState.self], to: [FirstState.self, SecondState.self])
    }
    /// A form through a constraint of an associated type.
    struct Constrained: Form {
        static var initial: any Tagged<Int> { SecondState(0) }
        static func made(_ state: BaseState) -> (any Tagged<Int>)? { state as? any Tagged<Int> }
        static func base(of state: any Tagged<Int>) -> BaseState { state as! BaseState }
        let go = Event(from: FirstState.self, to: SecondState.self)
        let back = Event(from: [FirstState.self, SecondState.self], to: [FirstState.self, SecondState.self])
    }

    static let forms: [any Form.Type] = [
        Classes.self, OneProtocol.self, TwoProtocols.self, ThreeProtocols.self, ClassAndProtocol.self,
        AnyObjectForm.self, ValueProtocol.self, EverySendable.self, Constrained.self,
    ]

    /// The states seen on a walk through a machine.
    private func walk<W: Form>(_ type: W.Type, _ definition: Definition) throws -> [String] {
        var seen: [String] = []
        let entered = CallLog()
        func note(_ machine: StateMachine<W>) {
            for _ in 0..<2 {
                let base = W.base(of: machine.state)
                seen.append("\(machine) \(base.title) \(machine.previousState.map { W.base(of: $0).title } ?? "-")")
            }
        }
        func attempt(_ body: () throws -> Void) {
            do { try body() } catch { seen.append("\(error)") }
        }
        func machine(in state: BaseState) -> StateMachine<W>? {
            W.made(state).map {
                StateMachine<W>(MachineCore(definition, beginningIn: definition.object(of: $0), .entry))
            }
        }
        for (number, first) in [FirstState(1), SecondState(2)].enumerated() {
            guard let machine = machine(in: first) else { continue }
            _ = machine.didEnter(BaseState.self) { state, _ in entered.write("entered \(state.title)") }
            note(machine)
            attempt { try machine.fire[W.events.go](SecondState(10 + number)) }
            note(machine)
            attempt { try machine.fire[W.events.back]({ W.made(FirstState(W.base(of: $0).number + 1)) ?? $0 }) }
            note(machine)
            attempt { try machine.fire[W.events.go]({ SecondState($0.number + 1) }) }
            if let strange = W.made(StrangeState(7)) { attempt { try machine.fire[W.events.back](strange) } }
            note(machine)
            note(machine.copy())
        }
        return seen + entered.entries
    }

    /// A definition that casts all objects, as on a platform with other layouts of existentials.
    private func castingDefinition<W: Workflow>(of type: W.Type) -> Definition {
        let events = W()
        let objects = ObjectHandling(
            eventValues: ErasedImmortal(Immortal(events)),
            access: .byCast,
            findLayout: { $0 is W.AnyState ? .unknown : nil },
            makeTable: { W.table(within: $0, knowing: $1) }
        )
        return DefinitionCompiler<W>(events: events, initial: W.initialObject).definition(objects)
    }

    @Test("By casts instead of layouts, every form of state behaves the same", arguments: forms.indices)
    func plain(_ index: Int) throws {
        func compare<W: Form>(_ type: W.Type) throws {
            let plain = castingDefinition(of: type)
            let seen = try walk(type, W.definition)
            #expect(seen.count > 8)
            #expect(try walk(type, plain) == seen)
            let second = try #require(plain.stateIndex(named: "SecondState"))
            #expect(plain.states[second].layout.value?.value.isKnown == false)
            #expect(!plain.content.value.objects.access.isInPlace)
        }
        try compare(Self.forms[index])
    }

    protocol Answer: WorkflowState { var word: String { get } }
    final class YesState: Answer, EmptyState { var word: String { "yes" } }
    final class NoState: Answer, EmptyState { var word: String { "no" } }

    struct Talk: Workflow {
        static var initial: any Answer { YesState() }
        let deny = Event(from: YesState.self, to: NoState.self)
        let agree = Event(from: NoState.self, to: YesState.self)
    }

    @Test("Each state is asked by its own class's conformance")
    func conformance() throws {
        let machine = StateMachine<Talk>()
        #expect(machine.state.word == "yes")
        for _ in 0..<2 {
            try machine.fire.deny()
            #expect(machine.state.word == "no" && machine.previousState?.word == "yes")
            try machine.fire.agree()
            #expect(machine.state.word == "yes" && machine.previousState?.word == "no")
        }
    }

    @Test("A state is released with its last reference, by layouts and by casts", arguments: forms.indices)
    func released(_ index: Int) throws {
        func check<W: Form>(_ type: W.Type) throws {
            for definition in [W.definition, castingDefinition(of: type)] {
                weak var first: BaseState?
                weak var second: BaseState?
                do {
                    let begin = SecondState(1)
                    first = begin
                    let state = try #require(W.made(begin))
                    let machine = StateMachine<W>(
                        MachineCore(definition, beginningIn: definition.object(of: state), .entry)
                    )
                    for _ in 0..<3 { #expect(W.base(of: machine.state) === begin) }
                    let next = FirstState(2)
                    if let entered = W.made(next) {
                        second = next
                        try machine.fire[W.events.back](entered)
                        #expect(W.base(of: machine.state) === next)
                    }
                }
                #expect(first == nil && second == nil)
            }
        }
        try check(Self.forms[index])
    }
}
