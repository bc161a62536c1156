/// A workflow as its machines use it: every state and event by number, every question about them answered in advance.
///
/// There is one a workflow. It never changes and lives as long as the program.
@usableFromInline
final class Definition: Sendable {
    let workflow: String
    let version: Int
    @usableFromInline let states: [RegisteredState]
    @usableFromInline let events: [BoundEvent]

    /// `nil` only while the definition is wrong.
    let initial: Int?

    private let stateIndices: [ObjectIdentifier: Int]
    private let stateIndicesByName: [String: Int]
    private let eventIndicesByName: [String: Int]

    init(
        workflow: String,
        version: Int,
        states: [RegisteredState],
        events: [BoundEvent],
        initial: (any WorkflowState.Type)?
    ) {
        self.workflow = workflow
        self.version = version
        self.states = states
        self.events = events
        stateIndices = Dictionary(states.map { (ObjectIdentifier($0.type), $0.index) }) { first, _ in first }
        stateIndicesByName = Dictionary(states.map { ($0.name, $0.index) }) { first, _ in first }
        eventIndicesByName = Dictionary(events.map { ($0.name, $0.index) }) { first, _ in first }
        self.initial = initial.flatMap { [stateIndices] in stateIndices[ObjectIdentifier($0)] }
    }

    /// The number of a class among the registered states; a subclass that is not registered has none.
    @usableFromInline
    func stateIndex(of type: any AnyObject.Type) -> Int? { stateIndices[ObjectIdentifier(type)] }

    func stateIndex(named name: String) -> Int? { stateIndicesByName[name] }

    func eventIndex(named name: String) -> Int? { eventIndicesByName[name] }

    func eventNames(acceptedIn source: Int) -> [String] {
        events.filter { $0.isAccepted(in: source) }.map(\.name)
    }

    /// The states that an event leads to from a state, as they were declared and in that order.
    func declaredDestinations(of event: BoundEvent, from source: Int) -> [RegisteredState] {
        var found: [RegisteredState] = []
        for pair in event.declaration.pairs {
            guard let declared = stateIndex(of: pair.destination) else { continue }
            let destination = pair.isUpdate ? source : declared
            guard event.leads[source, destination] else { continue }
            if let declared = pair.source.flatMap({ stateIndex(of: $0) }), !states[source].lineage.contains(declared) {
                continue
            }
            if !found.contains(where: { $0.index == destination }) { found.append(states[destination]) }
        }
        return found
    }
}
