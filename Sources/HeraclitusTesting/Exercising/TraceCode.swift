import Heraclitus

extension Exercise {
    /// The path as code for a test that has the same `samples`, and a `context` if machines need one.
    func code(for trace: [ExerciseAction], from start: String, showing problem: ExerciseFailure.Problem) -> String {
        let isAutomatic = table.events.contains(where: \.isAutomatic)
        let scheduler = isAutomatic ? "scheduler: clock.scheduler" : ""
        let isLost = if case .lostInArchive = problem { true } else { false }
        // `expectArchives` makes the last restart of a lossy state.
        let actions = isLost ? trace.dropLast() : trace[...]
        let context = W.Context.self == Void.self ? nil : "context: context"
        let environment = [context, isAutomatic ? scheduler : nil].compactMap(\.self)
        let sample = beginsByItself(in: start) ? nil : beginning(in: start)?.sample
        let object = sample.map { "samples[\($0)]()" } ?? emptyObject(start)
        let entering = beginsByItself(in: start) ? [] : ["entering: \(object)"]
        let arguments = (entering + environment).joined(separator: ", ")
        var lines = isAutomatic ? ["let clock = ManualClock()"] : []
        let machine = "\(sample == nil ? "" : "try ")StateMachine<\(writtenName(of: W.self))>(\(arguments))"
        lines.append("\(actions.contains(.restart) ? "var" : "let") machine = \(machine)")
        let isActivatedByFire = if case .fire(_, _, []) = actions.first { true } else { false }
        if !isActivatedByFire { lines.append("machine.activate()") }
        for action in actions {
            switch action {
            case .restart:
                let more = environment.map { ", \($0)" }.joined()
                lines += ["machine = try StateMachine(archive: machine.archive()\(more))", "machine.activate()"]
            case .fire(let transition, let sample, let path):
                lines.append(path.isEmpty ? call(of: transition, sample) : call(of: transition, sample, in: path))
            }
        }
        switch problem {
        case .lostInArchive:
            let names = except.sorted().map(\.debugDescription).joined(separator: ", ")
            lines.append("try expectArchives(machine.state\(names.isEmpty ? "" : ", except: [\(names)]"))")
        case .strayed:
            lines.append("#expect(machine.stateName == \(state(after: trace, from: start).debugDescription))")
        case .brokenInvariant(let name), .failedInvariant(let name, _): lines.append("// \(name.inOneLine)")
        default: break
        }
        return lines.joined(separator: "\n")
    }

    /// The state at the end of a path on which hooks fire no event.
    private func state(after trace: [ExerciseAction], from start: String) -> String {
        trace.reduce(start) { if case .fire(let transition, _, []) = $1 { transition.to } else { $0 } }
    }

    private func call(of transition: ExercisedTransition, _ sample: Int?) -> String {
        let destinations = table[transition.event]?.transitions.filter { $0.from == transition.from } ?? []
        // Without an object, the event makes its only destination, or builds one.
        let isChosen = destinations.count != 1 && W.emptyState(named: transition.to) != nil
        let object =
            sample.map { "samples[\($0)](machine.state)" } ?? (isChosen ? emptyObject(transition.to) : nil)
        if let property = W.property(ofEvent: transition.event) {
            return "try machine.fire.\(property)(\(object ?? ""))"
        }
        return "try machine.fire[named: \(transition.event.debugDescription)](\(object ?? ""))"
    }

    /// A fire of a machine in the state, in its own scope, because code may have several.
    private func call(of transition: ExercisedTransition, _ sample: Int?, in path: [RegionPlace]) -> String {
        var (region, state) = ("", "machine.state")
        for place in path {
            // A number also leads to machines in private properties and in lists.
            region = "(\(state) as? any Composite)?.regions[\(place.index)] as? \(place.type)"
            state = "(\(region))?.state"
        }
        let object = sample.map { "samples[\($0)](region.state)" } ?? chosenObject(of: transition, in: path)
        return """
            do {
                let region = try #require(\(region))
                try region.fire[named: \(transition.event.debugDescription)](\(object ?? ""))
            }
            """
    }

    /// The empty state for an event of a machine in the state that leads to several states.
    private func chosenObject(of transition: ExercisedTransition, in path: [RegionPlace]) -> String? {
        guard let workflow = path.last?.workflow, let state = workflow.stateClass(named: transition.to),
            state is any EmptyState.Type,
            workflow.table[transition.event]?.transitions.filter({ $0.from == transition.from }).count != 1
        else { return nil }
        return "\(writtenName(of: state))()"
    }

    /// The class of a state as code writes it.
    func className(of state: String) -> String {
        W.stateClass(named: state).map(writtenName) ?? writtenName(of: W.AnyState.self)
    }

    private func emptyObject(_ name: String) -> String {
        // The objects of a `DataWorkflow` share one class, and have the name themselves.
        let argument = W.stateClass(named: name).map { _ in "" } ?? name.debugDescription
        return "\(className(of: name))(\(argument))"
    }

}
