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
///         // Here, so that what is lazy is there before other threads are.
///         life.executionBlock = { [weak self] in
///             self?.fetch()
///             self?.life.finish()
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
/// ``StateMachineOperation`` does all that, and only needs a body.
///
/// `OperationQueue` is notified of `isReady`, `isExecuting` and `isFinished` through the operation. Any thread may call every
/// method, and no lock is held while your code runs.
public final class OperationStateMachine: MachineOwner, Sendable {
    /// A block of an operation.
    public typealias Block = @Sendable () -> Void

    /// The machine, which you can observe.
    public let machine = StateMachine<OperationLife>()

    /// Where the blocks run.
    public let dispatchQueue: DispatchQueue

    private struct Storage {
        weak var operation: Operation?
        var isCancelled = false

        /// Whether it was cancelled, and then asked to finish, which the queue may carry out only after a start.
        var isFinishAsked = false

        /// Whether it is finished, or is certain to be.
        var isOver = false

        /// Whether it was cancelled when it was certain to be finished, which a guard may decline all the same.
        var isCancelledTooLate = false
        var execution: Block?
        var cancellation: Block?
        var finalization: Block?

        /// What a base class does at once when it is cancelled.
        var interruption: Block?
    }

    private let storage = Lock(Storage())

    /// Makes the states of an operation.
    /// - Parameters:
    ///   - operation: The operation, held weakly.
    ///   - dispatchQueue: Where the blocks run, and where finishing is carried out.
    public init(operation: Operation, dispatchQueue: DispatchQueue) {
        self.dispatchQueue = dispatchQueue
        attach(operation)
        listen()
    }

    /// For an operation that is still being made, see ``attach(_:)``.
    init(dispatchQueue: DispatchQueue) {
        self.dispatchQueue = dispatchQueue
        listen()
    }

    func attach(_ operation: Operation) { storage.withLock { $0.operation = operation } }

    /// The operation; `nil` when it was released.
    public var operation: Operation? { storage.withLock { $0.operation } }

    /// The block that runs on the queue after the operation was started, and sees to it that ``finish()`` is called.
    public var executionBlock: Block? {
        get { storage.withLock { $0.execution } }
        set { _ = storage.withLock { exchange(&$0.execution, newValue) } }
    }

    /// The block that runs on the queue once after the operation was cancelled.
    ///
    /// The operation must still be finished.
    public var cancellationBlock: Block? {
        get { storage.withLock { $0.cancellation } }
        set { _ = storage.withLock { exchange(&$0.cancellation, newValue) } }
    }

    /// The block that runs on the queue just before the operation is finished, cancelled or not.
    public var finalizationBlock: Block? {
        get { storage.withLock { $0.finalization } }
        set { _ = storage.withLock { exchange(&$0.finalization, newValue) } }
    }

    var interruption: Block? {
        get { storage.withLock { $0.interruption } }
        set { _ = storage.withLock { exchange(&$0.interruption, newValue) } }
    }

    /// Whether the operation waits to be started.
    public var isReady: Bool { isIn(OperationLife.Ready.self) }

    /// Whether it was started and is not finished.
    public var isExecuting: Bool { isIn(OperationLife.Executing.self) }

    /// Whether it is finished.
    public var isFinished: Bool { isIn(OperationLife.Finished.self) }

    /// Whether it was cancelled before it was finished.
    public var isCancelled: Bool { storage.withLock { $0.isCancelled } }
}

// MARK: - Life

extension OperationStateMachine {
    /// Starts the operation: it is executing when this returns, and the execution block runs on the queue.
    ///
    /// An operation that was cancelled, and asked to finish, before it was started finishes without running the block.
    /// - Throws: `InvalidTransition` if it was started before.
    public func start() throws(InvalidTransition) {
        try machine.fire.start { ready in
            OperationLife.Executing(isFinishAsked: ready.isFinishAsked || storage.withLock { $0.isFinishAsked })
        }
    }

    /// Finishes the operation on the queue: the finalization block runs, then the operation is finished.
    ///
    /// It does nothing on a finished operation, and on one that was neither cancelled nor started. An operation that was cancelled
    /// and not started yet finishes as soon as it is started. Observers of the ``machine`` get every case.
    public func finish() {
        // At once, for a start that comes before the queue gets to it.
        storage.withLock { $0.isFinishAsked = $0.isCancelled }
        // The operation is to hear of it.
        dispatchQueue.async { [self, operation] in
            finishNow()
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
        // It may be what finishes the operation.
        dispatchQueue.async { [operation] in
            block()
            withExtendedLifetime(operation) {}
        }
    }

    private func finishNow() {
        // As one decision, so that a start that comes between does not miss it. What is rejected is told to observers.
        try? machine.perform { state in
            if state is OperationLife.Ready, isCancelled {
                try machine.fire.finishAtStart(OperationLife.Ready(isFinishAsked: true))
            } else {
                try finishOrStay()
            }
        }
    }

    private func finishOrStay() throws(InvalidTransition) {
        do throws(InvalidTransition) {
            try machine.fire.finish { _ in
                // From now on it is not cancelled any more.
                storage.withLock { storage in
                    storage.isOver = true
                    return OperationLife.Finished(wasCancelled: storage.isCancelled)
                }
            }
        } catch {
            // Unless a guard that somebody has added wants it to go on.
            if error.reason == .declined {
                let isCancelled = storage.withLock { storage in
                    storage.isOver = false
                    return storage.isCancelledTooLate
                }
                if isCancelled { cancel() }
            }
            throw error
        }
    }

    private func execute(_ executing: OperationLife.Executing) {
        // The operation is alive at least until its block runs.
        dispatchQueue.async { [self, operation] in
            if executing.isFinishAsked { finishNow() } else { executionBlock?() }
            withExtendedLifetime(operation) {}
        }
    }

    /// What a block keeps alive it keeps no longer than it may be called.
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

/// Puts a block in the place of another, which is returned so that it is released outside the lock.
private func exchange(
    _ block: inout OperationStateMachine.Block?,
    _ new: OperationStateMachine.Block?
) -> OperationStateMachine.Block? {
    defer { block = new }
    return block
}
