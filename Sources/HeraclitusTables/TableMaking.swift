// Builds tables in code.

public import Heraclitus

extension TransitionTable {
    /// Makes a table of states and events.
    ///
    /// The methods below add the rest.
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
    /// The final states are those that a machine enters and no event leaves. `problems` of `HeraclitusTables` lists the problems of a table,
    /// and `findings` its warnings.
    /// - Parameters:
    ///   - workflow: The workflow's name.
    ///   - version: The workflow's version.
    ///   - states: The names of all states.
    ///   - initial: The name of the initial state.
    ///   - events: All events.
    public init(_ workflow: String, version: Int = 1, states: [String], initial: String, events: [Event]) {
        self.init(named: workflow, version: version, states: states, initial: initial, events: events)
    }

    /// Adds keys to the data of some states.
    ///
    /// In a loop, `table = (consume table).keys(…)` changes the table in place.
    /// - Parameters:
    ///   - keys: The keys with their types.
    ///   - states: The names of the states.
    /// - Returns: The table with these keys.
    public consuming func keys(_ keys: [String: Key], in states: String...) -> Self {
        let types = keys.mapValues { JSONValue.string($0.description) }
        for state in states { others.change("keys") { $0.change(state) { $0.merge(types) { $1 } } } }
        return self
    }

    /// Adds a group of states.
    /// - Parameters:
    ///   - name: The group's name.
    ///   - states: The names of its states.
    /// - Returns: The table with this group.
    public consuming func group(_ name: String, _ states: String...) -> Self {
        groups.append(StateList(name: name, states: states))
        return self
    }

    /// Puts states into an outer state: a machine in one of them is also in the outer state.
    ///
    /// Events and pairs of states stay as they are listed.
    /// - Parameters:
    ///   - superstate: The name of the outer state.
    ///   - states: The names of the states.
    /// - Returns: The table with this hierarchy.
    public consuming func within(_ superstate: String, _ states: String...) -> Self {
        for state in states { superstates[state] = superstate }
        return self
    }

    /// Declares the final states; `findings` compares them with the states that no event leaves.
    /// - Parameter states: The names of the states.
    /// - Returns: The table with these final states.
    public consuming func ending(in states: String...) -> Self {
        declaredFinals += states
        return self
    }

    /// Adds steps that convert archives of older versions.
    ///
    /// In a loop, `table = (consume table).migrating(…)` changes the table in place.
    /// - Parameter steps: The steps, those of older versions first.
    /// - Returns: The table with these steps.
    public consuming func migrating(_ steps: MigrationStep...) -> Self {
        if steps.isEmpty { return self }
        guard case .array(var known) = others["migrations"] ?? [] else { return self }
        // Dropping this reference avoids a copy of the list.
        others["migrations"] = nil
        known += steps.map(\.json)
        others["migrations"] = .array(known)
        return self
    }
}

extension [String: JSONValue] {
    /// Changes the object of a key in place.
    ///
    /// A missing object is made. A value of another kind stays as it is, and is a problem of the table.
    fileprivate mutating func change(_ key: String, _ body: (inout [String: JSONValue]) -> Void) {
        guard case .object(var members) = self[key] ?? [:] else { return }
        // Dropping this reference avoids a copy of the object.
        self[key] = .null
        body(&members)
        self[key] = .object(members)
    }
}

extension TransitionTable.Event {
    /// Makes an event from some states to another one.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - sources: The names of the sources.
    ///   - destination: The name of the destination.
    public init(_ name: String, from sources: String..., to destination: String) {
        self.init(name, sources.map { TransitionTable.Transition(from: $0, to: destination) })
    }

    /// Makes an event that gives states new data without leaving them.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - states: The names of the states.
    public init(_ name: String, updating states: String...) {
        self.init(name, states.map { TransitionTable.Transition(from: $0, to: $0, isUpdate: true) })
    }

    /// Makes an event that leads from any state to one of some states.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - destinations: The names of the destinations.
    public init(_ name: String, fromAnyStateTo destinations: String...) {
        self.init(name, [], fromAnyState: destinations)
    }

    /// Makes an event with pairs of states.
    /// - Parameters:
    ///   - name: The event's name.
    ///   - transitions: The pairs of source and destination.
    ///   - ignored: The names of the states that ignore the event.
    ///   - seconds: The delay in seconds after which the event fires by itself; `nil` for an event without a deadline.
    ///   - destinations: The names of the destinations from any state.
    public init(
        _ name: String,
        _ transitions: [TransitionTable.Transition],
        ignored: [String] = [],
        dueAfter seconds: Double? = nil,
        fromAnyState destinations: [String] = []
    ) {
        self.init(named: name, transitions)
        (self.ignored, dueAfter, fromAnyState) = (ignored, seconds, destinations)
        triggers = seconds == nil ? [] : [.due]
    }

    /// Adds sources with a destination.
    /// - Parameters:
    ///   - sources: The names of the sources.
    ///   - destination: The name of the destination.
    /// - Returns: The event with these pairs.
    public consuming func or(from sources: String..., to destination: String) -> Self {
        transitions += sources.map { TransitionTable.Transition(from: $0, to: destination) }
        return self
    }

    /// Adds states that ignore the event: firing it there does nothing, and is no error.
    /// - Parameter states: The names of the states.
    /// - Returns: The event with these states.
    public consuming func ignored(in states: String...) -> Self {
        ignored += states
        return self
    }

    /// Makes the event automatic, after a time in the state.
    /// - Parameter duration: The time.
    /// - Returns: The event with this deadline.
    public consuming func due(after duration: Duration) -> Self {
        dueAfter = duration / .seconds(1)
        triggers = [.due]
        return self
    }
}
