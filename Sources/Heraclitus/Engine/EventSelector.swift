// Which event is to fire?

/// How a caller says which event is to fire.
@usableFromInline
enum EventSelector {
    /// An event of the workflow, by number.
    case event(Int)

    /// The event of a name.
    indirect case named(String)

    /// An event value that belongs to no workflow: no stored property, or a modified copy of one.
    case unbound

    /// An event that is due in a state object, and is to fire only while that is the current one.
    indirect case due(event: Int, of: any WorkflowState, in: TimerPeriod?)

    /// An event that the work of a state has chosen, and that is to fire only while that counts.
    indirect case ofWork(EventSelector, StateWork.ID)

    /// The one event that leads to the state of an object.
    indirect case entering(AnyObject)

    /// The one event that leads to the state of a name.
    indirect case enteringNamed(String)

    /// Whether what goes on by itself in a state has chosen the event.
    var isAutomatic: Bool {
        switch self {
        case .due, .ofWork: true
        case .event, .named, .unbound, .entering, .enteringNamed: false
        }
    }

    @inlinable
    init(_ event: Int?) { self = event.map(EventSelector.event) ?? .unbound }

    /// The same for work of a state, if it is for one.
    @inlinable @inline(__always)
    func bound(to work: StateWork.ID?) -> EventSelector {
        guard let work else { return self }
        return .ofWork(self, work)
    }
}

extension MachineCore {
    /// The state object in which everything accepted so far will leave the machine; in its turn.
    func expectedObject(_ call: borrowing Call) -> AnyObject {
        call.turn { $0.lastQueued?.destinationObject } ?? state.withOwnersView { state, _ in state }
    }

    /// Finds the event that a selector names in another way than by number.
    @inline(never)
    func search(_ selector: EventSelector, in source: Int, _ call: borrowing Call) throws(Rejection) -> Int {
        func rejection(_ reason: InvalidTransition.Reason, _ candidates: [String] = []) -> Rejection {
            self.rejection(reason, of: selector, from: source, candidates: candidates)
        }
        func onlyEvent(to destination: Int) throws(Rejection) -> Int {
            let events = definition.events.filter {
                $0.reach.leads(from: source, to: destination) && !$0.reach.updates(source, to: destination)
            }
            guard events.count == 1 else {
                throw rejection(events.isEmpty ? .noEvent : .ambiguousEvent, events.map(\.name))
            }
            return events[0].index
        }
        switch selector {
        case .event(let index):
            return index
        case .due(let index, let state, let period):
            let counts = period.map { activity?.timer?.counts($0) == true } ?? true
            if counts, expectedObject(call) === state { return index }
            throw rejection(.notCurrent)
        case .ofWork(let chosen, let work):
            if !counts(work) || call.turn({ $0.isAboutToLeave }) { throw rejection(.notCurrent) }
            return try search(chosen, in: source, call)
        case .named(let name):
            if let index = definition.eventIndex(named: name) { return index }
            throw rejection(.unknownEvent)
        case .unbound:
            throw rejection(.unknownEvent)
        case .entering(let object):
            guard let destination = definition.stateIndex(of: object) else {
                throw unregistered(object, selector, source)
            }
            return try onlyEvent(to: destination)
        case .enteringNamed(let name):
            guard let destination = definition.stateIndex(named: name) else {
                throw rejection(.unknownState)
            }
            return try onlyEvent(to: destination)
        }
    }

    /// The rejection of an object that is of no state.
    private func unregistered(_ object: AnyObject, _ selector: EventSelector, _ source: Int) -> Rejection {
        let mismatch = definition.mismatch(of: object)
        var rejection = rejection(
            mismatch == nil ? .unregisteredState : .unsuitableState,
            of: selector,
            from: source,
            candidates: mismatch == nil ? [CompiledState.name(of: object)] : []
        )
        if let mismatch { rejection.changeDetails { $0.underlyingError = mismatch } }
        return rejection
    }
}
