// Selects the event to fire.

/// A caller's choice of the event to fire.
@usableFromInline
enum EventSelector: Sendable {
    /// An event of the workflow, by its number.
    case event(Int)

    /// An event by its name.
    indirect case named(String)

    /// An event value outside the workflow: no stored property, or a modified copy.
    case unbound

    /// A due event of a state object, which fires only while the object is the current state.
    indirect case due(event: Int, of: any WorkflowState, in: Int?)

    /// An event chosen by a state's work, which fires only while the work is valid.
    indirect case ofWork(EventSelector, StateWork.ID)

    /// The only event that leads to the state of an object.
    indirect case entering(any Sendable)

    /// The only event that leads to the state of a name.
    indirect case enteringNamed(String)

    @inlinable
    init(_ event: Int?) { self = event.map(EventSelector.event) ?? .unbound }

    /// Binds the selector to a state's work, if there is any.
    @inlinable @inline(__always)
    func bound(to work: StateWork.ID?) -> EventSelector {
        guard let work else { return self }
        return .ofWork(self, work)
    }
}

extension MachineCore {
    /// Finds the event of a selector without an event number.
    @inline(never)
    func search(_ selector: EventSelector, in source: Int, _ call: borrowing Call) throws(InvalidTransition) -> Int {
        func rejection(_ reason: InvalidTransition.Reason, _ candidates: [String] = []) -> InvalidTransition {
            self.rejection(reason, of: selector, from: source, candidates: candidates)
        }
        func onlyEvent(to destination: Int) throws(InvalidTransition) -> Int {
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
            let isCurrent = period.map { activity?.timer?.isCurrent($0) == true } ?? true
            if isCurrent, expectedObject(call) === state { return index }
            throw rejection(.notCurrent)
        case .ofWork(let chosen, let work):
            if !isCurrent(work) || call.turn({ $0.isAboutToLeave }) { throw rejection(.notCurrent) }
            return try search(chosen, in: source, call)
        case .named(let name):
            if let index = definition.eventIndex(named: name) { return index }
            throw rejection(.unknownEvent)
        case .unbound:
            throw rejection(.unknownEvent)
        case .entering(let state):
            let object = state as AnyObject
            guard let destination = definition.stateIndex(of: object) else {
                throw self.rejection(of: object, event: nil, from: source)
            }
            return try onlyEvent(to: destination)
        case .enteringNamed(let name):
            guard let destination = definition.stateIndex(named: name) else {
                throw rejection(.unknownState)
            }
            return try onlyEvent(to: destination)
        }
    }
}
