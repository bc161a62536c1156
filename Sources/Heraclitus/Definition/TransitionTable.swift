public import HeraclitusEssentials

/// A workflow as plain data, for diagrams, analysis and tools.
///
/// ```swift
/// let table = Download.table
/// table.initial                      // "IdleState"
/// table.finals                       // ["CompletedState", "CancelledState"]
/// let load = table.events.first { $0.name == "load" }
/// load?.transitions                  // from IdleState to LoadingState, from FailureState to LoadingState
/// ```
///
/// An event from `FailureState` also lists a transition for each registered subclass, and an event from a group one for
/// each of its states. Lists are in the order of the definition.
///
/// A table may also be read from a file. `HeraclitusTables` makes tables in code, and a `DataWorkflow` of a table.
///
/// An encoded table also has what diagrams and findings read: superstates, groups, actions, machines in states, and the
/// guards, triggers and delays of events. `archive.schema.json`, in the library's documentation, describes each key.
/// Later versions add keys, and keep the meaning of existing ones. Tables of earlier versions lack some keys.
///
/// A table keeps unknown members beside these; those of its events and groups are lost. It drops members of more than
/// 32 levels or with a number that no `Decimal` represents, and archives have none of the unknown members.
public struct TransitionTable: Codable, Hashable, Sendable {
    /// The workflow's name.
    public let workflow: String

    /// The workflow's version.
    public package(set) var version = 1

    /// The names of all states.
    public package(set) var states: [String]

    /// The name of the nearest registered superclass of each state that has one.
    package var superstates: [String: String] = [:]

    /// The groups of states.
    package var groups: [StateList] = []

    /// The name of the initial state.
    public package(set) var initial: String

    /// The names of the states of ``Workflow/states``, in which a machine may begin.
    package var listed: [String] = []

    /// The names of the final states, which a machine enters and no event leaves.
    public package(set) var finals: [String] = []

    /// The names of the states of ``Workflow/finals`` and their subclasses; `findings` compares them with ``finals``.
    package var declaredFinals: [String] = []

    /// All events.
    public package(set) var events: [Event]

    /// All actions of the definition, with the states that allow them.
    package var actions: [StateList] = []

    /// The machines of ``Composite`` states, as far as they are known without an object of the state.
    ///
    /// They are the machines of `whenFinal`, and those of the initial state and of each ``EmptyState``. A workflow
    /// within itself has none.
    package var regions: [Region] = []

    /// The unknown members of the decoded JSON: those of workflows of data, and those of others.
    package var others: [String: JSONValue] = [:]

    /// A machine of a state.
    package struct Region: Codable, Hashable, Sendable {
        /// The name of the state.
        package let state: String

        /// The name of the state's property, or of the workflow if the property is unknown.
        package let name: String

        /// The machine's workflow.
        package let table: TransitionTable
    }

    /// States with a name: those of a group, or those that allow an action.
    package struct StateList: Codable, Hashable, Sendable {
        package let name: String

        /// The names of the states.
        package let states: [String]

        package init(name: String, states: [String]) { (self.name, self.states) = (name, states) }
    }

    /// An event of a transition table.
    public struct Event: Encodable, Hashable, Sendable {
        /// The event's name.
        public let name: String

        /// The pairs of source and destination.
        public package(set) var transitions: [Transition]

        /// The names of the states that ignore the event.
        package var ignored: [String] = []

        /// The triggers of an automatic event; empty for other events.
        package var triggers: [Trigger] = []

        /// The delay in seconds after which the event fires by itself; `nil` without a constant deadline.
        ///
        /// Of several delays it is the shortest. After `due(after:)` and `or(from:to:)`, only some of the
        /// ``transitions`` may have the deadline; the table leaves open which.
        package var dueAfter: Double?

        /// The names of the destinations from any state that does not ignore the event.
        ///
        /// The ``transitions`` list each of these pairs, too.
        package var fromAnyState: [String] = []

