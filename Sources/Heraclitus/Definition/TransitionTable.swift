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
/// A table that is encoded has a key for each property. Those that came later are empty in a table that an earlier version of the
/// library has encoded: ``groups``, ``actions``, ``listed``, ``declaredFinals``, ``regions``, and of an event all but its name, its transitions and
/// where it is ignored. Keys are added and never change what they mean.
public struct TransitionTable: Codable, Hashable, Sendable {
    /// The workflow's name.
    public let workflow: String

    /// The workflow's version.
    public let version: Int

    /// The names of all states.
    public let states: [String]

    /// The name of the nearest superclass that is a state, for each state that has one.
    public let superstates: [String: String]

    /// The groups of states, and which states are in each.
    public let groups: [Group]

    /// The name of the initial state.
    public let initial: String

    /// The names of the states that ``Workflow/states`` lists: a machine may begin in them.
    public let listed: [String]

    /// The names of the final states: those that no event leaves.
    public let finals: [String]

    /// The names of the states that ``Workflow/finals`` lists, with their subclasses; `findings` compares them with ``finals``.
    public let declaredFinals: [String]

    /// All events.
    public let events: [Event]

    /// All actions that the definition lists.
    public let actions: [Action]

    /// The machines that states hold, as ``Composite`` says: those that are known without an object of the state.
    ///
    /// These are the machines that an event waits for with ``WorkflowEvent/whenFinal(_:)``, and those of the initial state and of each
    /// ``EmptyState``. A workflow within itself has none.
    public let regions: [Region]

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

        package init(name: String, states: [String]) { (self.name, self.states) = (name, states) }
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
        public let transitions: [Transition]

        /// The names of the states in which it is ignored.
        public let ignored: [String]

        /// Why it fires by itself; empty for an event that does not.
        public let triggers: [Trigger]

        /// How many seconds after its state was entered it fires by itself; `nil` if it does not, or if the date follows from the state's data.
        ///
        /// Of several times it is the shortest. The table does not say which of its ``transitions`` begin in a state that has a deadline: after
        /// `due(after:)` and `or(from:to:)` it may be some of them.
        public let dueAfter: Double?

        /// The names of the states that it leads to from any state, except those in which it is ignored.
        ///
        /// Its ``transitions`` list each of these pairs, too.
        public let fromAnyState: [String]

        /// Whether it has guards of its own.
        public let isGuarded: Bool

        /// Whether it has hooks of its own.
        public let hasHooks: Bool

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
    }

    /// The event of a name, or `nil`.
    /// - Parameter name: The event's name.
    public subscript(name: String) -> Event? { events.first { $0.name == name } }
}

extension TransitionTable {
    /// Decodes a table, also one of an earlier version of the library.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        workflow = try container.decode(String.self, forKey: .workflow)
        version = try container.decode(Int.self, forKey: .version)
        states = try container.decode([String].self, forKey: .states)
        superstates = try container.decode([String: String].self, forKey: .superstates)
        groups = try container.decodeIfPresent([Group].self, forKey: .groups) ?? []
        initial = try container.decode(String.self, forKey: .initial)
        listed = try container.decodeIfPresent([String].self, forKey: .listed) ?? []
        finals = try container.decode([String].self, forKey: .finals)
        declaredFinals = try container.decodeIfPresent([String].self, forKey: .declaredFinals) ?? []
        events = try container.decode([Event].self, forKey: .events)
        actions = try container.decodeIfPresent([Action].self, forKey: .actions) ?? []
        regions = try container.decodeIfPresent([Region].self, forKey: .regions) ?? []
    }
}

extension TransitionTable.Event {
    /// Decodes an event, also one of an earlier version of the library; triggers of a later version are left out.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        transitions = try container.decode([TransitionTable.Transition].self, forKey: .transitions)
        ignored = try container.decode([String].self, forKey: .ignored)
        triggers = (try container.decodeIfPresent([String].self, forKey: .triggers) ?? [])
            .compactMap(TransitionTable.Trigger.init(rawValue:))
        dueAfter = try container.decodeIfPresent(Double.self, forKey: .dueAfter)
        fromAnyState = try container.decodeIfPresent([String].self, forKey: .fromAnyState) ?? []
        isGuarded = try container.decodeIfPresent(Bool.self, forKey: .isGuarded) ?? false
        hasHooks = try container.decodeIfPresent(Bool.self, forKey: .hasHooks) ?? false
    }
}

extension TransitionTable.Transition: CustomStringConvertible {
    /// Both names with an arrow between them.
    public var description: String { "\(from) \(isUpdate ? "↻" : "→") \(to)" }
}
