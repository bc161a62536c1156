import Heraclitus

/// Decides whether a sequence of transitions explains everything that the threads have seen.
///
/// Each transition is made at one moment, in a known order: an observer was told, or each state has the number of the
/// state from which it was built. Only the moments are unknown. Every result narrows them down: a read of the third
/// state ended after the third transition and began before the fourth. Each transition therefore has an earliest and a
/// latest moment. If the earliest moment of a transition is after the latest moment of a later one, no order explains
/// the history. If several states were possible during an operation, one of them has to explain its result.
struct HistoryChecker {
    /// A kind of fault.
    enum Kind: String, Hashable, Sendable {
        case lostTransition
        case inventedTransition
        case brokenChain
        case againstTable
        case impossibleOrder
        case unexplained
        case wrongNesting
        case wrongTelling
        case wrongListening
    }

    struct Fault: Hashable, Sendable, CustomStringConvertible {
        let kind: Kind
        let text: String
        var description: String { "\(kind): \(text)" }
    }

    let history: History
    var faults: [Fault] = []

    /// The states in order, beginning with the initial one, and the operation that led to each.
    private(set) var states: [Shown] = []
    private(set) var makers: [Call?] = []
    private(set) var places: [Int: Int] = [:]

    /// The stamps after which and before which each state came; the initial state was always there.
    private(set) var earliest: [Int] = []
    private(set) var latest: [Int] = []

    private(set) var operations: [Int: Call] = [:]

    private init(_ history: History) { self.history = history }

    /// All faults of a history.
    static func check(_ history: History) -> [Fault] {
        var checker = HistoryChecker(history)
        checker.operations = Dictionary(history.operations.map { ($0.id, $0) }) { $1 }
        checker.orderStates()
        guard checker.faults.isEmpty else { return checker.faults }
        checker.boundMoments()
        guard checker.faults.isEmpty else { return checker.faults }
        checker.explainOthers()
        checker.checkTurns()
        checker.checkTelling()
        checker.checkListeners()
        checker.checkLatecomers()
        return checker.faults
    }

    mutating func fault(_ kind: Kind, _ text: String) {
        faults.append(Fault(kind: kind, text: text))
    }

    func revision(at place: Int) -> Int { history.initialRevision + place }
}

// MARK: - Order

extension HistoryChecker {
    private mutating func orderStates() {
        states = [history.initial]
        makers = [nil]
        places[history.initial.number] = 0
        var made: [Int: Call] = [:]
        for operation in history.operations {
            guard case .made(let destination, _) = operation.result else { continue }
            if made.updateValue(operation, forKey: destination.number) != nil {
                fault(.brokenChain, "two operations made state \(destination.number)")
            }
        }
        if let heard = history.heard { orderAsHeard(heard, &made) } else { orderAsBuilt(&made) }
        for operation in made.values.sorted(by: { $0.begin < $1.begin }) {
            fault(.lostTransition, "nobody heard of \(operation)")
        }
    }

    private mutating func orderAsHeard(_ heard: [Told], _ made: inout [Int: Call]) {
        for heard in heard {
            guard case .made(let event, let source, let destination, let isUpdate) = heard.what else { continue }
            let last = states[states.count - 1]
            if source != last { fault(.brokenChain, "\(heard) does not leave \(last)") }
            if heard.revision != revision(at: states.count) {
                fault(.brokenChain, "\(heard) is number \(revision(at: states.count))")
            }
            check(event ?? "", from: last.name, to: destination.name, isUpdate: isUpdate)
            guard let maker = made.removeValue(forKey: destination.number), maker.id == heard.operation else {
                fault(.inventedTransition, "nobody made \(heard)")
                continue
            }
            append(destination, by: maker)
        }
    }

    private mutating func orderAsBuilt(_ made: inout [Int: Call]) {
        var next: [Int: Call] = [:]
        for operation in made.values {
            guard case .made(_, let source?) = operation.result else { continue }
            if let other = next.updateValue(operation, forKey: source) {
                fault(.brokenChain, "\(other) and \(operation) both leave state \(source)")
            }
        }
        while let operation = next[states[states.count - 1].number],
            case .made(let destination, _) = operation.result, places[destination.number] == nil
        {
            let last = states[states.count - 1].name
            if case .fire(let event, _) = operation.attempt {
                check(event, from: last, to: destination.name, isUpdate: nil)
            }
            made.removeValue(forKey: destination.number)
            append(destination, by: operation)
        }
    }

    private mutating func append(_ state: Shown, by maker: Call) {
        if let place = places.updateValue(states.count, forKey: state.number) {
            fault(.brokenChain, "state \(state.number) was entered twice, first at \(place)")
        }
        states.append(state)
        makers.append(maker)
    }

    private mutating func check(_ event: String, from source: String, to destination: String, isUpdate: Bool?) {
        let verdict = history.model.verdict(on: .fire(event: event, to: destination), in: source)
        guard case .leads(let updates) = verdict, isUpdate ?? updates == updates else {
            return fault(.againstTable, "\(event) does not lead from \(source) to \(destination) (\(verdict))")
        }
    }
}

// MARK: - Moments

