public import HeraclitusEssentials

/// A workflow as plain data, for diagrams, analysis and tools.
///
/// ```swift
/// let table = Download.table
/// table.initial                      // "IdleState"
/// table.finals                       // ["CompletedState", "CancelledState"]
/// table["load"]?.transitions         // [IdleState → LoadingState, FailureState → LoadingState]
/// ```
///
/// An event from `FailureState` lists a transition for each registered subclass, too, and one from a group for each of its states. Every
/// list has the order of the definition.
///
/// A table may also be written down, or read from a file, to make a ``DataWorkflow`` of it: ``init(_:version:states:initial:events:)``.
///
/// A table that is encoded has a key for each property, except that ``keys`` and ``migrations`` are left out while they are empty. Those that came later are empty in a table that an earlier version of the
/// library has encoded: ``groups``, ``actions``, ``listed``, ``declaredFinals``, ``regions``, and of an event all but its name, its transitions and
/// where it is ignored. Keys are added and never change what they mean.
public struct TransitionTable: Codable, Hashable, Sendable {
    /// The workflow's name.
    public let workflow: String

    /// The workflow's version.
    public package(set) var version: Int

    /// The names of all states.
    public package(set) var states: [String]

    /// The name of the nearest superclass that is a state, for each state that has one.
    public package(set) var superstates: [String: String]

    /// The groups of states, and which states are in each.
    public package(set) var groups: [Group]

    /// The name of the initial state.
    public package(set) var initial: String

    /// The names of the states that ``Workflow/states`` lists: a machine may begin in them.
    public package(set) var listed: [String]

    /// The names of the final states: those that no event leaves.
    public package(set) var finals: [String]

    /// The names of the states that ``Workflow/finals`` lists, with their subclasses; `findings` compares them with ``finals``.
    public package(set) var declaredFinals: [String]

    /// All events.
    public package(set) var events: [Event]

    /// All actions that the definition lists.
    public package(set) var actions: [Action]

    /// The machines that states hold, as ``Composite`` says: those that are known without an object of the state.
    ///
    /// These are the machines that an event waits for with ``WorkflowEvent/whenFinal(_:)``, and those of the initial state and of each
    /// ``EmptyState``. A workflow within itself has none.
    public let regions: [Region]

    /// The keys that the data of a state has, with their types, for states of a ``DataWorkflow``.
    ///
    /// A state that is named here has these keys and no others. The data of any other state is not checked.
    public var keys: [String: [String: Key]] = [:]

    /// The steps that convert archives of older versions of a ``DataWorkflow``, those of older versions first.
    public var migrations: [MigrationStep] = []

    /// A machine that a state holds, in a transition table.
    public struct Region: Codable, Hashable, Sendable {
        /// The name of the state.
        public let state: String

        /// The name of the state's property; that of the workflow, where the property is not known.
        public let name: String

        /// The machine's workflow.
        public let table: TransitionTable
    }

    /// A group of a transition table.
    public struct Group: Codable, Hashable, Sendable {
        /// The group's name.
        public let name: String

        /// The names of its states.
        public let states: [String]

        /// Makes a group.
        /// - Parameters:
        ///   - name: The group's name.
        ///   - states: The names of its states.
        public init(name: String, states: [String]) { (self.name, self.states) = (name, states) }
    }

    /// An action of a transition table.
    public struct Action: Codable, Hashable, Sendable {
        /// The action's name.
        public let name: String

        /// The names of the states in which it is allowed.
        public let states: [String]
    }

    /// An event of a transition table.
    public struct Event: Codable, Hashable, Sendable {
        /// The event's name.
        public let name: String

        /// The pairs of states that it leads from and to.
        public package(set) var transitions: [Transition]

        /// The names of the states in which it is ignored.
        public package(set) var ignored: [String]

        /// Why it fires by itself; empty for an event that does not.
        public package(set) var triggers: [Trigger]

