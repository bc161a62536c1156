import Heraclitus
import HeraclitusStores

extension UnitOfWork {
    /// A machine of a workflow, without a context.
    nonisolated(nonsending) func machine<W: Workflow>(
        _ id: String,
        of workflow: W.Type,
        creating create: (() throws -> StateMachine<W>)? = nil
    ) async throws -> StateMachine<W> {
        try await machine(id, of: InMemoryStore().workflow(W.self), creating: create)
    }
}

extension TransactionUnit {
    /// A machine of a workflow, without a context.
    func machine<W: Workflow>(
        _ id: String,
        of workflow: W.Type,
        creating create: (() throws -> StateMachine<W>)? = nil
    ) throws -> StateMachine<W> {
        try machine(id, of: InMemoryStore().workflow(W.self), creating: create)
    }
}
