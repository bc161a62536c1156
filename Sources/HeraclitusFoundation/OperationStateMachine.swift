public import Dispatch
public import Foundation
public import Heraclitus

/// The states of a concurrent `Operation`, for an operation of your own that has this object as a property.
///
/// ```swift
/// final class Fetch: Operation, @unchecked Sendable {
///     private(set) lazy var life = OperationStateMachine(operation: self, dispatchQueue: .global())
///
///     override init() {
///         super.init()
///         // Here, so that the lazy property exists before other threads use the operation.
///         life.executionBlock = { [weak self] in
///             guard let self else { return }
///             // A queue starts cancelled operations, too.
///             if !isCancelled { fetch() }
///             life.finish()
///         }
///     }
///
///     override var isAsynchronous: Bool { true }
///     override var isReady: Bool { super.isReady && life.isReady }
///     override var isExecuting: Bool { life.isExecuting }
///     override var isFinished: Bool { life.isFinished }
///     override func start() { try? life.start() }
///     override func cancel() {
///         life.cancel()
///         super.cancel()
///     }
/// }
/// ```
///
/// ``StateMachineOperation`` does all this for you, and needs a body alone.
///
/// The operation notifies `OperationQueue` of `isReady`, `isExecuting` and `isFinished`. Any thread may call each method, and your code runs
/// outside locks.
public final class OperationStateMachine: MachineOwner, Sendable {
    /// A block of an operation.
    public typealias Block = @Sendable () -> Void

    /// The machine, which you can observe.
    public let machine = StateMachine<OperationLife>()

    /// The queue on which the blocks run.
    public let dispatchQueue: DispatchQueue

    private struct Storage {
        weak var operation: Operation?
        var isCancelled = false

        /// The number of finishes that no guard has declined so far.
        ///
        /// Two threads may finish at once, and a guard may decline one of them.
        var finishes = 0

        /// Whether the operation is finished, or is certain to finish.
        var isOver: Bool { finishes > 0 }

        /// Whether the operation was cancelled when it was certain to finish; a guard may still decline.
        var isCancelledTooLate = false
        var execution: Block?
        var cancellation: Block?
        var finalization: Block?

        /// A base class's block, which `cancel()` runs at once.
        var interruption: Block?
    }

    private let storage = Lock(Storage())

    /// Makes the states of an operation.
    /// - Parameters:
    ///   - operation: The operation, held weakly.
    ///   - dispatchQueue: The queue of the blocks and of finishing.
    public init(operation: Operation, dispatchQueue: DispatchQueue) {
        self.dispatchQueue = dispatchQueue
        attach(operation)
        listen()
    }

    /// For an operation under construction, which calls ``attach(_:)`` later.
    init(dispatchQueue: DispatchQueue) {
        self.dispatchQueue = dispatchQueue
        listen()
    }

    func attach(_ operation: Operation) { storage.withLock { $0.operation = operation } }

    /// The operation; `nil` after its release.
    public var operation: Operation? { storage.withLock { $0.operation } }

    /// The block that runs on the queue after the start, and calls ``finish()`` at its end or has it called.
    public var executionBlock: Block? {
        get { storage.withLock { $0.execution } }
        // The old block is released outside the lock.
        set { _ = storage.withLock { exchange(&$0.execution, with: newValue) } }
    }

    /// The block that runs on the queue once, after the cancellation.
    ///
    /// The operation must still be finished.
    public var cancellationBlock: Block? {
        get { storage.withLock { $0.cancellation } }
        set { _ = storage.withLock { exchange(&$0.cancellation, with: newValue) } }
    }

    /// The block that runs on the queue just before the operation is finished, cancelled or not.
    public var finalizationBlock: Block? {
        get { storage.withLock { $0.finalization } }
        set { _ = storage.withLock { exchange(&$0.finalization, with: newValue) } }
    }

    var interruption: Block? {
        get { storage.withLock { $0.interruption } }
        set { _ = storage.withLock { exchange(&$0.interruption, with: newValue) } }
    }

    /// Whether the operation waits for its start.
    public var isReady: Bool { machine.isIn(OperationLife.Ready.self) }

    /// Whether the operation has started and not finished.
    public var isExecuting: Bool { machine.isIn(OperationLife.Executing.self) }

    /// Whether the operation is finished.
    public var isFinished: Bool { machine.isIn(OperationLife.Finished.self) }

    /// Whether the operation was cancelled before it finished.
    public var isCancelled: Bool { storage.withLock { $0.isCancelled } }
}

