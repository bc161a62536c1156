import Heraclitus

@testable import Fixtures

/// A workflow for random programs.
protocol AttackedWorkflow: Workflow where AnyState == any NumberedState, Initial == any NumberedState {
    static var model: Model { get }

    /// Fires an event by its property, with an object made in the machine's turn.
    static func fire(
        _ event: Int,
        of machine: StateMachine<Self>,
        userInfo: UserInfo,
        _ object: @autoclosure () throws -> any NumberedState
    ) throws(InvalidTransition)

    /// Fires an event by its property, with an object built from the state being left.
    static func fire(
        _ event: Int,
        of machine: StateMachine<Self>,
        userInfo: UserInfo,
        building build: (any NumberedState) throws -> any NumberedState
    ) throws(InvalidTransition)

    /// Whether the table allows an event, asked by its property.
    static func can(_ event: Int, of machine: StateMachine<Self>) -> Bool

    /// Whether an event's property accepts an object of a kind.
    static func takes(_ event: Int, _ kind: Int) -> Bool
}

extension AttackedWorkflow {
    static func takes(_ event: Int, _ kind: Int) -> Bool { true }
}

// MARK: - Generated

/// A digit of the number of a generated workflow.
///
/// Each digit needs its own type.
protocol Ordinal: Sendable { static var value: Int { get } }
enum Zero: Ordinal { static var value: Int { 0 } }
enum Single: Ordinal { static var value: Int { 1 } }
enum Two: Ordinal { static var value: Int { 2 } }
enum Three: Ordinal { static var value: Int { 3 } }

/// A workflow with a generated table, the same for the same number.
struct MadeUp<High: Ordinal, Middle: Ordinal, Low: Ordinal>: AttackedWorkflow {
    typealias Loose = Event<any NumberedState, any NumberedState>

    static var number: Int { High.value * 16 + Middle.value * 4 + Low.value }
    static var name: String { "MadeUp\(number)" }
    static var initial: any NumberedState { NumberedEmpty() }
    static var states: [any WorkflowState.Type] { Model.types }
    static var model: Model { MadeUpTables.all[number] }

    let e0: Loose = Self.event(0)
    let e1: Loose = Self.event(1).guarded { _, _, transition in try Player.current?.isAsked(transition) }
    let e2: Loose = Self.event(2)
        .willFire { _, _, transition in Player.current?.isCalled(.willFire, transition) }
        .didFire { _, _, transition in Player.current?.isCalled(.didFire, transition) }
    let e3: Loose = Self.event(3)
    let e4: Loose = Self.event(4)
    let e5: Loose = Self.event(5)

    private static func event(_ index: Int) -> Loose {
        let event = model.events[index]
        let made: Loose
        if event.isUpdate {
            made = Loose(updating: types(event.from))
        } else {
            made = Loose(from: types(event.from), to: types(event.to))
        }
        return types(event.ignored).reduce(made) { $0.ignored(in: $1) }
    }

    private static func types(_ kinds: [Int]) -> [any WorkflowState.Type] { kinds.map { Model.types[$0] } }

    private static func path(_ event: Int) -> KeyPath<Self, Loose> {
        switch event {
        case 0: \.e0
        case 1: \.e1
        case 2: \.e2
        case 3: \.e3
        case 4: \.e4
        default: \.e5
        }
    }

    static func fire(
        _ event: Int,
        of machine: StateMachine<Self>,
        userInfo: UserInfo,
        _ object: @autoclosure () throws -> any NumberedState
    ) throws(InvalidTransition) {
        try machine.fire[Self.events[keyPath: path(event)]](try object(), userInfo: userInfo)
    }

    static func fire(
        _ event: Int,
        of machine: StateMachine<Self>,
        userInfo: UserInfo,
        building build: (any NumberedState) throws -> any NumberedState
    ) throws(InvalidTransition) {
        try machine.fire[Self.events[keyPath: path(event)]](userInfo: userInfo, build)
    }

    static func can(_ event: Int, of machine: StateMachine<Self>) -> Bool {
        machine.can[named: Self.events[keyPath: path(event)].name]
    }
}

enum MadeUpTables {
    static let all: [Model] = (0..<64).map { number in
        var seed = Seed(UInt64(number))
        let events = (0..<5).map { index in
            let from = (0..<6).filter { _ in seed.chance(45) }
            let to = (0..<6).filter { _ in seed.chance(30) }
            var event = Model.Event(
                name: "e\(index)",
                from: from.isEmpty ? [seed.below(6)] : from,
                to: to.isEmpty ? [seed.below(6)] : to
            )
            event.ignored = (0..<6).filter { state in
                // An ignored event must lead away from neither the state nor its subclass or superclass.
                let relatives = state == 1 || state == 2 ? [1, 2] : [state]
                return relatives.allSatisfy { !event.from.contains($0) } && seed.chance(40)
            }
            return event
        }
        let updated = (1..<6).filter { $0 != 2 && seed.chance(60) }
        let update = Model.Event(name: "e5", from: updated.isEmpty ? [3] : updated, to: [], isUpdate: true)
        return Model("MadeUp\(number)", events + [update])
    }

