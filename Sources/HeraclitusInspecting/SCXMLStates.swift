import Heraclitus

/// The states of a document in SCXML, in its order: a state comes before its inner states.
///
/// Functions loop over levels and do not call themselves, because a foreign document may have any number of levels.
struct SCXMLStates {
    private struct Transition {
        let event: String
        let target: String?
        let line: Int
    }

    private struct State {
        let id: String

        /// The name in the table.
        let name: String
        let parent: Int?
        let isFinal: Bool
        var initial: (id: String, line: Int)?
        var transitions: [Transition] = []
    }

    private var name = ""
    private var initial: (id: String, line: Int)?
    private var states: [State] = []
    private var numbers: [String: Int] = [:]
    private var stateNames: Set<String> = []
    private var problems: [(line: Int, name: String, explanation: String)] = []

    /// Adds a problem behind those of earlier lines, and keeps the first 100.
    private mutating func refuse(_ line: Int, _ name: String, _ explanation: String) {
        let place = problems.lastIndex { $0.line <= line }.map { $0 + 1 } ?? 0
        problems.insert((line, name, explanation), at: place)
        if problems.count > 100 { problems.removeLast() }
    }

    /// The error with all problems, the first of which gives the path.
    private var refusal: ArchiveError {
        let others = problems.dropFirst().map {
            "\n  line \($0.line), \($0.name.shortened): \($0.explanation.shortenedExplanation)"
        }
        let (line, name, explanation) = problems.first ?? (line: 1, name: "scxml", explanation: "")
        return .malformed(path: "line \(line), \(name)", explanation: explanation + others.joined())
    }

    // MARK: - Reading

    /// An element that has begun.
    private enum Open {
        /// The number of a state, or none for the document.
        case state(Int?)
        case initial(Int)
        case transition
        case refused
    }

    mutating func read(_ bytes: [UInt8]) throws(ArchiveError) {
        var reader = XMLReader(bytes)
        var open: [(element: Open, name: String, line: Int)] = []
        var hasBegun = false
        do throws(XMLReader.Problem) {
            while let token = try reader.next() {
                switch token {
                case .text(let line):
                    if case .refused? = open.last?.element { continue }
                    refuse(line, open.last?.name ?? "scxml", "It has a text in it.")
                case .start(let element):
                    if hasBegun, open.isEmpty {
                        throw .init(line: element.line, explanation: "There is more than one document.")
                    }
                    hasBegun = true
                    let new = begin(element, in: open.last?.element)
                    if !element.isEmpty { open.append((new, element.name, element.line)) }
                case .end(let name, let line):
                    guard let last = open.popLast() else {
                        throw .init(line: line, explanation: "The element \(name) ends here and did not begin.")
                    }
                    guard last.name == name else {
                        let missing = "The element \(last.name) of line \(last.line) does not end"
                        throw .init(line: line, explanation: "\(missing) before the element \(name).")
                    }
                }
            }
            if let last = open.last {
                throw .init(line: last.line, explanation: "The element \(last.name) does not end.")
            }
            if !hasBegun { throw .init(line: 1, explanation: "There is no element.") }
        } catch {
            refuse(error.line, "XML", error.explanation)
        }
        if !problems.isEmpty { throw refusal }
    }

    private mutating func begin(_ element: XMLReader.Element, in around: Open?) -> Open {
        switch (element.name, around) {
        case (_, .refused): return .refused
        case ("scxml", nil):
            name = element.attributes["name"].map { TransitionTable.text(ofXMLName: $0) } ?? ""
            initial = element.attributes["initial"].map { ($0, element.line) }
            check(element, ["name", "initial", "version", "datamodel", "binding", "exmode", "xmlns"])
            return .state(nil)
        case ("state", .state(let parent)), ("final", .state(let parent)): return state(element, in: parent)
        case ("initial", .state(let parent?)): return .initial(parent)
        case ("transition", .state(let state?)):
            add(element, to: state)
            return .transition
        case ("transition", .initial(let state)):
            check(element, ["target"])
            states[state].initial = element.attributes["target"].map { ($0, element.line) }
            return .transition
        case (_, nil):
            refuse(element.line, element.name, "The document is not an \"scxml\".")
            return .refused
        default:
            refuse(element.line, element.name, "A table cannot say this.")
            return .refused
        }
    }