// MARK: - Life

extension OperationStateMachine {
    /// Starts the operation: it is executing when the call returns, and the execution block runs on the queue.
    ///
    /// An operation that was cancelled and asked to finish before its start finishes without the block.
    /// - Throws: `InvalidTransition` if the operation was started before.
    public func start() throws(InvalidTransition) {
        try machine.fire.start { OperationLife.Executing(isFinishAsked: $0.isFinishAsked) }
    }

    /// Finishes the operation on the queue: the finalization block runs, then the operation is finished.
    ///
    /// A cancelled operation that waits for its start finishes as soon as it starts. A finished operation stays as it is, and so does an operation
    /// that was neither cancelled nor started. Observers of the ``machine`` get each case. Before the start it waits for another thread's `start()`
    /// under way, and observers are called on the calling thread.
    public func finish() {
        // At once, because a start may overtake the queue.
        if isReady, (try? machine.perform(block: decideWhileReady)) == true { return }
        // The queue keeps the operation, so that it is notified.
        dispatchQueue.async { [self, operation] in
            try? finishNow()
            withExtendedLifetime(operation) {}
        }
    }

    /// Marks the operation as cancelled, once, and runs the cancellation block on the queue.
    ///
    /// The operation goes on until ``finish()`` is called. A finished operation cannot be cancelled.
    public func cancel() {
        let (interruption, block) = storage.withLock { storage -> (Block?, Block?) in
            guard !storage.isCancelled else { return (nil, nil) }
            guard !storage.isOver else {
                storage.isCancelledTooLate = true
                return (nil, nil)
            }
            storage.isCancelled = true
            return (storage.interruption, storage.cancellation)
        }
        interruption?()
        guard let block else { return }
        // The block may finish the operation.
        dispatchQueue.async { [operation] in
            block()
            withExtendedLifetime(operation) {}
        }
    }

    /// Lets a ready operation stay as it is, or finish at its start if it is cancelled.
    /// - Returns: Whether this was decided; otherwise the queue finishes the operation.
    private func decideWhileReady(in state: any WorkflowState) -> Bool {
        guard state is OperationLife.Ready else { return false }
        // A callback of the start under way comes too late for this.
        if isCancelled {
            return (try? machine.fire.finishAtStart(OperationLife.Ready(isFinishAsked: true))) != nil
        }
        // Observers get a rejection.
        try? finishNow()
        return true
    }

    private func finishNow() throws(InvalidTransition) {
        do throws(InvalidTransition) {
            try machine.fire.finish { _ in
                // From now on `cancel()` comes too late.
                storage.withLock { storage in
                    storage.finishes += 1
                    return OperationLife.Finished(wasCancelled: storage.isCancelled)
                }
            }
        } catch {
            // A guard declined, so the operation goes on.
            if error.reason == .declined {
                let isCancelled = storage.withLock { storage in
                    storage.finishes -= 1
                    return storage.isCancelledTooLate && !storage.isOver
                }
                if isCancelled { cancel() }
            }
            throw error
        }
    }

    private func execute(_ executing: OperationLife.Executing) {
        // The operation is alive at least until its block runs.
        dispatchQueue.async { [self, operation] in
            if executing.isFinishAsked { try? finishNow() } else { executionBlock?() }
            withExtendedLifetime(operation) {}
        }
    }

    /// Releases the blocks, and the objects that they hold.
    private func letGoOfBlocks() {
        executionBlock = nil
        cancellationBlock = nil
        finalizationBlock = nil
        interruption = nil
    }

    private func listen() {
        machine.willFire(\.start) { [weak self] _, _, _ in
            self?.operation?.willChangeValue(for: \.isReady)
            self?.operation?.willChangeValue(for: \.isExecuting)
        }
        machine.didFire(\.start) { [weak self] _, executing, _ in
            self?.operation?.didChangeValue(for: \.isReady)
            self?.operation?.didChangeValue(for: \.isExecuting)
            self?.execute(executing)
        }
        machine.willFire(\.finish) { [weak self] _, _, _ in
            self?.finalizationBlock?()
            self?.operation?.willChangeValue(for: \.isExecuting)
            self?.operation?.willChangeValue(for: \.isFinished)
        }
        machine.didFire(\.finish) { [weak self] _, _, _ in
            self?.operation?.didChangeValue(for: \.isExecuting)
            self?.operation?.didChangeValue(for: \.isFinished)
            self?.letGoOfBlocks()
        }
    }
}
