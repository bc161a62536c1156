public import Dispatch
public import Foundation
import Heraclitus

/// A concurrent operation that only needs a body.
///
/// ```swift
/// queue.addOperation(StateMachineOperation { try resize(image) })
/// ```
///
/// or a subclass that overrides `main()`, as of any `Operation`. The body runs on the operation's dispatch queue and the operation is
/// finished when it returns; it looks at `isCancelled` now and then. One that was cancelled before it was started finishes
/// without running it. ``AsyncStateMachineOperation`` has a body that is `async`.
open class StateMachineOperation: Operation, @unchecked Sendable {
    // Unchecked, as Operation is: what it has of its own does not change or has a lock.

    /// The states of this operation, to observe and to ask.
    public let stateMachine: OperationStateMachine

    private let body: (@Sendable () throws -> Void)?
    private let failure = Lock<(any Error)?>(nil)

    /// Makes an operation.
    /// - Parameters:
    ///   - dispatchQueue: Where the body runs; a global queue unless said otherwise.
    ///   - body: What to do; `main()` unless said otherwise.
    public init(dispatchQueue: DispatchQueue = .global(), body: (@Sendable () throws -> Void)? = nil) {
        stateMachine = OperationStateMachine(dispatchQueue: dispatchQueue)
        self.body = body
        super.init()
        stateMachine.attach(self)
        stateMachine.executionBlock = { [weak self] in self?.execute() }
    }

    /// What the body threw.
    public var error: (any Error)? { failure.withLock { $0 } }

    /// Runs the body of an operation that was made with one.
    open override func main() {
        do { try body?() } catch { fail(with: error) }
    }

    /// Starts the operation, which then executes; one that was started before stays as it is.
    open override func start() { try? stateMachine.start() }

    /// Marks the operation as cancelled.
    open override func cancel() {
        // First: by the other the queue starts it, and it might be over before it knew why.
        stateMachine.cancel()
        super.cancel()
    }

    /// `true`: it is finished later than `start` returns.
    open override var isAsynchronous: Bool { true }

    /// Whether it can be started: its dependencies are finished, and it was not started.
    open override var isReady: Bool { super.isReady && stateMachine.isReady }

    /// Whether it was started and is not finished.
    open override var isExecuting: Bool { stateMachine.isExecuting }

    /// Whether it is finished.
    open override var isFinished: Bool { stateMachine.isFinished }

    /// Whether it was cancelled.
    open override var isCancelled: Bool { super.isCancelled || stateMachine.isCancelled }

    /// Carries the body out, and finishes.
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
/// or a subclass that overrides ``run()``. The operation is finished when the body returns. Cancelling it cancels the body's
/// task, which has to end all the same.
open class AsyncStateMachineOperation: StateMachineOperation, @unchecked Sendable {
    // Unchecked, as Operation is: what it has of its own does not change.

    private let asyncBody: (@Sendable () async throws -> Void)?

    /// Makes an operation.
    /// - Parameters:
    ///   - dispatchQueue: Where the body is begun; a global queue unless said otherwise.
    ///   - body: What to do; ``run()`` unless said otherwise.
    public init(dispatchQueue: DispatchQueue = .global(), body: (@Sendable () async throws -> Void)? = nil) {
        asyncBody = body
        super.init(dispatchQueue: dispatchQueue)
    }

    /// Runs the body of an operation that was made with one.
    /// - Throws: What the body throws; it is the operation's ``StateMachineOperation/error``.
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