    private mutating func check(_ element: XMLReader.Element, _ known: Set<String>) {
        for key in element.attributes.keys.sorted() where !known.contains(key) && !key.contains(":") {
            refuse(element.line, key, "A table cannot say this of the element \(element.name).")
        }
    }

    private mutating func state(_ element: XMLReader.Element, in parent: Int?) -> Open {
        check(element, element.name == "state" ? ["id", "initial"] : ["id"])
        let number = states.count
        let id = element.attributes["id"]
        let name = TransitionTable.text(ofXMLName: id ?? "")
        if id == nil { refuse(element.line, element.name, "It has no id.") }
        if let parent, states[parent].isFinal {
            refuse(element.line, id ?? element.name, "It is within the final state \(states[parent].id).")
        }
        if let id {
            numbers[id] = number
            if !stateNames.insert(name).inserted { refuse(element.line, id, "Another state has this name.") }
        }
        states.append(
            State(
                id: id ?? "",
                name: name,
                parent: parent,
                isFinal: element.name == "final",
                initial: element.attributes["initial"].map { ($0, element.line) }
            )
        )
        return .state(number)
    }

    private mutating func add(_ element: XMLReader.Element, to state: Int) {
        check(element, ["event", "target", "type"])
        let line = element.line
        if states[state].isFinal { refuse(line, states[state].id, "A transition leads from a final state.") }
        if element.attributes["type"] == "internal" { refuse(line, "type", "A table has no internal transitions.") }
        let events = (element.attributes["event"] ?? "").split(separator: " ").map(String.init)
        if events.isEmpty { refuse(line, "transition", "It is for no event.") }
        let targets = element.attributes["target"]?.split(separator: " ")
        if let targets, targets.count != 1 { refuse(line, "target", "A transition of a table leads to one state.") }
        for event in events {
            if event.contains("*") || event.hasSuffix(".") {
                refuse(line, event, "An event of a table has one name.")
            } else if ["done", "error"].contains(event.prefix { $0 != "." }) {
                refuse(line, event, "A table has no events of the platform.")
            }
            let target = targets.flatMap { $0.first.map(String.init) }
            states[state].transitions.append(Transition(event: event, target: target, line: line))
        }
    }

    // MARK: - The table

    /// A transition of a state, which its inner states inherit.
    private struct Route {
        let event: String

        /// Nearer transitions with this key replace it.
        let key: String

        /// The state that a machine enters; `nil` for an update.
        let to: Int?
        let line: Int
    }

    /// The largest number of outer states that are asked for transitions.
    private static let limit = 10_000_000

    mutating func table(version: Int) throws(ArchiveError) -> TransitionTable {
        let leaves = leaves()
        let start = initial.map { leaf(of: $0, leaves, "scxml") } ?? (states.isEmpty ? nil : leaves[0])
        if states.isEmpty { refuse(1, "scxml", "It has no states.") }
        let routes = zip(states, eventNames).map { self.routes(of: $0, $1, leaves) }
        var events: [[String]] = []
        var pairs: [String: [TransitionTable.Transition]] = [:]
        var steps = 0
        for state in states.indices where leaves[state] == state {
            var taken: Set<String> = []
            var found: [String] = []
            var next: Int? = state
            while let around = next, steps <= Self.limit {
                steps += 1 + routes[around].count
                for route in routes[around] where Self.isFree(route.event, route.key, &taken) {
                    found.append(route.event)
                    let (from, to) = (states[state].name, states[route.to ?? state].name)
                    pairs[route.event, default: []].append(.init(from: from, to: to, isUpdate: route.to == nil))
                }
                next = states[around].parent
            }
            events.append(found)
        }
        if steps > Self.limit { refuse(1, "scxml", "Its states are within too many others.") }
        let names = events.inCommonOrder
        var eventNames: Set<String> = []
        func line(of event: String) -> Int { routes.joined().first { $0.event == event }?.line ?? 1 }
        if let (name, other) = names.ambiguous {
            let text = "SCXML takes the event \(other) for this one, which a table does not."
            refuse(line(of: name), name, text)
        }
        if let event = names.first(where: { !eventNames.insert(TransitionTable.text(ofXMLEventName: $0)).inserted }) {
            refuse(line(of: event), event, "Another event has this name.")
        }
        guard problems.isEmpty, let start else { throw refusal }
        return table(version, start, names, pairs)
    }