        /// Whether the event has its own guards.
        package var isGuarded = false

        /// Whether the event has its own hooks or builders.
        package var hasHooks = false

        /// Whether the delay is a number of seconds that a table may have.
        package var hasValidDeadline: Bool { dueAfter.map { (0...100_000_000_000).contains($0) } ?? false }

        /// Whether the event is automatic.
        package var isAutomatic: Bool { !triggers.isEmpty }
    }

    /// The trigger of an automatic event.
    package enum Trigger: String, Codable, Hashable, Sendable, CaseIterable {
        /// The event is due: ``WorkflowEvent/due(_:)`` and its variants.
        case due

        /// The state's work has failed: `whenFailed(enters:)`.
        case failure

        /// The state's work is done: ``WorkflowEvent/whenDone()``.
        case done

        /// Machines in the state have ended: `whenFinal`.
        case completion

        /// A condition holds: ``WorkflowEvent/when(_:)``.
        case condition
    }

    /// A pair of states of a transition table.
    public struct Transition: Encodable, Hashable, Sendable {
        /// The name of the source.
        public let from: String

        /// The name of the destination.
        public let to: String

        /// Whether the pair is an update, without exit and entry hooks.
        public let isUpdate: Bool

        /// Makes a pair of states.
        /// - Parameters:
        ///   - source: The name of the source.
        ///   - destination: The name of the destination.
        ///   - isUpdate: Whether the pair is an update.
        package init(from source: String, to destination: String, isUpdate: Bool = false) {
            (from, to, self.isUpdate) = (source, destination, isUpdate)
        }
    }

    /// The event with a name; `nil` for an unknown name.
    package subscript(name: String) -> Event? { events.first { $0.name == name } }
}

// MARK: - Reading and writing

extension TransitionTable {
    private enum CodingKeys: String, CodingKey {
        case workflow, version, states, superstates, groups, initial, listed, finals, declaredFinals
        case events, actions, regions
    }

    /// Makes a table, in which events from any state list all their pairs.
    package init(named workflow: String, version: Int = 1, states: [String], initial: String, events: [Event]) {
        var limit = Self.pairLimit
        let events = events.listingPairsFromAnyState(among: states, &limit)
        self.init(workflow: workflow, version: version, states: states, initial: initial, events: events)
        finals = unleftStates()
    }

