extension StateMachine {
    /// Resolves the event, asks the table, builds the destination and asks the guards.
    /// - Returns: The transition, which is certain now; `nil` if the event is ignored.
    @inlinable
    func accept(
        _ trigger: Trigger,
        userInfo: UserInfo,
        building build: (Offer<W>) throws -> W.AnyState,
        in run: UnsafeMutablePointer<Run>,
        isPutOff: Bool = false
    ) throws(InvalidTransition) -> Passage? {
        run.pointee.phase = .preparing
        let source = run.pointee.expected
        let event = try resolve(trigger, from: source, userInfo: userInfo)
        switch TransitionValidator<W>.reception(of: event, in: source) {
        case .ignored: return nil
        case .refused: throw refusal(.notAllowed, of: event, from: source, userInfo: userInfo)
        case .leads: break
        }

        let state: W.AnyState
        do {
            state = try build(Offer(of: event, in: run))
        } catch {
            throw refusal(because: error, of: event, from: source, userInfo: userInfo, in: run)
        }
        let made = object(of: state)
        guard let destination = definition.stateIndex(of: made, likely: event),
            event.pointee.reach.leads[source, destination]
        else {
            throw refusal(of: made, of: event, from: source, userInfo: userInfo, in: run)
        }

        let step = Step(
            event: event,
            source: definition.state(source),
            destination: definition.state(destination),
            isUpdate: event.pointee.reach.updates(source, to: destination)
        )
        var transition: StateTransition?
        if isPutOff || core.hasListeners(to: step) {
            let told = run.pointee.thread.transition(
                step,
                from: expectedObject(in: run),
                to: made,
                userInfo: userInfo,
                of: Unmanaged.passUnretained(self)
            )
            if isPutOff { told.keepObjects() }
            do {
                try core.askGuards(of: step, told)
            } catch {
                throw refusal(of: told, because: error, in: run)
            }
            transition = told
        }
        run.pointee.expected = destination
        return Passage(step: step, index: destination, state: state, transition: transition)
    }

    @inlinable
    func resolve(
        _ trigger: Trigger,
        from source: Int,
        userInfo: UserInfo
    ) throws(InvalidTransition) -> UnsafePointer<BoundEvent> {
        if case .event(let index) = trigger { return definition.event(index) }
        return try search(trigger, from: source, userInfo: userInfo)
    }

    @usableFromInline
    func search(
        _ trigger: Trigger,
        from source: Int,
        userInfo: UserInfo
    ) throws(InvalidTransition) -> UnsafePointer<BoundEvent> {
        func refusal(_ reason: InvalidTransition.Reason, _ candidates: [String]) -> InvalidTransition {
            self.refusal(reason, trigger, from: source, userInfo: userInfo, candidates: candidates)
        }
        switch trigger {
        case .event(let index):
            return definition.event(index)
        case .named(let name):
            if let index = definition.eventIndex(named: name) { return definition.event(index) }
            throw refusal(.unknownEvent, definition.events.map(\.name))
        case .unbound:
            throw refusal(.unknownEvent, definition.events.map(\.name))
        case .entering(let type):
            guard let destination = definition.stateIndex(of: type) else {
                throw refusal(.unregisteredState, [Self.name(of: type)])
            }
            let events = definition.events.filter {
                $0.reach.leads[source, destination] && !$0.reach.updates(source, to: destination)
            }
            if events.count == 1 { return definition.event(events[0].index) }
            throw refusal(events.isEmpty ? .noEvent : .ambiguousEvent, events.map(\.name))
        }
    }

    /// The state in which everything accepted so far will leave the machine.
    @inlinable
    func expectedState(in run: UnsafeMutablePointer<Run>) -> W.AnyState {
        run.pointee.backlog?.passages.last?.state ?? shown
    }

    @inlinable
    func expectedObject(in run: UnsafeMutablePointer<Run>) -> Unmanaged<AnyObject> {
        if let last = run.pointee.backlog?.passages.last { return object(of: last.state) }
        return object(of: shown)
    }
}