    /// Whether nearer transitions leave the event to this one.
    ///
    /// A transition for `go` also takes `go.B`, which is `go` with one of several destinations.
    private static func isFree(_ event: String, _ key: String, _ taken: inout Set<String>) -> Bool {
        !taken.contains(event) && taken.insert(key).inserted
    }

    /// The transitions of a state, without those that are problems.
    private mutating func routes(of state: State, _ events: [String], _ leaves: [Int]) -> [Route] {
        var taken: Set<String> = []
        var routes: [Route] = []
        for (transition, event) in zip(state.transitions, events) {
            let key = event == transition.event ? event : "\(event) \(transition.target ?? "")"
            guard Self.isFree(event, key, &taken) else {
                refuse(transition.line, transition.event, "An earlier transition is for this event.")
                continue
            }
            let to = transition.target.flatMap { leaf(of: ($0, transition.line), leaves, transition.event) }
            guard to != nil || transition.target == nil else { continue }
            routes.append(Route(event: event, key: key, to: to, line: transition.line))
        }
        return routes
    }

    private func table(
        _ version: Int,
        _ start: Int,
        _ events: [String],
        _ pairs: [String: [TransitionTable.Transition]]
    ) -> TransitionTable {
        let names = states.map(\.name)
        var table = TransitionTable(
            named: name,
            version: version,
            states: names,
            initial: names[start],
            events: events.map { event in
                // An outer transition for `go` may lead to the destination of an inner one for `go.B`.
                TransitionTable.Event(named: TransitionTable.text(ofXMLEventName: event), (pairs[event] ?? []).once)
            }
        )
        for (number, state) in states.enumerated() {
            if let parent = state.parent { table.superstates[names[number]] = names[parent] }
        }
        return table
    }

    /// The names of the events of each state's transitions.
    ///
    /// The name of an event with several destinations ends with the destination, as ``DiagramFormat/scxml`` has it. No state has
    /// only one such name; others that end with a destination are names of another program.
    private var eventNames: [[String]] {
        let beginnings = states.map { state in state.transitions.map { beginning(of: $0, in: state) } }
        var isSeveral: [String: Bool] = [:]
        for names in beginnings {
            let counts = Dictionary(names.compactMap { name in name.map { ($0, 1) } }, uniquingKeysWith: +)
            for (name, count) in counts { isSeveral[name] = isSeveral[name] != false && count > 1 }
        }
        return zip(states, beginnings).map { state, beginnings in
            zip(state.transitions, beginnings).map { transition, beginning in
                guard let beginning, isSeveral[beginning] == true else { return transition.event }
                return beginning
            }
        }
    }

    /// The name of a transition's event before the dot and the destination; `nil` for another name.
    private func beginning(of transition: Transition, in state: State) -> String? {
        let id = transition.target ?? state.id
        var end = ".\(id)"
        // A machine's states have its id before their names. Ids of another program may have dots, too.
        if let machine = numbers[id].flatMap({ states[$0].parent }), id.hasPrefix("\(states[machine].id).") {
            end = String(id.dropFirst(states[machine].id.count))
        }
        return transition.event.hasSuffix(end) ? String(transition.event.dropLast(end.count)) : nil
    }

    /// For each state the state that a machine enters with it: itself, or its initial inner state.
    private mutating func leaves() -> [Int] {
        var leaves = Array(states.indices)
        // The number behind the last state in each state.
        var ends = leaves.map { $0 + 1 }
        for number in states.indices.reversed() {
            if let parent = states[number].parent { ends[parent] = max(ends[parent], ends[number]) }
            let inner = (number + 1)..<ends[number]
            guard let initial = states[number].initial else {
                if !inner.isEmpty { leaves[number] = leaves[number + 1] }
                continue
            }
            guard let target = numbers[initial.id], inner.contains(target) else {
                refuse(initial.line, initial.id, "The initial state of \(states[number].id) is not within it.")
                continue
            }
            leaves[number] = leaves[target]
        }
        return leaves
    }

    private mutating func leaf(of target: (id: String, line: Int), _ leaves: [Int], _ name: String) -> Int? {
        if let number = numbers[target.id] { return leaves[number] }
        refuse(target.line, name, "There is no state \(target.id).")
        return nil
    }
}
