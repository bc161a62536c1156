public import Dispatch
public import Foundation
import Heraclitus

/// A concurrent operation that needs a body alone.
///
/// ```swift
/// queue.addOperation(StateMachineOperation { try resize(image) })
/// ```
///
/// Or write a subclass that overrides `main()`, as for any `Operation`. The body runs on the operation's dispatch queue, and should
/// check `isCancelled` now and then. The operation finishes when the body returns. An operation that was cancelled before its start finishes
/// without the body. ``AsyncStateMachineOperation`` has an `async` body.
open class StateMachineOperation: Operation, @unchecked Sendable {
    // Unchecked, as Operation is: its own properties are constant or have a lock.

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

    /// The error of the body.
    public var error: (any Error)? { failure.withLock { $0 } }

    /// Runs the body of an operation that was made with one.
    open override func main() {
        do { try body?() } catch { fail(with: error) }
    }

    /// Starts the operation; a second call does nothing.
    open override func start() { try? stateMachine.start() }

    /// Marks the operation as cancelled.
    open override func cancel() {
        // First, because `super.cancel()` lets the queue start the operation, which might finish before it knew of the cancellation.
        stateMachine.cancel()
        super.cancel()
    }

    /// Always `true`: the operation may finish after `start` returned.
    open override var isAsynchronous: Bool { true }

    /// Whether the operation can start: its dependencies are finished, and it waits for its start.
    open override var isReady: Bool { super.isReady && stateMachine.isReady }

    /// Whether the operation has started and not finished.
    open override var isExecuting: Bool { stateMachine.isExecuting }

    /// Whether the operation is finished.
    open override var isFinished: Bool { stateMachine.isFinished }

    /// Whether the operation was cancelled before its end.
    open override var isCancelled: Bool { stateMachine.isCancelled }

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
/// Or write a subclass that overrides ``run()``. The operation finishes when the body returns. A cancellation of the operation cancels the body's
/// task, which should then return soon.
open class AsyncStateMachineOperation: StateMachineOperation, @unchecked Sendable {
    // Unchecked, as Operation is: its own properties are constant.

    private let asyncBody: (@Sendable () async throws -> Void)?

    /// Makes an operation.
    /// - Parameters:
    ///   - dispatchQueue: The queue on which the body's task is made and the operation finishes, by default a global
    ///     queue. The task runs on the default executor.
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
