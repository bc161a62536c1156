extension StateMachine {
    /// Resolves the event, asks the table, builds the destination and asks the guards.
    /// - Returns: The transition, which is certain now; `nil` if the event is ignored.
    @inlinable
    func accept(
        _ trigger: Trigger,
        userInfo: UserInfo,
        building build: (Offer<W>) throws -> Made<W>,
        in run: UnsafeMutablePointer<Run>
    ) throws(InvalidTransition) -> Step? {
        run.pointee.phase = .preparing
        let source = run.pointee.standing
        let event = try resolve(trigger, from: source.index, userInfo: userInfo)
        let trigger = Trigger.event(event.index)
        func refusal(
            _ reason: InvalidTransition.Reason,
            to destination: String? = nil,
            because error: (any Error)? = nil,
            candidates: [String] = []
        ) -> InvalidTransition {
            self.refusal(
                reason,
                trigger,
                from: source.index,
                to: destination,
                userInfo: userInfo,
                because: error,
                candidates: candidates
            )
        }

        let validator = TransitionValidator<W>(definition)
        switch validator.reception(of: event, in: source.index) {
        case .ignored: return nil
        case .refused: throw refusal(.notAllowed)
        case .leads: break
        }

        let made: Made<W>
        do {
            made = try build(Offer(source: source.state, index: source.index, event: event, definition: definition))
        } catch let error as DestinationNeeded {
            throw refusal(.destinationNeeded, candidates: error.candidates)
        } catch {
            throw refusal(.declined, because: error)
        }
        var isAccepted = false
        defer { if !isAccepted { run.pointee.keepUntilPassed(made.object) } }

        let type: any AnyObject.Type = type(of: made.object)
        guard let index = definition.stateIndex(of: type) else {
            throw refusal(.unregisteredState, to: Self.name(of: type), candidates: [Self.name(of: type)])
        }
        guard let state = made.state else { throw refusal(.unsuitableState, to: Self.name(of: type)) }
        let effect = validator.effect(of: event, from: source.index, to: index)
        guard effect != .refused else { throw refusal(.notAllowed, to: Self.name(of: type)) }

        let step = Step(
            event: event,
            source: definition.states[source.index],
            destination: definition.states[index],
            transition: StateTransition(
                event: event.name,
                isUpdate: effect == .update,
                userInfo: userInfo,
                sourceObject: object(of: source.state),
                destinationObject: made.object,
                machine: self
            ),
            state: state
        )
        do { try askGuards(of: step) } catch { throw refusal(.declined, to: Self.name(of: type), because: error) }
        isAccepted = true
        run.pointee.standing = Standing(state: state, index: index)
        return step
    }

    @usableFromInline
    func resolve(
        _ trigger: Trigger,
        from source: Int,
        userInfo: UserInfo
    ) throws(InvalidTransition) -> BoundEvent {
        func refusal(_ reason: InvalidTransition.Reason, _ candidates: [String]) -> InvalidTransition {
            self.refusal(reason, trigger, from: source, userInfo: userInfo, candidates: candidates)
        }
        switch trigger {
        case .event(let index):
            return definition.events[index]
        case .named(let name):
            if let index = definition.eventIndex(named: name) { return definition.events[index] }
            throw refusal(.unknownEvent, definition.events.map(\.name))
        case .unbound:
            throw refusal(.unknownEvent, definition.events.map(\.name))
        case .entering(let type):
            guard let destination = definition.stateIndex(of: type) else {
                throw refusal(.unregisteredState, [Self.name(of: type)])
            }
            let validator = TransitionValidator<W>(definition)
            let events = definition.events.filter {
                validator.effect(of: $0, from: source, to: destination) == .transition
            }
            if events.count == 1 { return events[0] }
            throw refusal(events.isEmpty ? .noEvent : .ambiguousEvent, events.map(\.name))
        }
    }

    @inlinable
    func askGuards(of step: Step) throws {
        for ask in step.event.declaration.guards { try ask(step.transition) }
        if !step.transition.isUpdate {
            try step.source.shouldExit?(step.transition)
            try step.destination.shouldEnter?(step.transition)
        }
        try hooksInUse?.askGuards(step.transition)
    }
}