        /// How many seconds after its state was entered it fires by itself; `nil` if it does not, or if the date follows from the state's data.
        ///
        /// Of several times it is the shortest. The table does not say which of its ``transitions`` begin in a state that has a deadline: after
        /// `due(after:)` and `or(from:to:)` it may be some of them.
        public package(set) var dueAfter: Double?

        /// The names of the states that it leads to from any state, except those in which it is ignored.
        ///
        /// Its ``transitions`` list each of these pairs, too.
        public let fromAnyState: [String]

        /// Whether it has guards of its own.
        public package(set) var isGuarded: Bool

        /// Whether it has hooks of its own.
        public package(set) var hasHooks: Bool

        /// Whether it fires by itself, as one with a deadline does.
        public var isAutomatic: Bool { !triggers.isEmpty }
    }

    /// Why an event of a transition table fires by itself.
    @nonexhaustive
    public enum Trigger: String, Codable, Hashable, Sendable, CaseIterable {
        /// Its time has come: ``WorkflowEvent/due(_:)`` and the like.
        case due

        /// The work of the state has failed: `whenFailed(enters:)` and the like.
        case failure

        /// The work of the state is done: ``WorkflowEvent/whenDone()``.
        case done

        /// Machines in the state have ended: ``WorkflowEvent/whenFinal(_:)``.
        case completion

        /// A condition holds: ``WorkflowEvent/when(_:)``.
        case condition
    }

    /// A pair of states of a transition table.
    public struct Transition: Codable, Hashable, Sendable {
        /// The name of the state that is left.
        public let from: String

        /// The name of the state that is entered.
        public let to: String

        /// Whether the state is not left and only gets new data: no exit or entry hook runs.
        public let isUpdate: Bool

        /// Makes a pair of states.
        /// - Parameters:
        ///   - source: The name of the state that is left.
        ///   - destination: The name of the state that is entered.
        ///   - isUpdate: Whether the state is not left and only gets new data.
        public init(from source: String, to destination: String, isUpdate: Bool = false) {
            (from, to, self.isUpdate) = (source, destination, isUpdate)
        }
    }

    /// The event of a name, or `nil`.
    /// - Parameter name: The event's name.
    public subscript(name: String) -> Event? { events.first { $0.name == name } }
}

// MARK: - Reading and writing

extension TransitionTable {
    private enum CodingKeys: String, CodingKey {
        case workflow
        case version
        case states
        case superstates
        case groups
        case initial
        case listed
        case finals
        case declaredFinals
        case events
        case actions
        case regions
        case keys
        case migrations
    }

