import Heraclitus

/// The content of a table's diagram in each form.
struct DiagramContent {
    /// The beginning of an arrow.
    enum Origin: Hashable {
        case state(String)

        /// The number of a box, and a state in the box.
        case box(Int, String)
        case anyState

        /// The state, or the state in the box.
        var state: String? {
            switch self {
            case .state(let state), .box(_, let state): state
            case .anyState: nil
            }
        }
    }

    struct Arrow {
        let from: Origin
        let to: String
        var labels: [String] = []

        /// Whether the path goes along it.
        var isTaken = false

        /// The number of the innermost box around both ends.
        let box: Int?

        /// Whether a search from the initial state finds the box or state of the destination before that of the source.
        let isBackward: Bool
    }

    let table: TransitionTable
    let marks: DiagramMarks
    let layout: DiagramBoxes

    /// An arrow for each pair of places, in the order of the definition.
    private(set) var arrows: [Arrow] = []
    private var notes: [String: [String]] = [:]

    /// The machines in each state.
    private var regions: [String: [Region]] = [:]

    /// A machine that a state holds, with the content of its diagram.
    typealias Region = (region: TransitionTable.Region, content: DiagramContent)

    init(_ table: TransitionTable, _ marks: DiagramMarks) {
        let table = table.withUnlistedStates
        self.table = table
        self.marks = marks
        layout = DiagramBoxes(table)
        notes = allNotes
        for region in table.regions {
            let place = regions[region.state]?.count ?? 0
            let isCurrent = region.state == marks.state && marks.regions.indices.contains(place)
            let content = DiagramContent(region.table, isCurrent ? marks.regions[place] : DiagramMarks(nil))
            regions[region.state, default: []].append((region, content))
        }
        var numbers: [Origin: [String: Int]] = [:]
        for event in table.events {
            for (origin, destination) in origins(of: event) {
                let number = numbers[origin]?[destination] ?? arrows.count
                if number == arrows.count {
                    numbers[origin, default: [:]][destination] = number
                    let ends = origin.state.map { layout.ends($0, destination) } ?? (box: nil, isBackward: false)
                    arrows.append(Arrow(from: origin, to: destination, box: ends.box, isBackward: ends.isBackward))
                }
                let mark = marks.mark(event.name, to: destination) { isIn(origin, $0) }
                arrows[number].labels.append(event.label + mark)
                if !mark.isEmpty { arrows[number].isTaken = true }
            }
        }
    }

    /// The notes below the name of a state.
    func notes(on state: String) -> [String] { notes[state] ?? [] }

    /// The machines that a state holds.
    func regions(in state: String) -> [Region] { regions[state] ?? [] }

    /// Whether the path goes through a state.
    func isVisited(_ state: String) -> Bool { marks.visited.contains(state) }

    /// Whether an arrow begins in a state.
    private func isIn(_ origin: Origin, _ state: String) -> Bool {
        switch origin {
        case .state(let source): source == state
        case .box(let number, _): layout.around[state]?.contains { $0.number == number } ?? false
        case .anyState: true
        }
    }

    /// The arrows of an event, without updates: one for all states, or for all states of a box, where they share it.
    private func origins(of event: TransitionTable.Event) -> [(Origin, String)] {
        let general = Set(event.fromAnyState)
        let pairs = event.transitions.filter { !$0.isUpdate && !general.contains($0.to) }
        var sources: [String: Set<String>] = [:]
        for pair in pairs { sources[pair.to, default: []].insert(pair.from) }
        var drawn: [String: Set<String>] = [:]
        // One answer for each box and destination, which serves all states of the box.
        var answers: [Int: [String: Bool]] = [:]
        func leads(from box: DiagramBoxes.Box, to destination: String) -> Bool {
            if let answer = answers[box.number]?[destination] { return answer }
            let leading = sources[destination] ?? []
            let answer = box.members.count <= leading.count && box.members.isSubset(of: leading)
            answers[box.number, default: [:]][destination] = answer
            return answer
        }
        var origins = event.fromAnyState.map { (Origin.anyState, $0) }
        for pair in pairs where drawn[pair.to]?.contains(pair.from) != true {
            // The outermost box comes first. An arrow from a box leads out of it, and speaks for each state of the group, also for states
            // that are drawn elsewhere.
            let box = layout.around[pair.from]?.first { box in
                box.allStates.count > 1 && !box.allStates.contains(pair.to) && leads(from: box, to: pair.to)
            }
            drawn[pair.to, default: []].formUnion(box?.allStates ?? [pair.from])
            origins.append((box.map { .box($0.number, pair.from) } ?? .state(pair.from), pair.to))
        }
        return origins
    }

    private var allNotes: [String: [String]] {
        var notes = layout.otherGroups.filter { !$0.value.isEmpty }.mapValues {
            ["also in \($0.joined(separator: ", "))"]
        }
        for event in table.events {
            for transition in event.transitions where transition.isUpdate {
                notes[transition.from, default: []].append(
                    "\(event.label) / update" + marks.mark(event.name, to: transition.to) { $0 == transition.from }
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

extension TransitionTable {
    /// The table with the states that it names and does not list, as a decoded table may.
    var withUnlistedStates: TransitionTable {
        let named = events.flatMap { event in event.transitions.flatMap { [$0.from, $0.to] } + event.fromAnyState }
        var known = Set(states)
        var table = self
        table.states += ([initial] + named + finals).filter { known.insert($0).inserted }
        return table
    }
}

extension TransitionTable.Region {
    /// The label of the machine's box, as UML writes parts.
    var label: String { name == table.workflow ? name : "\(name) : \(table.workflow)" }
}

extension TransitionTable.Event {
    /// The name, with a guard as UML writes it, and with the reason of an automatic event.
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

/// Lines between a first and a last one, indented.
func block(_ first: String, _ lines: [String], _ last: String = "}") -> [String] {
    [first] + lines.map { "    \($0)" } + [last]
}
