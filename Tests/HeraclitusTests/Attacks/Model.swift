import Heraclitus

/// A workflow as a table of plain numbers, made without the library, for checking histories.
struct Model: Sendable {
    /// An event: its sources, its destinations, and the states that ignore it.
    struct Event: Sendable {
        let name: String
        var from: [Int]
        var to: [Int]
        var isUpdate = false
        var ignored: [Int] = []
    }

    /// The result of an attempt in a state, if guards and builders accept it.
    enum Verdict: Equatable, Sendable {
        case leads(isUpdate: Bool)
        case ignored
        case rejected(InvalidTransition.Reason)
    }

    let name: String
    let events: [Event]

    /// The states of all workflows in these tests; `Sub` is a subclass of `Base`.
    static let states = ["Empty", "Base", "Sub", "Plain", "Careful", "Lively"]

    /// The state that can be made without data.
    static let empty = 0

    // For each event, source and destination.
    private let table: [[[Bool]]]
    private let ignoring: [Set<Int>]

    init(_ name: String, _ events: [Event]) {
        self.name = name
        self.events = events
        let all = Self.states.indices
        table = events.map { event in
            all.map { source in
                all.map { destination in
                    event.isUpdate
                        ? source == destination && event.from.contains { Self.is(source, $0) }
                        : event.from.contains { Self.is(source, $0) } && event.to.contains { Self.is(destination, $0) }
                }
            }
        }
        ignoring = events.map { event in Set(all.filter { state in event.ignored.contains { Self.is(state, $0) } }) }
    }

    /// Whether a state equals another one or is its subclass.
    private static func `is`(_ state: Int, _ other: Int) -> Bool { state == other || (state == 2 && other == 1) }

    static func index(_ state: String) -> Int? { states.firstIndex(of: state) }
}

extension Model {
    /// An attempt.
    enum Attempt: Equatable, Sendable {
        case fire(event: String, to: String?)
        case enter(String)
        case enterNamed(String)
        case look
        case can(event: String)
        case perform(named: Bool)
        case activate

        var isFire: Bool { if case .fire = self { true } else { false } }
    }

    /// The result of an attempt in a state.
    func verdict(on attempt: Attempt, in state: String) -> Verdict {
        guard let source = Self.index(state) else { return .rejected(.unregisteredState) }
        switch attempt {
        case .fire(let name, let destination):
            guard let event = events.firstIndex(where: { $0.name == name }) else { return .rejected(.unknownEvent) }
            guard table[event][source].contains(true) else {
                return ignoring[event].contains(source) ? .ignored : .rejected(.notAllowed)
            }
            guard let destination else {
                // The definition counts here, regardless of subclasses.
                let isClear = !events[event].isUpdate ? events[event].to == [Self.empty] : source == Self.empty
                return isClear ? .leads(isUpdate: events[event].isUpdate) : .rejected(.destinationNeeded)
            }
            guard let index = Self.index(destination) else { return .rejected(.unregisteredState) }
            return table[event][source][index] ? .leads(isUpdate: events[event].isUpdate) : .rejected(.notAllowed)
        case .enter(let destination):
            guard let index = Self.index(destination) else { return .rejected(.unregisteredState) }
            return entering(index, from: source)
        case .enterNamed(let destination):
            guard let index = Self.index(destination) else { return .rejected(.unknownState) }
            let verdict = entering(index, from: source)
            guard verdict == .leads(isUpdate: false), index != Self.empty else { return verdict }
            return .rejected(.destinationNeeded)
        case .look, .can, .perform, .activate:
            return .ignored
        }
    }

    private func entering(_ destination: Int, from source: Int) -> Verdict {
        let count = events.indices.count { !events[$0].isUpdate && table[$0][source][destination] }
        return count == 1 ? .leads(isUpdate: false) : .rejected(count == 0 ? .noEvent : .ambiguousEvent)
    }

    /// The events that a state allows, in the order of the definition.
    func allowed(in state: String) -> [String] {
        guard let source = Self.index(state) else { return [] }
        return events.indices.filter { table[$0][source].contains(true) }.map { events[$0].name }
    }

    /// Whether the table accepts an event in a state: the event leads away or is ignored.
    func accepts(_ event: String, in state: String) -> Bool {
        guard let source = Self.index(state), let index = events.firstIndex(where: { $0.name == event }) else {
            return false
        }
        return table[index][source].contains(true) || ignoring[index].contains(source)
    }

    /// Whether an event leads from a state to any state.
    func leaves(_ state: String, by event: String) -> Bool {
        guard let source = Self.index(state), let index = events.firstIndex(where: { $0.name == event }) else {
            return false
        }
        return table[index][source].contains(true)
    }
}
