public import Dispatch
public import Foundation
import Heraclitus

/// A concurrent operation that only needs a body.
///
/// ```swift
/// queue.addOperation(StateMachineOperation { try resize(image) })
/// ```
///
/// Or write a subclass that overrides `main()`, as for any `Operation`. The body runs on the operation's dispatch queue, and should
/// check `isCancelled` now and then. The operation is finished when the body returns. An operation that was cancelled before it
/// was started finishes without running the body. ``AsyncStateMachineOperation`` has an `async` body.
open class StateMachineOperation: Operation, @unchecked Sendable {
    // Unchecked, as Operation is: what it has of its own does not change or has a lock.

    /// The states of this operation, which you can observe.
    public let stateMachine: OperationStateMachine

    private let body: (@Sendable () throws -> Void)?
    private let failure = Lock<(any Error)?>(nil)

    /// Makes an operation.
    /// - Parameters:
    ///   - dispatchQueue: The queue on which the body runs, by default a global queue.
    ///   - body: The body, by default `main()`.
    public init(dispatchQueue: DispatchQueue = .global(), body: (@Sendable () throws -> Void)? = nil) {
        stateMachine = OperationStateMachine(dispatchQueue: dispatchQueue)
        self.body = body
        super.init()
        stateMachine.attach(self)
        stateMachine.executionBlock = { [weak self] in self?.execute() }
    }

    /// The error that the body has thrown.
    public var error: (any Error)? { failure.withLock { $0 } }

    /// Runs the body of an operation that was made with one.
    open override func main() {
        do { try body?() } catch { fail(with: error) }
    }

    /// Starts the operation, unless it was started before.
    open override func start() { try? stateMachine.start() }

    /// Marks the operation as cancelled.
    open override func cancel() {
        // First: by the other the queue starts it, and it might be over before it knew why.
        stateMachine.cancel()
        super.cancel()
    }

    /// Always `true`: the operation may be finished after `start` has returned.
    open override var isAsynchronous: Bool { true }

    /// Whether it can be started: its dependencies are finished, and it was not started.
    open override var isReady: Bool { super.isReady && stateMachine.isReady }

    /// Whether it was started and is not finished.
    open override var isExecuting: Bool { stateMachine.isExecuting }

    /// Whether it is finished.
    open override var isFinished: Bool { stateMachine.isFinished }

    /// Whether it was cancelled.
    open override var isCancelled: Bool { super.isCancelled || stateMachine.isCancelled }

    /// Runs the body, and finishes.
    func execute() {
        if !isCancelled { main() }
        stateMachine.finish()
    }

    func fail(with error: any Error) { failure.withLock { $0 = $0 ?? error } }
}

/// A concurrent operation whose body is `async`.
///
/// ```swift
/// queue.addOperation(AsyncStateMachineOperation { try await download(url) })
/// ```
///
/// Or write a subclass that overrides ``run()``. The operation is finished when the body returns. Cancelling the operation cancels
/// the body's task, which should then return soon.
open class AsyncStateMachineOperation: StateMachineOperation, @unchecked Sendable {
    // Unchecked, as Operation is: what it has of its own does not change.

    private let asyncBody: (@Sendable () async throws -> Void)?

    /// Makes an operation.
    /// - Parameters:
    ///   - dispatchQueue: The queue on which the body begins, by default a global queue.
    ///   - body: The body, by default ``run()``.
    public init(dispatchQueue: DispatchQueue = .global(), body: (@Sendable () async throws -> Void)? = nil) {
        asyncBody = body
        super.init(dispatchQueue: dispatchQueue)
    }

    /// Runs the body of an operation that was made with one.
    /// - Throws: The body's error, which becomes ``StateMachineOperation/error``.
    open func run() async throws { try await asyncBody?() }

    /// Does nothing; the body is ``run()``.
    public final override func main() {}

    override func execute() {
        let task = Task { [self] in
            do {
                if !isCancelled { try await run() }
            } catch {
                fail(with: error)
            }
            stateMachine.finish()
        }
        stateMachine.interruption = { task.cancel() }
        if isCancelled { task.cancel() }
    }
}
