import Synchronization

extension StateMachine {
    /// Resolves the event, asks the table, builds the destination and asks the guards.
    /// - Returns: The transition, which is certain now; `nil` if the event is ignored.
    func accept(
        _ trigger: Trigger,
        userInfo: UserInfo,
        building build: (Offer<W>) throws -> AnyObject,
        in run: UnsafeMutablePointer<Run>
    ) throws(InvalidTransition) -> Step? {
        run.pointee.phase = .preparing
        let source = run.pointee.standing
        let event = try resolve(trigger, from: source.index, userInfo: userInfo)
        func refusal(
            _ reason: InvalidTransition.Reason,
            to destination: String? = nil,
            because error: (any Error)? = nil,
            candidates: [String] = []
        ) -> InvalidTransition {
            InvalidTransition(
                reason,
                event: event.name,
                from: source.index,
                to: destination,
                in: definition,
                userInfo: userInfo,
                underlyingError: error,
                candidates: candidates
            )
        }

        let validator = TransitionValidator<W>(definition)
        switch validator.reception(of: event, in: source.index) {
        case .ignored: return nil
        case .refused: throw refusal(.notAllowed, to: onlyDestination(of: event))
        case .leads: break
        }

        let object: AnyObject
        do {
            object = try build(Offer(source: source.state, index: source.index, event: event, definition: definition))
        } catch let error as DestinationNeeded {
            throw refusal(.destinationNeeded, candidates: error.candidates)
        } catch {
            throw refusal(.declined, to: onlyDestination(of: event), because: error)
        }

        var isAccepted = false
        defer { if !isAccepted { run.pointee.keepUntilPassed(object) } }

        guard let index = definition.stateIndex(of: type(of: object)) else {
            throw refusal(.unregisteredState, to: String(describing: type(of: object)))
        }
        let destination = definition.states[index]
        guard let state = object as? W.AnyState else { throw refusal(.unsuitableState, to: destination.name) }
        let effect = validator.effect(of: event, from: source.index, to: index)
        guard effect != .refused else { throw refusal(.notAllowed, to: destination.name) }

        let step = Step(
            event: event,
            source: definition.states[source.index],
            destination: destination,
            isUpdate: effect == .update,
            transition: StateTransition(
                event: event.name,
                userInfo: userInfo,
                sourceObject: source.state as AnyObject,
                destinationObject: object,
                machine: self
            ),
            state: state
        )
        do { try askGuards(of: step) } catch { throw refusal(.declined, to: destination.name, because: error) }
        isAccepted = true
        run.pointee.standing = Standing(state: state, index: index)
        return step
    }

    private func resolve(
        _ trigger: Trigger,
        from source: Int,
        userInfo: UserInfo
    ) throws(InvalidTransition) -> BoundEvent {
        switch trigger {
        case .event(let index):
            return definition.events[index]
        case .named(let name):
            if let index = definition.eventIndex(named: name) { return definition.events[index] }
            let known = definition.events.map(\.name)
            throw refusal(.unknownEvent, trigger, from: source, userInfo: userInfo, candidates: known)
        case .entering(let type):
            guard let destination = definition.stateIndex(of: type) else {
                throw refusal(.unregisteredState, trigger, from: source, userInfo: userInfo)
            }
            let validator = TransitionValidator<W>(definition)
            let events = definition.events.filter {
                validator.effect(of: $0, from: source, to: destination) == .transition
            }
            if events.count == 1 { return events[0] }
            throw refusal(
                events.isEmpty ? .noEvent : .ambiguousEvent,
                trigger,
                from: source,
                userInfo: userInfo,
                candidates: events.map(\.name)
            )
        }
    }

    private func askGuards(of step: Step) throws {
        for ask in step.event.declaration.guards { try ask(step.transition) }
        if !step.isUpdate {
            try step.source.shouldExit?(step.transition)
            try step.destination.shouldEnter?(step.transition)
        }
        try ownHooks.load()?.askGuards(step.transition, isUpdate: step.isUpdate)
    }

    /// The name of the state that an event leads to, if it leads to one only.
    private func onlyDestination(of event: BoundEvent) -> String? {
        let first = event.declaration.pairs.first?.destination
        return event.declaration.pairs.allSatisfy { $0.destination == first } ? first?.name : nil
    }

    func refusal(
        _ reason: InvalidTransition.Reason,
        _ trigger: Trigger,
        from source: Int,
        userInfo: UserInfo,
        candidates: [String] = [],
        machines: [String] = []
    ) -> InvalidTransition {
        let event: String?
        var destination: String?
        switch trigger {
        case .event(let index):
            event = definition.events[index].name
            destination = onlyDestination(of: definition.events[index])
        case .named(let name):
            event = name
        case .entering(let type):
            event = nil
            destination = (type as? any WorkflowState.Type)?.name
        }
        return InvalidTransition(
            reason,
            event: event,
            from: source,
            to: destination,
            in: definition,
            userInfo: userInfo,
            candidates: candidates,
            machines: machines
        )
    }
}