    /// The workflow of a number; for 64 and more the handwritten one.
    static func workflow(_ number: Int) -> any AttackedWorkflow.Type {
        if number >= all.count { return Typed.self }
        return digit(number / 16).high(number)
    }

    fileprivate static func digit(_ value: Int) -> any Ordinal.Type {
        switch value {
        case 0: Zero.self
        case 1: Single.self
        case 2: Two.self
        default: Three.self
        }
    }
}

extension Ordinal {
    fileprivate static func high(_ number: Int) -> any AttackedWorkflow.Type {
        MadeUpTables.digit(number / 4 % 4).middle(after: Self.self, number)
    }

    fileprivate static func middle<High: Ordinal>(after high: High.Type, _ number: Int) -> any AttackedWorkflow.Type {
        MadeUpTables.digit(number % 4).low(after: high, Self.self)
    }

    fileprivate static func low<High: Ordinal, Middle: Ordinal>(
        after high: High.Type,
        _ middle: Middle.Type
    ) -> any AttackedWorkflow.Type {
        MadeUp<High, Middle, Self>.self
    }
}

// MARK: - Handwritten

/// A workflow whose events have their own classes as sources and destinations.
struct Typed: AttackedWorkflow {
    static var initial: any NumberedState { NumberedEmpty() }
    static let model = Model(
        "Typed",
        [
            Model.Event(name: "open", from: [0], to: [3], ignored: [3]),
            Model.Event(name: "close", from: [3], to: [0]),
            Model.Event(name: "swing", from: [3], to: [], isUpdate: true),
            Model.Event(name: "call", from: [0, 1, 2, 3, 4, 5], to: [5]),
            Model.Event(name: "leave", from: [5], to: [0, 1, 2, 4]),
            Model.Event(name: "Go Round", from: [1, 4], to: [1]),
        ]
    )
    static var states: [any WorkflowState.Type] { [NumberedSub.self] }

    let open = Event(from: NumberedEmpty.self, to: NumberedPlain.self).ignored(in: NumberedPlain.self)
    let close = Event(from: NumberedPlain.self, to: NumberedEmpty.self)
    let swing = Event(updating: NumberedPlain.self)
        .guarded { _, _, transition in try Player.current?.isAsked(transition) }
    let call = Event(to: NumberedLively.self)
    let leave = Event(
        from: NumberedLively.self,
        to: NumberedEmpty.self,
        NumberedBase.self,
        NumberedSub.self,
        NumberedCareful.self
    )
    let around = Event("Go Round", from: NumberedBase.self, NumberedCareful.self, to: NumberedBase.self)
        .didFire { _, _, transition in Player.current?.isCalled(.didFire, transition) }

    /// The error of a fire by type that does not fit; other programs fire by name.
    struct Unsuitable: Error {}

    static func takes(_ event: Int, _ kind: Int) -> Bool {
        switch event {
        case 0, 2: kind == 3
        case 1: kind == 0
        case 3: kind == 5
        case 4: true
        default: kind == 1 || kind == 2
        }
    }

    private static func suitable<S>(_ state: any NumberedState) throws -> S {
        guard let state = state as? S else { throw Unsuitable() }
        return state
    }

    static func fire(
        _ event: Int,
        of machine: StateMachine<Self>,
        userInfo: UserInfo,
        _ object: @autoclosure () throws -> any NumberedState
    ) throws(InvalidTransition) {
        switch event {
        case 0: try machine.fire.open(suitable(object()), userInfo: userInfo)
        case 1: try machine.fire.close(suitable(object()), userInfo: userInfo)
        case 2: try machine.fire.swing(suitable(object()), userInfo: userInfo)
        case 3: try machine.fire.call(suitable(object()), userInfo: userInfo)
        case 4: try machine.fire.leave(object(), userInfo: userInfo)
        default: try machine.fire.around(suitable(object()), userInfo: userInfo)
        }
    }

    static func fire(
        _ event: Int,
        of machine: StateMachine<Self>,
        userInfo: UserInfo,
        building build: (any NumberedState) throws -> any NumberedState
    ) throws(InvalidTransition) {
        switch event {
        case 0: try machine.fire.open(userInfo: userInfo) { try suitable(build($0)) }
        case 1: try machine.fire.close(userInfo: userInfo) { try suitable(build($0)) }
        case 2: try machine.fire.swing(userInfo: userInfo) { try suitable(build($0)) }
        case 3: try machine.fire.call(userInfo: userInfo) { try suitable(build($0)) }
        case 4: try machine.fire.leave(userInfo: userInfo) { try build($0) }
        default: try machine.fire.around(userInfo: userInfo) { try suitable(build($0)) }
        }
    }

    static func can(_ event: Int, of machine: StateMachine<Self>) -> Bool {
        switch event {
        case 0: machine.can.open
        case 1: machine.can.close
        case 2: machine.can.swing
        case 3: machine.can.call
        case 4: machine.can.leave
        default: machine.can.around
        }
    }
}
