import Heraclitus

/// What is drawn of a table, in whatever form.
struct DiagramContent {
    /// Where an arrow begins.
    enum Origin: Hashable {
        case state(String)

        /// The box of a number, and a state in it.
        case box(Int, String)
        case anyState
    }

    struct Arrow {
        let from: Origin
        let to: String
        var labels: [String]

        /// Whether the path goes along it.
        var isTaken: Bool
    }

    let layout: DiagramBoxes

    /// One for each pair of places, in the order of the definition.
    private(set) var arrows: [Arrow] = []
    private let notes: [String: [String]]
    private let regions: [String: [TransitionTable.Region]]
    private let path: DiagramPath

    init(_ table: TransitionTable, _ path: DiagramPath) {
        layout = DiagramBoxes(table)
        regions = Dictionary(grouping: table.regions, by: \.state)
        self.path = path
        notes = Self.notes(of: table, in: layout, path)
        let around = layout.boxesAroundStates
        var places: [Place: Int] = [:]
        for event in table.events {
            for (origin, destination) in Self.origins(of: event, around) {
                let place = Place(from: origin, to: destination)
                let mark = path.mark(event.name, to: destination) { Self.isIn(origin, $0, around) }
                if let number = places[place] {
                    arrows[number].labels.append(event.label + mark)
                    if !mark.isEmpty { arrows[number].isTaken = true }
                } else {
                    places[place] = arrows.count
                    let labels = [event.label + mark]
                    arrows.append(Arrow(from: origin, to: destination, labels: labels, isTaken: !mark.isEmpty))
                }
            }
        }
    }

    /// What is written below the name of a state.
    func notes(on state: String) -> [String] { notes[state] ?? [] }

    /// The machines that a state holds.
    func regions(in state: String) -> [TransitionTable.Region] { regions[state] ?? [] }

    /// Whether the path goes through a state.
    func isVisited(_ state: String) -> Bool { path.states.contains(state) }

    /// Whether an arrow begins in a state.
    private static func isIn(_ origin: Origin, _ state: String, _ around: [String: [DiagramBoxes.Box]]) -> Bool {
        switch origin {
        case .state(let source): source == state
        case .box(let number, _): around[state]?.contains { $0.number == number } ?? false
        case .anyState: true
        }
    }

    /// A box and a destination.
    private struct BoxedPair: Hashable {
        let box: Int
        let to: String
    }

    private struct Place: Hashable {
        let from: Origin
        let to: String
    }

    /// From where an event leads to where, updates left out: what it does everywhere, or in a whole box, once.
    private static func origins(
        of event: TransitionTable.Event,
        _ around: [String: [DiagramBoxes.Box]]
    ) -> [(Origin, String)] {
        let general = Set(event.fromAnyState)
        let pairs = event.transitions.filter { !$0.isUpdate && !general.contains($0.to) }
        var sources: [String: Set<String>] = [:]
        for pair in pairs { sources[pair.to, default: []].insert(pair.from) }
        var drawn: [String: Set<String>] = [:]
        // Asked once of each box and destination, and not for each of its states.
        var answers: [BoxedPair: Bool] = [:]
        func leads(from box: DiagramBoxes.Box, to destination: String) -> Bool {
            let pair = BoxedPair(box: box.number, to: destination)
            if let answer = answers[pair] { return answer }
            let leading = sources[destination] ?? []
            let answer = box.members.count <= leading.count && box.members.isSubset(of: leading)
            answers[pair] = answer
            return answer
        }
        var origins = event.fromAnyState.map { (Origin.anyState, $0) }
        for pair in pairs where drawn[pair.to]?.contains(pair.from) != true {
            // The outermost comes first. An arrow cannot lead from a box into itself. One from a box says that every state of the group
            // has the event, also one that is drawn elsewhere.
            let box = around[pair.from]?.first { box in
                box.allStates.count > 1 && !box.allStates.contains(pair.to) && leads(from: box, to: pair.to)
            }
            drawn[pair.to, default: []].formUnion(box?.allStates ?? [pair.from])
            origins.append((box.map { .box($0.number, pair.from) } ?? .state(pair.from), pair.to))
        }
        return origins
    }

    private static func notes(
        of table: TransitionTable,
        in layout: DiagramBoxes,
        _ path: DiagramPath
    ) -> [String: [String]] {
        var notes = layout.otherGroups.filter { !$0.value.isEmpty }.mapValues {
            ["also in \($0.joined(separator: ", "))"]
        }
        for event in table.events {
            for transition in event.transitions where transition.isUpdate {
                notes[transition.from, default: []].append(
                    "\(event.label) / update" + path.mark(event.name, to: transition.to) { $0 == transition.from }
                )
            }
        }
        for event in table.events {
            for state in event.ignored { notes[state, default: []].append("\(event.name) / ignored") }
        }
        for action in table.actions {
            for state in action.states { notes[state, default: []].append("\(action.name)()") }
        }
        return notes
    }
}

extension TransitionTable.Region {
    /// What is written at the box of the machine, as UML writes parts.
    var label: String { name == table.workflow ? name : "\(name) : \(table.workflow)" }
}

extension TransitionTable.Event {
    /// The name, with a guard as UML writes it, and with why it fires by itself.
    fileprivate var label: String {
        let causes = triggers.map { trigger in
            switch trigger {
            case .due: dueAfter.map { "after \(Self.text(ofSeconds: $0))" } ?? "when due"
            case .failure: "when failed"
            case .done: "when done"
            case .completion: "when final"
            case .condition: "on condition"
            }
        }
        return name + (isGuarded ? " [guarded]" : "") + (causes.isEmpty ? "" : " (\(causes.joined(separator: ", ")))")
    }

    /// A time in the largest unit of which it is a whole number.
    private static func text(ofSeconds seconds: Double) -> String {
        for (size, unit) in [(86_400.0, "d"), (3_600, "h"), (60, "min"), (1, "s")] {
            if let count = Int(exactly: seconds / size), count > 0 || size == 1 { return "\(count) \(unit)" }
        }
        if let count = Int(exactly: seconds * 1_000) { return "\(count) ms" }
        return "\(seconds) s"
    }
}
