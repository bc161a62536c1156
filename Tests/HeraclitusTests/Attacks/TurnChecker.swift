import Heraclitus

// Checks the fires of callbacks, the order of observers, and the calls of temporary listeners.

// MARK: - Fires from callbacks

extension HistoryChecker {
    /// Checks the fires of callbacks against the state that all accepted transitions lead to.
    mutating func checkTurns() {
        let nested = Dictionary(grouping: history.operations.filter { $0.parent != nil }, by: \.root)
        for (id, inner) in nested {
            guard let root = operations[id] else {
                fault(.wrongNesting, "nobody has the operation \(id)")
                continue
            }
            checkTurn(of: root, inner.sorted { $0.end < $1.end })
        }
    }

    private mutating func checkTurn(of root: Call, _ inner: [Call]) {
        // The state that all accepted transitions lead to, and its place if known.
        var projected: Shown
        var place: Int?
        switch root.result {
        case .made(let state, _):
            projected = state
            place = places[state.number]
        case .performed(let state, _):
            projected = state
            place = places[state.number]
        case .rejected(let rejection):
            place = rejection.declinedIn.flatMap { places[$0] }
            projected = Shown(number: rejection.declinedIn ?? -1, name: rejection.source)
        default: return fault(.wrongNesting, "called back: \(root)")
        }
        for operation in inner {
            guard operation.end < root.end, operation.begin > root.begin else {
                fault(.wrongNesting, "\(operation) outlives \(root)")
                continue
            }
            if operation.isPreparing {
                checkPreparing(operation)
                continue
            }
            switch operation.result {
            case .made(let state, let source):
                if let source, projected.number >= 0, source != projected.number {
                    fault(.wrongNesting, "\(operation) was built from \(source) instead of \(projected)")
                }
                if case .leads = history.model.verdict(on: operation.attempt, in: projected.name) {
                } else {
                    fault(.wrongNesting, "\(operation) in \(projected)")
                }
                let found = places[state.number]
                if let place, found != place + 1 {
                    fault(.wrongNesting, "\(operation) is not the next after \(projected)")
                }
                (projected, place) = (state, found)
            case .ignored:
                if history.model.verdict(on: operation.attempt, in: projected.name) != .ignored {
                    fault(.wrongNesting, "\(operation) in \(projected)")
                }
            case .rejected(let rejection):
                let isRight =
                    rejection.source == projected.name && history.model.explains(rejection, operation.attempt)
                    && (rejection.declinedIn == nil || projected.number < 0 || rejection.declinedIn == projected.number)
                if !isRight { fault(.wrongNesting, "\(operation) in \(projected)") }
            case .allowed(let events):
                if history.model.allowed(in: projected.name) != events {
                    fault(.wrongNesting, "\(operation) in \(projected)")
                }
            case .can(let can):
                guard case .can(let event) = operation.attempt else { continue }
                if history.model.accepts(event, in: projected.name) != can {
                    fault(.wrongNesting, "\(operation) in \(projected)")
                }
            case .state, .revision, .moment, .performed, .notInState, .nothing: break
            }
        }
    }

    /// Guards, builders and will hooks may read but not fire.
    private mutating func checkPreparing(_ operation: Call) {
        switch operation.result {
        case .made, .ignored: fault(.wrongNesting, "\(operation) from a guard, a builder or a will hook")
        case .rejected(let rejection):
            if rejection.reason != .transitionInProgress { fault(.wrongNesting, "\(operation) in progress") }
        default: break
        }
    }
}

// MARK: - Permanent observers

