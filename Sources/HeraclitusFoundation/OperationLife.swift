public import Heraclitus

/// The life of a concurrent operation: ready, executing, finished.
public struct OperationLife: Workflow {
    /// A ready operation, not asked to finish.
    public static var initial: any WorkflowState { Ready(isFinishAsked: false) }

    /// `OperationLife`.
    public static var name: String { "OperationLife" }

    /// Begins to execute.
    public let start = Event(from: Ready.self, to: Executing.self)

    /// Ends.
    public let finish = Event(from: Executing.self, to: Finished.self)

    /// Marks a cancelled operation to finish as soon as it starts.
    let finishAtStart = Event(updating: Ready.self)

    /// Makes the definition.
    public init() {}

    /// The operation waits to be started.
    public final class Ready: WorkflowState {
        /// Whether the operation was cancelled and asked to finish, so that it finishes as soon as it starts.
        public let isFinishAsked: Bool

        init(isFinishAsked: Bool) { self.isFinishAsked = isFinishAsked }
    }

    /// The operation was started.
    public final class Executing: WorkflowState {
        /// Whether the operation finishes at once.
        public let isFinishAsked: Bool

        init(isFinishAsked: Bool) { self.isFinishAsked = isFinishAsked }
    }

    /// The operation is finished.
    public final class Finished: WorkflowState {
        /// Whether the operation was cancelled before.
        public let wasCancelled: Bool

        init(wasCancelled: Bool) { self.wasCancelled = wasCancelled }
    }
}