    /// Decodes a table, also of an earlier version of the library, or one written by hand.
    ///
    /// A table needs `workflow`, `states`, `initial` and `events`. The default version is 1, and the default final
    /// states are those that a machine enters and no event leaves.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        workflow = try container.decode(String.self, forKey: .workflow)
        version = try container.decodeIfPresent(Int.self, forKey: .version) ?? 1
        states = try container.decode([String].self, forKey: .states)
        superstates = try container.decodeIfPresent([String: String].self, forKey: .superstates) ?? [:]
        groups = try container.decodeIfPresent([StateList].self, forKey: .groups) ?? []
        initial = try container.decode(String.self, forKey: .initial)
        listed = try container.decodeIfPresent([String].self, forKey: .listed) ?? []
        events = try container.decode([Event.Reading].self, forKey: .events).map(\.event)
        declaredFinals = try container.decodeIfPresent([String].self, forKey: .declaredFinals) ?? []
        actions = try container.decodeIfPresent([StateList].self, forKey: .actions) ?? []
        regions = try container.decodeIfPresent([Region].self, forKey: .regions) ?? []
        others = try Self.others(of: decoder)
        finals = try container.decodeIfPresent([String].self, forKey: .finals) ?? unleftStates()
        // The outermost table lists the pairs of its regions, too: all of them share one limit.
        guard !decoder.codingPath.contains(where: { $0 is CodingKeys }) else { return }
        var limit = Self.pairLimit
        listPairsFromAnyState(&limit)
    }

    /// The number of pairs that events from any state may stand for.
    private static let pairLimit = 1_000_000

    /// Lists the pairs of events from any state, in this table and in the tables of its regions.
    private mutating func listPairsFromAnyState(_ limit: inout Int) {
        events = events.listingPairsFromAnyState(among: states, &limit)
        for (index, region) in regions.enumerated() {
            var table = region.table
            table.listPairsFromAnyState(&limit)
            regions[index] = Region(state: region.state, name: region.name, table: table)
        }
    }

    /// The members of workflows of data, with their empty values.
    package static let dataMembers: [String: JSONValue] = ["keys": [:], "migrations": []]

    /// The unknown members that each encoder can write, also in an outer value.
    ///
    /// A member of workflows of data is an error instead, and an empty one is left out.
    private static func others(of decoder: any Decoder) throws -> [String: JSONValue] {
        let members = try decoder.container(keyedBy: JSONKey.self)
        let depth = decoder.codingPath.count + JSONValue.depthLimit / 2
        var others: [String: JSONValue] = [:]
        for key in members.allKeys where CodingKeys(stringValue: key.stringValue) == nil {
            let empty = dataMembers[key.stringValue]
            do {
                let value = try members.decode(JSONValue.self, forKey: key)
                guard value.isWritable(at: depth) else {
                    let text = "This has more than 32 levels, or a number that no Decimal represents."
                    throw DecodingError.dataCorruptedError(forKey: key, in: members, debugDescription: text)
                }
                if empty == nil || value != empty && value != .null { others[key.stringValue] = value }
            } catch {
                // A table is complete without other members.
                if empty != nil { throw error }
            }
        }
        return others
    }

    /// Encodes the table.
    /// - Parameter encoder: The encoder.
    /// - Throws: The encoder's error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(workflow, forKey: .workflow)
        try container.encode(version, forKey: .version)
        try container.encode(states, forKey: .states)
        try container.encode(superstates, forKey: .superstates)
        try container.encode(groups, forKey: .groups)
        try container.encode(initial, forKey: .initial)
        try container.encode(listed, forKey: .listed)
        try container.encode(finals, forKey: .finals)
        try container.encode(declaredFinals, forKey: .declaredFinals)
        try container.encode(events, forKey: .events)
        try container.encode(actions, forKey: .actions)
        try container.encode(regions, forKey: .regions)
        var members = encoder.container(keyedBy: JSONKey.self)
        for (key, value) in others.sorted(by: { $0.key < $1.key }) { try members.encode(value, forKey: JSONKey(key)) }
    }

    /// Reads a table from JSON, in linear time and memory.
    ///
    /// The keys are those of an encoded table. A minimal table:
    ///
    /// ```json
    /// {
    ///     "workflow": "approval",
    ///     "states": ["Draft", "Review", "Approved"],
    ///     "initial": "Draft",
    ///     "events": [
    ///         {"name": "submit", "transitions": [{"from": "Draft", "to": "Review"}]},
    ///         {"name": "approve", "transitions": [{"from": "Review", "to": "Approved"}]}
    ///     ]
    /// }
    /// ```
    /// - Parameters:
    ///   - json: UTF-8 JSON.
    ///   - limit: The maximum size in bytes, by default 64 MiB.
    /// - Throws: ``ArchiveError``: `tooLarge`; `notJSON`; `malformed` with the path of a missing or wrong value.
    public init(json: Data, limit: Int = 64 << 20) throws(ArchiveError) {
        let value = try JSONValue(json: json, limit: limit)
        do { self = try value.decoded(as: TransitionTable.self) } catch {
            let path = ArchiveError.path(of: error, else: [])
            throw .malformed(path: path, explanation: ArchiveError.explanation(of: error))
        }
    }

    /// The states that a machine enters and that no event leaves.
    ///
    /// A superclass may only stand for its subclasses.
    func unleftStates() -> [String] {
        let left = Set(events.lazy.flatMap(\.transitions).filter { !$0.isUpdate }.map(\.from))
        // A state that ignores all events from any state is final.
        let general = events.filter { !$0.fromAnyState.isEmpty }
        let ignoring = general.reduce(into: [String: Int]()) { counts, event in
            for state in Set(event.ignored) { counts[state, default: 0] += 1 }
        }
        let entered = Set(
            events.lazy.flatMap { event in
                event.transitions.lazy.filter { !$0.isUpdate }.map(\.to) + event.fromAnyState
            } + listed + [initial]
        )
        return states.filter {
            !left.contains($0) && entered.contains($0) && ignoring[$0, default: 0] == general.count
        }
    }
}