extension HistoryChecker {
    mutating func checkTelling() {
        guard let heard = history.heard else { return }
        for heard in heard where !heard.isOnItsThread {
            fault(.wrongTelling, "\(heard) was told on another thread than that which fired")
        }
        let activations = heard.indices.filter { if case .activated = heard[$0].what { true } else { false } }
        if activations != (history.isNew && !heard.isEmpty ? [0] : []) {
            fault(.wrongTelling, "was activated at \(activations)")
        }
        var stamps: [Int: Int] = [:]
        var turns: [(root: Int, operations: [Int])] = []
        for heard in heard {
            guard let id = heard.operation else { continue }
            guard let operation = operations[id] else {
                fault(.wrongTelling, "nobody did \(heard)")
                continue
            }
            if stamps.updateValue(heard.stamp, forKey: id) != nil { fault(.wrongTelling, "twice: \(heard)") }
            if !isAnswer(heard, to: operation) { fault(.wrongTelling, "\(heard) of \(operation)") }
            if turns.last?.root == operation.root {
                turns[turns.count - 1].operations.append(id)
            } else {
                turns.append((operation.root, [id]))
            }
        }
        let turnsByRoot = Dictionary(grouping: turns, by: \.root)
        for (root, all) in Dictionary(grouping: history.operations, by: \.root) {
            let expected = toldOrder(of: all, root: root, first: all.compactMap { stamps[$0.id] }.min())
            let told = turnsByRoot[root] ?? []
            if told.count > 1 { fault(.wrongTelling, "other turns came between what \(root) has caused") }
            if told.flatMap(\.operations) != expected.map(\.id) {
                fault(.wrongTelling, "told of \(told.flatMap(\.operations)) instead of \(expected)")
            }
        }
    }

    private func isAnswer(_ heard: Told, to operation: Call) -> Bool {
        switch (heard.what, operation.result) {
        case (.made(_, _, let told, _), .made(let state, _)): told == state
        case (.rejected(let reason), .rejected(let rejection)): reason == rejection.reason
        case (.ignored, .ignored): true
        case (.performed, .performed): operation.attempt == .perform(named: true)
        default: false
        }
    }

    /// The occurrences of a turn in the order in which observers are told.
    private func toldOrder(of all: [Call], root: Int, first: Int?) -> [Call] {
        let told = all.filter { operation in
            switch operation.result {
            case .made, .rejected: true
            case .ignored: operation.attempt.isFire
            case .performed: operation.attempt == .perform(named: true)
            default: false
            }
        }
        let inner = told.filter { $0.id != root }.sorted { $0.end < $1.end }
        let outer = told.filter { $0.id == root }
        guard let first, case .rejected? = outer.first?.result else { return outer + inner }
        // Attempts of its guards were rejected before it, and observers are told after both.
        return inner.filter { $0.end < first } + outer + inner.filter { $0.end > first }
    }
}

// MARK: - Temporary observers

extension HistoryChecker {
    mutating func checkListeners() {
        // The end of the turn of each state, after which observers are silent.
        let ends = makers.map { maker in maker.map { operations[$0.root]?.end ?? $0.end } ?? Int.min }
        let begins = makers.map { maker in maker.map { operations[$0.root]?.begin ?? $0.begin } ?? Int.min }
        for listener in history.listeners {
            let heard = listener.heard.map { $0.revision - history.initialRevision }
            for (place, told) in zip(heard, listener.heard) {
                guard states.indices.contains(place), states[place].number == told.number else {
                    fault(.wrongListening, "there was no \(told)")
                    return
                }
                if ends[place] < listener.addBegin { fault(.wrongListening, "heard too early of \(states[place])") }
                if begins[place] > listener.cancelEnd { fault(.wrongListening, "heard too late of \(states[place])") }
            }
            if zip(heard, heard.dropFirst()).contains(where: { $1 != $0 + 1 }) {
                fault(.wrongListening, "heard of \(heard), not one after the other")
            }
            guard let seen = places[listener.seen] else {
                fault(.wrongListening, "saw \(listener.seen), which there was not")
                continue
            }
            let certain = states.indices.filter { $0 > seen && ends[$0] < listener.cancelBegin }
            if let missed = certain.first(where: { !heard.contains($0) }) {
                fault(.wrongListening, "saw \(states[seen]) and never heard of \(states[missed]), but of \(heard)")
            }
        }
    }

    /// A listener added by a callback is called from the next place on, in the same transition.
    mutating func checkLatecomers() {
        for latecomer in history.latecomers {
            // A guard may have added it to a transition that another guard has declined.
            let isMade = places[latecomer.transition] != nil
            let isCalled = !latecomer.isUpdate || latecomer.phase == .observers
            let comesLater =
                latecomer.phase > latecomer.added.phase
                || latecomer.phase == latecomer.added.phase && !latecomer.added.isOwn
            if latecomer.calls != (isMade && isCalled && comesLater ? 1 : 0) {
                fault(.wrongListening, "called \(latecomer.calls) times: \(latecomer)")
            }
        }
    }
}