extension HistoryChecker {
    private mutating func boundMoments() {
        earliest = Array(repeating: Int.min, count: states.count)
        latest = Array(repeating: Int.max, count: states.count)
        for (place, maker) in makers.enumerated() {
            guard let maker else { continue }
            after(maker.built ?? maker.begin, place)
            before(operations[maker.root]?.end ?? maker.end, place)
        }
        for heard in history.heard ?? [] {
            guard case .made(_, _, let destination, _) = heard.what, let place = places[destination.number] else {
                continue
            }
            before(heard.stamp, place)
        }
        for operation in history.operations { bound(by: operation) }
        for place in states.indices.dropFirst() { after(earliest[place - 1], place) }
        for place in states.indices.dropLast().reversed() { before(latest[place + 1], place) }
        for place in states.indices where earliest[place] >= latest[place] {
            let maker = makers[place].map { "\($0)" } ?? "the beginning"
            return fault(
                .impossibleOrder,
                "state \(place), \(states[place]), came after \(earliest[place]) and before \(latest[place]): \(maker)"
            )
        }
    }

    private mutating func after(_ stamp: Int, _ place: Int) { earliest[place] = max(earliest[place], stamp) }

    private mutating func before(_ stamp: Int, _ place: Int) { latest[place] = min(latest[place], stamp) }

    /// Records that a state was shown at some moment of an operation.
    private mutating func shown(_ place: Int, during operation: Call) {
        before(operation.end, place)
        if place + 1 < states.count { after(operation.begin, place + 1) }
    }

    private mutating func bound(by operation: Call) {
        func place(of state: Shown) -> Int? { places[state.number].flatMap { states[$0] == state ? $0 : nil } }
        switch operation.result {
        case .state(let state):
            guard let place = place(of: state) else {
                return fault(.unexplained, "there was no such state: \(operation)")
            }
            shown(place, during: operation)
        case .moment(let state, let revision, let previous):
            guard let place = place(of: state), self.revision(at: place) == revision,
                previous == nil || previous == (place > 0 ? states[place - 1].number : -1)
            else { return fault(.unexplained, "there was no such moment: \(operation)") }
            shown(place, during: operation)
        case .performed(let state, let revision):
            guard let place = place(of: state), self.revision(at: place) == revision else {
                return fault(.unexplained, "there was no such moment: \(operation)")
            }
            shown(place, during: operation)
        case .revision(let revision):
            let place = revision - history.initialRevision
            guard states.indices.contains(place) else {
                return fault(.unexplained, "there was no such revision: \(operation)")
            }
            shown(place, during: operation)
        case .made(_, let source?) where operation.parent == nil:
            guard let place = places[source], case .made(let destination, _) = operation.result,
                places[destination.number] == place + 1
            else { return fault(.brokenChain, "\(operation) was built from a state that it does not leave") }
        case .rejected(let rejection) where operation.parent == nil:
            guard let number = rejection.declinedIn else { return }
            guard let place = places[number], states[place].name == rejection.source else {
                return fault(.unexplained, "there was no such state: \(operation)")
            }
            shown(place, during: operation)
        default: break
        }
    }
}

// MARK: - Results that several states explain

extension HistoryChecker {
    /// The states that may have been shown during an operation.
    private func possible(during operation: Call) -> Range<Int> {
        // Both lists are ascending.
        let first = latest.partitioningIndex { $0 > operation.begin }
        let end = earliest.partitioningIndex { $0 >= operation.end }
        let lowest = max(0, first - 1)
        return lowest..<max(end, lowest)
    }

    private mutating func explainOthers() {
        let model = history.model
        for operation in history.operations where operation.parent == nil {
            let explains: (Shown) -> Bool
            switch operation.result {
            case .ignored:
                explains = { model.verdict(on: operation.attempt, in: $0.name) == .ignored }
            case .rejected(let rejection):
                explains = { $0.name == rejection.source && model.explains(rejection, operation.attempt) }
            case .allowed(let events):
                explains = { model.allowed(in: $0.name) == events }
            case .can(let can):
                guard case .can(let event) = operation.attempt else { continue }
                explains = { model.accepts(event, in: $0.name) == can }
            case .notInState(let name):
                explains = { $0.name == name }
            case .made(let state, _):
                explains = {
                    if case .leads = model.verdict(on: operation.attempt, in: $0.name) { true } else { false }
                }
                // The source is known.
                if let place = places[state.number], place > 0, explains(states[place - 1]) { continue }
                fault(.againstTable, "\(operation)")
                continue
            case .state, .revision, .moment, .performed, .nothing: continue
            }
            let possible = possible(during: operation)
            if !possible.contains(where: { explains(states[$0]) }) {
                fault(.unexplained, "\(operation) by any of \(states[possible].map(\.name))")
            }
        }
    }
}

extension Model {
    /// Whether an attempt is rejected like this in the rejection's state.
    func explains(_ rejection: Call.Rejection, _ attempt: Attempt) -> Bool {
        guard allowed(in: rejection.source) == rejection.allowed else { return false }
        let verdict = verdict(on: attempt, in: rejection.source)
        if rejection.reason == .declined {
            // Before there is an object, only the event is checked.
            if rejection.isBuilders, case .fire(let event, _) = attempt { return leaves(rejection.source, by: event) }
            if case .leads = verdict { return true }
            return false
        }
        return verdict == .rejected(rejection.reason)
    }
}

extension Array {
    /// The first index from which on a monotonic condition holds.
    fileprivate func partitioningIndex(where holds: (Element) -> Bool) -> Int {
        var range = 0..<count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = holds(self[middle]) ? range.lowerBound..<middle : middle + 1..<range.upperBound
        }
        return range.lowerBound
    }
}
