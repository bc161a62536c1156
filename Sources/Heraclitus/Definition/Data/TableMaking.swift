// How is a table written down?

extension TransitionTable {
    /// Makes a table of states and events; everything else is added to it.
    ///
    /// ```swift
    /// let table = TransitionTable(
    ///     "approval",
    ///     states: ["Draft", "Review", "Approved", "Rejected"],
    ///     initial: "Draft",
    ///     events: [
    ///         .init("submit", from: "Draft", to: "Review"),
    ///         .init("approve", from: "Review", to: "Approved"),
    ///         .init("reject", from: "Review", to: "Rejected").due(after: .seconds(14 * 86_400)),
    ///     ]
    /// )
    /// .keys(["amount": .number, "note": .string.optional], in: "Draft", "Review")
    /// ```
    ///
    /// The final states are those that no event leaves. Nothing is checked: ``problems`` lists what is wrong with a table, and
    /// `findings` what is odd.
    /// - Parameters:
    ///   - workflow: The workflow's name.
    ///   - version: The workflow's version.
    ///   - states: The names of all states.
    ///   - initial: The name of the initial state.
    ///   - events: All events.
    public init(_ workflow: String, version: Int = 1, states: [String], initial: String, events: [Event]) {
        let events = events.listingPairsFromAnyState(among: states)
        self.init(
            workflow: workflow,
            version: version,
            states: states,
            superstates: [:],
            groups: [],
            initial: initial,
            listed: [],
            finals: Self.finals(among: states, leftBy: events),
            declaredFinals: [],
            events: events,
            actions: [],
            regions: []
        )
    }

    /// Adds the keys that the data of some states has.
    /// - Parameters:
    ///   - keys: The keys with their types.
    ///   - states: The names of the states.
    /// - Returns: The table with these.
    public consuming func keys(_ keys: [String: Key], in states: String...) -> Self {
        for state in states { self.keys[state, default: [:]].merge(keys) { $1 } }
        return self
    }

    /// Adds a group of states.
    /// - Parameters:
    ///   - name: The group's name.
    ///   - states: The names of its states.
    /// - Returns: The table with this.
    public consuming func group(_ name: String, _ states: String...) -> Self {
        groups.append(Group(name: name, states: states))
        return self
    }

    /// Says that states are within another one: a machine in one of them is in that, too.
    ///
    /// Events and pairs of states stay as they are listed.
    /// - Parameters:
    ///   - superstate: The name of the other state.
    ///   - states: The names of the states.
    /// - Returns: The table with this.
    public consuming func within(_ superstate: String, _ states: String...) -> Self {
        for state in states { superstates[state] = superstate }
        return self
    }

    /// Says in which states the workflow is meant to end; `findings` compares these with the states that nothing leaves.
    /// - Parameter states: The names of the states.
    /// - Returns: The table with these.
    public consuming func ending(in states: String...) -> Self {
        declaredFinals += states
        return self
    }

    /// Adds steps that convert archives of older versions.
    /// - Parameter steps: The steps, those of older versions first.
    /// - Returns: The table with these.
    public consuming func migrating(_ steps: MigrationStep...) -> Self {
        migrations += steps
        return self
    }
}

extension TransitionTable.Event {
    /// Makes an event that leads from each of some states to another one.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - sources: The names of the states that are left.
    ///   - destination: The name of the state that is entered.
    public init(_ name: String, from sources: String..., to destination: String) {
        self.init(name, sources.map { TransitionTable.Transition(from: $0, to: destination) })
    }

    /// Makes an event that gives states new data, and leaves and enters none.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - states: The names of the states.
    public init(_ name: String, updating states: String...) {
        self.init(name, states.map { TransitionTable.Transition(from: $0, to: $0, isUpdate: true) })
    }

    /// Makes an event that leads from any state to one of some states.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - destinations: The names of the states that are entered.
    public init(_ name: String, fromAnyStateTo destinations: String...) {
        self.init(name, [], fromAnyState: destinations)
    }

    /// Makes an event of pairs of states.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - transitions: The pairs of states that it leads from and to.
    ///   - ignored: The names of the states in which it is ignored.
    ///   - seconds: How many seconds after its state was entered it fires by itself; `nil` if it does not.
    ///   - destinations: The names of the states that it leads to from any state.
    public init(
        _ name: String,
        _ transitions: [TransitionTable.Transition],
        ignored: [String] = [],
        dueAfter seconds: Double? = nil,
        fromAnyState destinations: [String] = []
    ) {
        self.init(
            name: name,
            transitions: transitions,
            ignored: ignored,
            triggers: seconds == nil ? [] : [.due],
            dueAfter: seconds,
            fromAnyState: destinations,
            isGuarded: false,
            hasHooks: false
        )
    }

    /// Adds a pair of states.
    /// - Parameters:
    ///   - sources: The names of the states that are left.
    ///   - destination: The name of the state that is entered.
    /// - Returns: The event with these.
    public consuming func or(from sources: String..., to destination: String) -> Self {
        transitions += sources.map { TransitionTable.Transition(from: $0, to: destination) }
        return self
    }

    /// Adds states in which firing the event does nothing, and is no error.
    /// - Parameter states: The names of the states.
    /// - Returns: The event with these.
    public consuming func ignored(in states: String...) -> Self {
        ignored += states
        return self
    }

    /// Makes the event fire by itself when the machine has been in the state for some time.
    /// - Parameter duration: For how long.
    /// - Returns: The event with this deadline.
    public consuming func due(after duration: Duration) -> Self {
        dueAfter = duration / .seconds(1)
        triggers = [.due]
        return self
    }
}
