extension MachineCore {
    /// Resolves the event and asks the table whether it leads anywhere.
    /// - Returns: `nil` if the event is ignored.
    func offer(
        _ trigger: Trigger,
        userInfo: UserInfo,
        in run: UnsafeMutablePointer<Run>,
        isPutOff: Bool
    ) throws(InvalidTransition) -> Offer? {
        run.pointee.phase = .preparing
        let source = run.pointee.expected
        let event = try resolve(trigger, from: source, userInfo: userInfo)
        switch event.pointee.reach.reception(in: source) {
        case .leads: return Offer(event: event, run: run, source: source, isPutOff: isPutOff)
        case .ignored: return nil
        case .refused:
            throw InvalidTransition(
                .notAllowed,
                event: event.pointee.index,
                from: source,
                in: definition,
                userInfo: userInfo
            )
        }
    }

    /// Finds the event that is to fire.
    @inline(__always)
    private func resolve(
        _ trigger: Trigger,
        from source: Int,
        userInfo: UserInfo
    ) throws(InvalidTransition) -> UnsafePointer<BoundEvent> {
        if case .event(let index) = trigger { return definition.event(index) }
        return try search(trigger, from: source, userInfo: userInfo)
    }

    private func search(
        _ trigger: Trigger,
        from source: Int,
        userInfo: UserInfo
    ) throws(InvalidTransition) -> UnsafePointer<BoundEvent> {
        func refusal(_ reason: InvalidTransition.Reason, _ candidates: [String]) -> InvalidTransition {
            self.refusal(reason, trigger, from: source, userInfo: userInfo, candidates: candidates)
        }
        func eventEntering(_ destination: Int) throws(InvalidTransition) -> UnsafePointer<BoundEvent> {
            let events = definition.events.filter {
                $0.reach.leads[source, destination] && !$0.reach.updates(source, to: destination)
            }
            if events.count == 1 { return definition.event(events[0].index) }
            throw refusal(events.isEmpty ? .noEvent : .ambiguousEvent, events.map(\.name))
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
                throw refusal(.unregisteredState, [RegisteredState.name(of: type)])
            }
            return try eventEntering(destination)
        case .enteringNamed(let name):
            guard let destination = definition.stateIndex(named: name) else {
                throw refusal(.unregisteredState, [name])
            }
            return try eventEntering(destination)
        }
    }

    /// Asks the table about the object to enter, and the guards.
    ///
    /// What comes back is certain, and has taken over the object; one that is refused is kept until the turn has been passed.
    func accept(
        _ offer: Offer,
        _ object: Unmanaged<AnyObject>,
        userInfo: UserInfo,
        of machine: any TurnHolder
    ) throws(InvalidTransition) -> Passage {
        guard let destination = definition.stateIndex(of: object, likely: offer.event),
            offer.event.pointee.reach.leads[offer.source, destination],
            definition.suits(object, destination)
        else {
            offer.run.pointee.keepUntilPassed(object)
            throw refusal(of: offer, to: object, userInfo: userInfo)
        }
        let step = Step(offer.event, from: offer.source, to: destination, in: definition)
        var record: Unmanaged<TransitionRecord>?
        if offer.isPutOff || hasListeners(to: step) {
            record = try askGuards(of: step, to: object, userInfo: userInfo, of: machine, offer)
        }
        offer.run.pointee.expected = destination
        return Passage(step: step, state: object, record: record)
    }

    /// Makes what callbacks get, and asks the guards with it.
    private func askGuards(
        of step: Step,
        to object: Unmanaged<AnyObject>,
        userInfo: UserInfo,
        of machine: any TurnHolder,
        _ offer: Offer
    ) throws(InvalidTransition) -> Unmanaged<TransitionRecord>? {
        guard let thread = offer.run.pointee.thread else { return nil }
        let record = thread.record(
            TransitionRecord.Content(
                event: step.event,
                isUpdate: step.isUpdate,
                userInfo: userInfo.storage.map { Unmanaged.passUnretained($0) },
                source: expectedObject(in: offer.run),
                sourceState: step.source,
                destination: object,
                destinationState: step.destination,
                machine: Unmanaged.passUnretained(machine)
            )
        )
        do {
            try record._withUnsafeGuaranteedRef {
                // What is put off outlives the transition whose objects it would rely on.
                if offer.isPutOff { $0.keepObjects() }
                try askGuards(of: step, StateTransition($0))
            }
        } catch {
            thread.finish(record, in: offer.run)
            offer.run.pointee.keepUntilPassed(object)
            throw refusal(
                .declined,
                .event(step.event.pointee.index),
                from: offer.source,
                to: step.destination.pointee.name,
                userInfo: userInfo,
                because: error
            )
        }
        return record
    }
}