    /// Decodes a table, also one of an earlier version of the library, or one that somebody has written.
    ///
    /// A table needs `workflow`, `states`, `initial` and `events`; the version is 1 unless it says otherwise, and the final states are those that
    /// nothing leaves.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        workflow = try container.decode(String.self, forKey: .workflow)
        version = try container.decodeIfPresent(Int.self, forKey: .version) ?? 1
        states = try container.decode([String].self, forKey: .states)
        superstates = try container.decodeIfPresent([String: String].self, forKey: .superstates) ?? [:]
        groups = try container.decodeIfPresent([Group].self, forKey: .groups) ?? []
        initial = try container.decode(String.self, forKey: .initial)
        listed = try container.decodeIfPresent([String].self, forKey: .listed) ?? []
        events = try container.decode([Event].self, forKey: .events)
        finals =
            try container.decodeIfPresent([String].self, forKey: .finals) ?? Self.finals(among: states, leftBy: events)
        declaredFinals = try container.decodeIfPresent([String].self, forKey: .declaredFinals) ?? []
        actions = try container.decodeIfPresent([Action].self, forKey: .actions) ?? []
        regions = try container.decodeIfPresent([Region].self, forKey: .regions) ?? []
        keys = try container.decodeIfPresent([String: [String: Key]].self, forKey: .keys) ?? [:]
        migrations = try container.decodeIfPresent([MigrationStep].self, forKey: .migrations) ?? []
        events = events.listingPairsFromAnyState(among: states)
    }

    /// Encodes the table.
    /// - Parameter encoder: The encoder.
    /// - Throws: What the encoder throws.
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
        // Tables of types have none, and locks compare what was written before there were any.
        if !keys.isEmpty { try container.encode(keys, forKey: .keys) }
        if !migrations.isEmpty { try container.encode(migrations, forKey: .migrations) }
    }

    /// Reads a table from JSON, in time and memory linear in the bytes, whatever they are.
    ///
    /// The keys are those that a table is encoded with. This is enough:
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
    ///   - limit: How many bytes it may have; 64 MiB unless said otherwise.
    /// - Throws: ``ArchiveError``: `tooLarge`; `notJSON`; `malformed` with the path of what is missing or has the wrong type.
    public init(json: Data, limit: Int = 64 << 20) throws(ArchiveError) {
        let value = try JSONValue(json: json, limit: limit)
        do { self = try value.decoded(as: TransitionTable.self) } catch {
            let path = ArchiveError.path(of: error, else: [])
            throw .malformed(path: path, explanation: ArchiveError.explanation(of: error))
        }
    }

    /// The states that no event leaves.
    static func finals(among states: [String], leftBy events: [Event]) -> [String] {
        let left = Set(events.lazy.flatMap(\.transitions).filter { !$0.isUpdate }.map(\.from))
        // A state stays where all events from any state are ignored in it.
        let general = events.filter { !$0.fromAnyState.isEmpty }
        let ignoring = general.reduce(into: [String: Int]()) { counts, event in
            for state in Set(event.ignored) { counts[state, default: 0] += 1 }
        }
        return states.filter { !left.contains($0) && ignoring[$0, default: 0] == general.count }
    }
}

extension [TransitionTable.Event] {
    /// The events with all pairs of those that lead from any state, which a table lists, too.
    ///
    /// A few words may stand for any number of pairs. If they are too many, these events stay as they are, and are a problem of the table.
    func listingPairsFromAnyState(among states: [String]) -> Self {
        let count = lazy.map(\.fromAnyState.count).reduce(0, +)
        guard count > 0, count <= 1_000_000, states.count <= 1_000_000 / count else { return self }
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
    /// Decodes an event, also one of an earlier version of the library; triggers of a later version are left out.
    ///
    /// An event needs its name and its transitions. One that has `dueAfter` has the trigger `due`.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        dueAfter = try container.decodeIfPresent(Double.self, forKey: .dueAfter)
        fromAnyState = try container.decodeIfPresent([String].self, forKey: .fromAnyState) ?? []
        transitions =
            fromAnyState.isEmpty
            ? try container.decode([TransitionTable.Transition].self, forKey: .transitions)
            : try container.decodeIfPresent([TransitionTable.Transition].self, forKey: .transitions) ?? []
        ignored = try container.decodeIfPresent([String].self, forKey: .ignored) ?? []
        let triggers = try container.decodeIfPresent([String].self, forKey: .triggers)
        self.triggers =
            triggers?.compactMap(TransitionTable.Trigger.init(rawValue:)) ?? (dueAfter == nil ? [] : [.due])
        isGuarded = try container.decodeIfPresent(Bool.self, forKey: .isGuarded) ?? false
        hasHooks = try container.decodeIfPresent(Bool.self, forKey: .hasHooks) ?? false
    }
}

extension TransitionTable.Transition {
    /// Decodes a pair of states; it is no update unless it says so.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        from = try container.decode(String.self, forKey: .from)
        to = try container.decode(String.self, forKey: .to)
        isUpdate = try container.decodeIfPresent(Bool.self, forKey: .isUpdate) ?? false
    }
}

extension TransitionTable.Transition: CustomStringConvertible {
    /// Both names with an arrow between them.
    public var description: String { "\(from) \(isUpdate ? "↻" : "→") \(to)" }
}