extension [TransitionTable.Event] {
    /// The events with all pairs of events from any state.
    ///
    /// A short list may stand for many pairs. If there are too many, these events stay unchanged and are a problem of
    /// the table.
    /// - Parameters:
    ///   - states: All states.
    ///   - limit: The number of pairs to list at most, from which this takes its pairs.
    /// - Returns: The events.
    fileprivate func listingPairsFromAnyState(among states: [String], _ limit: inout Int) -> Self {
        let count = lazy.map(\.fromAnyState.count).reduce(0, +)
        guard count > 0, count <= limit, states.count <= limit / count else { return self }
        limit -= count * states.count
        return map { event in
            guard !event.fromAnyState.isEmpty else { return event }
            var event = event
            let ignored = Set(event.ignored)
            let listed = Set(event.transitions)
            for destination in event.fromAnyState {
                event.transitions += states.lazy.filter { !ignored.contains($0) }
                    .map { TransitionTable.Transition(from: $0, to: destination) }
                    .filter { !listed.contains($0) }
            }
            return event
        }
    }
}

extension TransitionTable.Event {
    package init(named name: String, _ transitions: [TransitionTable.Transition]) {
        self.init(name: name, transitions: transitions)
    }

    /// An event of a decoded table, also of an earlier version of the library.
    ///
    /// It needs its name and its transitions. An event with `dueAfter` has the trigger `due`. Triggers of a later
    /// version are left out.
    fileprivate struct Reading: Decodable {
        let event: TransitionTable.Event

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func list<Value: Decodable>(_ key: CodingKeys) throws -> [Value] {
                try container.decodeIfPresent([Value].self, forKey: key) ?? []
            }
            var event = TransitionTable.Event(named: try container.decode(String.self, forKey: .name), [])
            event.dueAfter = try container.decodeIfPresent(Double.self, forKey: .dueAfter)
            event.fromAnyState = try list(.fromAnyState)
            let pairs: [TransitionTable.Transition.Reading] =
                event.fromAnyState.isEmpty
                ? try container.decode([TransitionTable.Transition.Reading].self, forKey: .transitions)
                : try list(.transitions)
            event.transitions = pairs.map(\.transition)
            event.ignored = try list(.ignored)
            let triggers: [String] = try list(.triggers)
            event.triggers = triggers.compactMap(TransitionTable.Trigger.init(rawValue:))
            if event.dueAfter != nil, !event.triggers.contains(.due) { event.triggers.insert(.due, at: 0) }
            event.isGuarded = try container.decodeIfPresent(Bool.self, forKey: .isGuarded) ?? false
            event.hasHooks = try container.decodeIfPresent(Bool.self, forKey: .hasHooks) ?? false
            self.event = event
        }
    }
}

extension TransitionTable.Transition {
    /// A pair of states of a decoded table; by default it is no update.
    fileprivate struct Reading: Decodable {
        let transition: TransitionTable.Transition

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            transition = TransitionTable.Transition(
                from: try container.decode(String.self, forKey: .from),
                to: try container.decode(String.self, forKey: .to),
                isUpdate: try container.decodeIfPresent(Bool.self, forKey: .isUpdate) ?? false
            )
        }
    }
}
