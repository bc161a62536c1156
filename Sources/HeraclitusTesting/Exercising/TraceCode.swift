import Heraclitus

extension Exercise {
    /// Actions as code for a test that has the same `samples`, and a `context` if machines need one.
    /// - Parameters:
    ///   - trace: The actions.
    ///   - path: The transitions of the machine itself among the actions.
    ///   - problem: The problem at their end.
    /// - Returns: The code.
    func code(for trace: [ExerciseAction], along path: TransitionPath, of problem: ExerciseFailure.Problem) -> String {
        let isAutomatic = table.events.contains(where: \.isAutomatic)
        let isLost = if case .lostInArchive = problem { true } else { false }
        // `expectArchives` makes the last restart of a lossy state.
        let actions = isLost ? trace.dropLast() : trace[...]
        let environment = [
            W.Context.self == Void.self ? nil : "context: context", isAutomatic ? "scheduler: clock.scheduler" : nil,
        ].compactMap(\.self)
        let sample = beginsByItself(in: path.start) ? nil : beginning(in: path.start)?.sample
        let object = sample.map { "samples[\($0)]()" } ?? emptyObject(path.start)
        let entering = beginsByItself(in: path.start) ? [] : ["entering: \(object)"]
        let arguments = (entering + environment).joined(separator: ", ")
        var lines = isAutomatic ? ["let clock = ManualClock()"] : []
        let machine = "\(sample == nil ? "" : "try ")StateMachine<\(writtenName(of: W.self))>(\(arguments))"
        lines.append("\(actions.contains(.restart) ? "var" : "let") machine = \(machine)")
        let isActivatedByFire =
            if case .fire(let transition, _) = actions.first { transition.path.isEmpty } else { false }
        if !isActivatedByFire { lines.append("machine.activate()") }
        for action in actions {
            switch action {
            case .restart:
                let more = environment.map { ", \($0)" }.joined()
                lines += ["machine = try StateMachine(archive: machine.archive()\(more))", "machine.activate()"]
            case .fire(let transition, let sample): lines.append(call(of: transition, sample))
            }
        }
        switch problem {
        case .lostInArchive:
            let names = except.sorted().map(\.debugDescription).joined(separator: ", ")
            lines.append("try expectArchives(machine.state\(names.isEmpty ? "" : ", except: [\(names)]"))")
        case .strayed: lines.append("#expect(machine.stateName == \(path.end.debugDescription))")
        case .brokenInvariant(let name), .failedInvariant(let name, _): lines.append("// \(name.inOneLine)")
        default: break
        }
        return lines.joined(separator: "\n")
    }

    /// A fire of the machine, or of a machine in its state in its own scope, because code may have several.
    private func call(of transition: ExercisedTransition, _ sample: Int?) -> String {
        let isOwn = transition.path.isEmpty
        let machine = isOwn ? "machine" : "region"
        let object = sample.map { "samples[\($0)](\(machine).state)" } ?? chosenObject(of: transition)
        if isOwn, let property = W.property(ofEvent: transition.event) {
            return "try machine.fire.\(property)(\(object ?? ""))"
        }
        let fire = "try \(machine).fire[named: \(transition.event.debugDescription)](\(object ?? ""))"
        if isOwn { return fire }
        var (region, state) = ("", "machine.state")
        for place in transition.path {
            // A number also leads to machines in private properties and in lists.
            let type = "StateMachine<\(writtenName(of: place.workflow))>"
            region = "(\(state) as? any Composite)?.regions[\(place.index)] as? \(type)"
            state = "(\(region))?.state"
        }
        return """
            do {
                let region = try #require(\(region))
                \(fire)
            }
            """
    }

    /// The empty state for an event that leads to several states.
    ///
    /// Other events make their only destination, or build one.
    private func chosenObject(of transition: ExercisedTransition) -> String? {
        let workflow: any Workflow.Type = transition.path.last?.workflow ?? W.self
        let destinations = workflow.table[transition.event]?.transitions.filter { $0.from == transition.from }
        if destinations?.count == 1 { return nil }
        if transition.path.isEmpty { return W.emptyState(named: transition.to).map { _ in emptyObject(transition.to) } }
        guard let state = workflow.stateClass(named: transition.to), state is any EmptyState.Type else { return nil }
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
