public import Heraclitus
public import HeraclitusEssentials

extension StoredWorkflow {
    /// Finds machines of the workflow.
    ///
    /// A database uses an index; a directory reads the first line of each file.
    ///
    /// The result excludes machines of a version newer than `Workflow.version`; ``WorkReport/newerCount`` counts them.
    /// - Parameters:
    ///   - states: The classes of the state, without their subclasses. `DataState` stands for all states of a table.
    ///   - names: The stored names of the state. To rename states of earlier versions, use
    ///     ``upgrade(after:batch:progress:)``. Classes and names together find either; both `nil` find any state.
    ///   - conditions: Conditions on the values of ``Findable`` states.
    ///   - before: The date before which the machine entered its state.
    ///   - after: The date after which the machine entered its state.
    ///   - id: The last id of the page before; `nil` for the first page. Its machine may be deleted by now.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, sorted by their UTF-8. Fewer than `limit` ids mark the last page.
    /// - Throws: Errors of the store's medium.
    public func ids(
        in states: [any WorkflowState.Type]? = nil,
        named names: [String]? = nil,
        where conditions: StoredCondition...,
        enteredBefore before: Date? = nil,
        enteredAfter after: Date? = nil,
        after id: String? = nil,
        limit: Int = .max
    ) async throws -> [String] {
        var query = query(in: states, named: names, conditions)
        (query.enteredBefore, query.enteredAfter) = (before, after)
        (query.after, query.limit) = (id, limit)
        return try await store.ids(query)
    }

    /// Counts the machines of the workflow by state.
    /// - Parameter conditions: Conditions on the values of ``Findable`` states.
    /// - Returns: The number of machines in each state, by the name of the state.
    /// - Throws: Errors of the store's medium.
    public func counts(where conditions: StoredCondition...) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for (state, count) in try await store.counts(query(conditions)) {
            counts[W.nameToday(ofState: state), default: 0] += count
        }
        return counts
    }

    /// Iterates over the machines of the workflow in constant memory.
    ///
    /// ```swift
    /// for try await (id, order) in orders.machines(in: [PaidState.self]) { print(id, order.state) }
    /// ```
    ///
    /// The machines are loaded in pages, so a machine that changes during the iteration may be missed, or seen in its
    /// new state. They are passive.
    /// - Parameters:
    ///   - states: The classes of the state, without their subclasses. `DataState` stands for all states of a table.
    ///   - names: The stored names of the state. To rename states of earlier versions, use
    ///     ``upgrade(after:batch:progress:)``. Classes and names together find either; both `nil` find any state.
    ///   - conditions: Conditions on the values of ``Findable`` states.
    /// - Returns: The machines with their ids, sorted by the UTF-8 of the ids.
    public func machines(
        in states: [any WorkflowState.Type]? = nil,
        named names: [String]? = nil,
        where conditions: StoredCondition...
    ) -> some AsyncSequence<(id: String, machine: StateMachine<W>), any Error> & Sendable {
        StoredMachines(workflow: self, query: query(in: states, named: names, conditions))
    }

    func query(
        in states: [any WorkflowState.Type]? = nil,
        named names: [String]? = nil,
        _ conditions: [StoredCondition] = []
    ) -> ArchiveQuery {
        var query = ArchiveQuery()
        query.workflows = workflowNames
        query.newestVersion = workflowVersion
        query.states = if let states { W.storedNames(of: states).map { $0 + (names ?? []) } } else { names }
        query.values = conditions
        return query
    }
}

/// The machines of a workflow in a store, in order: see ``StoredWorkflow/machines(in:named:where:)``.
struct StoredMachines<W: Workflow>: AsyncSequence, Sendable {
    let workflow: StoredWorkflow<W>
    let query: ArchiveQuery

    /// Loads the machines in pages.
    struct Iterator: AsyncIteratorProtocol {
        let workflow: StoredWorkflow<W>
        var query: ArchiveQuery
        var page: ArraySlice<StoredArchive> = []
        var isLast = false

        /// Loads the next machine.
        /// - Returns: The id and the machine; `nil` at the end.
        /// - Throws: `ArchiveError`; errors of the store's medium.
        mutating func next() async throws -> (id: String, machine: StateMachine<W>)? {
            while page.isEmpty {
                if isLast { return nil }
                let ids = try await workflow.store.ids(query)
                isLast = ids.count < query.limit
                query.after = ids.last
                page = try await workflow.store.load(ids).filter(query.includes)[...]
            }
            let archive = page.removeFirst()
            return (archive.id, try workflow.machine(of: archive))
        }
    }

    /// Begins at the first machine.
    /// - Returns: An iterator that loads the machines.
    func makeAsyncIterator() -> Iterator {
        var query = query
        query.limit = 200
        return Iterator(workflow: workflow, query: query)
    }
}
