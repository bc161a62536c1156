import Foundation
import Heraclitus
import HeraclitusFoundation
import Synchronization
import Testing

@testable import Fixtures

@Suite("Operations", .timeLimit(.minutes(20))) struct OperationTests {
    /// A composed operation: a custom operation that has the states and answers with them.
    final class Composed: Operation, @unchecked Sendable {
        let journal: CallLog
        let queue = DispatchQueue(label: "composed")
        private(set) lazy var life = OperationStateMachine(operation: self, dispatchQueue: queue)

        init(_ journal: CallLog = CallLog()) {
            self.journal = journal
            super.init()
            life.executionBlock = { [weak self] in
                journal.write("execution \(self?.isExecuting ?? false)")
                self?.life.finish()
            }
            life.cancellationBlock = { [weak self] in
                journal.write("cancellation")
                self?.life.finish()
            }
            life.finalizationBlock = { [weak self] in journal.write("finalization \(self?.isFinished ?? true)") }
        }

        override var isAsynchronous: Bool { true }
        override var isReady: Bool { super.isReady && life.isReady }
        override var isExecuting: Bool { life.isExecuting }
        override var isFinished: Bool { life.isFinished }
        override var isCancelled: Bool { life.isCancelled }
        override func start() { try? life.start() }
        override func cancel() {
            life.cancel()
            super.cancel()
        }
    }

    /// The operation in the documentation of `OperationStateMachine`.
    final class Fetch: Operation, @unchecked Sendable {
        let journal: CallLog
        private(set) lazy var life = OperationStateMachine(operation: self, dispatchQueue: .global())

        init(_ journal: CallLog) {
            self.journal = journal
            super.init()
            life.executionBlock = { [weak self] in
                guard let self else { return }
                // A queue starts cancelled operations, too.
                if !isCancelled { fetch() }
                life.finish()
            }
        }

        func fetch() { journal.write("fetch") }

        override var isAsynchronous: Bool { true }
        override var isReady: Bool { super.isReady && life.isReady }
        override var isExecuting: Bool { life.isExecuting }
        override var isFinished: Bool { life.isFinished }
        override func start() { try? life.start() }
        override func cancel() {
            life.cancel()
            super.cancel()
        }
    }

    struct Failure: Error, Equatable {}

    /// Waits for a condition that other threads bring about.
    static func eventually(_ condition: () -> Bool) -> Bool {
        for _ in 0..<300_000 {
            if condition() { return true }
            usleep(1_000)
        }
        return false
    }

    @Test("A composed operation goes from ready through executing to finished, with its blocks in order on its queue")
    func life() async throws {
        try await onOwnThread {
            let operation = Composed()
            #expect(operation.isReady && !operation.isExecuting && !operation.isFinished && !operation.isCancelled)
            #expect(operation.life.operation === operation && operation.life.dispatchQueue === operation.queue)
            operation.queue.suspend()
            operation.start()
            // At once; its blocks run on the queue.
            #expect(operation.isExecuting && !operation.isReady && operation.journal.entries.isEmpty)
            operation.queue.resume()
            #expect(Self.eventually { operation.isFinished })
            #expect(!operation.isExecuting && !operation.isReady)
            #expect(operation.journal.entries == ["execution true", "finalization false"])
            #expect((operation.life.state as? OperationLife.Finished)?.wasCancelled == false)
        }
    }

    @Test("Starting twice is a typed error; finishing twice or before the start does nothing")
    func twice() async throws {
        try await onOwnThread {
            let operation = Composed()
            operation.life.executionBlock = nil
            let heard = CallLog()
            operation.life.machine.observe { heard.write($0.level.rawValue) }
            operation.life.finish()
            operation.queue.sync {}
            #expect(operation.isReady)
            try operation.life.start()
            let error = #expect(throws: InvalidTransition.self) { try operation.life.start() }
            #expect(error?.event == "start" && error?.source == "Executing")
            for _ in 0..<3 { operation.life.finish() }
            operation.queue.sync {}
            #expect(operation.isFinished)
            #expect(throws: InvalidTransition.self) { try operation.life.start() }
            operation.start()
            #expect(operation.isFinished && operation.journal.entries == ["finalization false"])
            #expect(
                heard.entries == ["warning", "info", "warning", "info", "warning", "warning", "warning", "warning"]
            )
        }
    }

    @Test("A finish before the start does nothing, even if the start overtakes the queue")
    func overtaken() async throws {
        try await onOwnThread {
            let operation = Composed()
            operation.life.executionBlock = { operation.journal.write("execution") }
            operation.queue.suspend()
            operation.life.finish()
            try operation.life.start()
            operation.queue.resume()
            operation.queue.sync {}
            operation.queue.sync {}
            #expect(operation.isExecuting && operation.journal.entries == ["execution"])
            operation.life.finish()
            operation.queue.sync {}
            #expect(operation.isFinished)
        }
    }

    @Test("Cancelling sets a flag and runs the cancellation block once; the operation goes on until it is finished")
    func cancel() async throws {
        try await onOwnThread {
            let operation = Composed()
            operation.life.executionBlock = nil
            try operation.life.start()
            operation.life.cancellationBlock = { operation.journal.write("cancellation") }
            for _ in 0..<3 { operation.cancel() }
            operation.queue.sync {}
            #expect(operation.isCancelled && operation.isExecuting && !operation.isFinished)
            #expect(operation.journal.entries == ["cancellation"])
            operation.life.finish()
            operation.queue.sync {}
            #expect(operation.isFinished && operation.isCancelled)
            #expect(operation.journal.entries == ["cancellation", "finalization false"])
            #expect((operation.life.state as? OperationLife.Finished)?.wasCancelled == true)

            let late = Composed()
            try late.life.start()
            #expect(Self.eventually { late.isFinished })
            late.cancel()
            late.queue.sync {}
            #expect(!late.isCancelled && late.journal.entries == ["execution true", "finalization false"])
        }
    }

    @Test("An operation cancelled, and finished by its cancellation block, before the start finishes at the start")
    func cancelledBeforeStart() async throws {
        try await onOwnThread {
            let operation = Composed()
            operation.cancel()
            operation.queue.sync {}
            operation.queue.sync {}
            #expect(operation.isCancelled && !operation.isFinished && !operation.isExecuting)
            try operation.life.start()
            #expect(Self.eventually { operation.isFinished })
            #expect(operation.journal.entries == ["cancellation", "finalization false"])
        }
    }

    @Test("An operation cancelled and asked to finish never executes, also on a concurrent queue")
    func cancelledOnAConcurrentQueue() async throws {
        try await onOwnThread {
            let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
            let executions = Atomic(0)
            for _ in 0..<200 {
                let operation = Operation()
                let life = OperationStateMachine(operation: operation, dispatchQueue: queue)
                life.executionBlock = {
                    executions.add(1, ordering: .relaxed)
                    life.finish()
                }
                life.cancel()
                life.finish()
                try life.start()
                #expect(Self.eventually { life.isFinished })
            }
            queue.sync(flags: .barrier) {}
            #expect(executions.load(ordering: .relaxed) == 0)
        }
    }

    @Test("Cancelled, started and finished by many threads at once, an operation finishes and runs each block once")
    func race() async throws {
        try await onOwnThread {
            for _ in 0..<200 {
                let operation = Composed()
                onThreads(4) { index in
                    switch index {
                    case 0: operation.start()
                    case 1: operation.cancel()
                    case 2: operation.life.finish()
                    default: operation.start()
                    }
                }
                #expect(Self.eventually { operation.isFinished })
                operation.queue.sync {}
                let entries = operation.journal.entries
                #expect(entries.filter { $0.hasPrefix("finalization") }.count == 1)
                #expect(entries.filter { $0 == "cancellation" }.count <= 1)
                #expect(entries.filter { $0.hasPrefix("execution") }.count <= 1)
            }
        }
    }

    @Test("An operation released while it executes is freed, and its states come to their end")
    func released() async throws {
        try await onOwnThread {
            let queue = DispatchQueue(label: "released")
            var operation: Operation? = Operation()
            weak let weakOperation = operation
            let life = try OperationStateMachine(operation: #require(operation), dispatchQueue: queue)
            let hasFinalized = Atomic(false)
            life.finalizationBlock = { hasFinalized.store(true, ordering: .relaxed) }
            try life.start()
            queue.sync {}
            operation = nil
            #expect(weakOperation == nil && life.operation == nil && life.isExecuting)
            life.cancel()
            life.finish()
            queue.sync {}
            #expect(life.isFinished && hasFinalized.load(ordering: .relaxed))
        }
    }

    @Test("A queue runs operations in the order of their dependencies, up to its limit at once")
    func queue() async throws {
        try await onOwnThread {
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 2
            let running = Atomic(0)
            let most = Lock(0)
            let journal = CallLog()
            @Sendable func work(_ name: String) {
                let now = running.add(1, ordering: .relaxed).newValue
                most.withLock { $0 = max($0, now) }
                // The operations in the middle wait for one another; tasks may have to wait for a thread.
                if Int(name) ?? 6 < 6 { #expect(Self.eventually { most.withLock { $0 } == 2 }) }
                usleep(1_000)
                journal.write(name)
                running.subtract(1, ordering: .relaxed)
            }
            let first = StateMachineOperation { work("first") }
            let middle = (0..<8).map { number in
                number < 6
                    ? StateMachineOperation { work("\(number)") } : AsyncStateMachineOperation { work("\(number)") }
            }
            let last = Composed(journal)
            for operation in middle {
                operation.addDependency(first)
                last.addDependency(operation)
            }
            queue.addOperations(middle + [last, first], waitUntilFinished: true)
            #expect(journal.entries.first == "first")
            #expect(journal.entries.suffix(2) == ["execution true", "finalization false"])
            #expect(Set(journal.entries.dropFirst().prefix(8)) == Set((0..<8).map { "\($0)" }))
            #expect(most.withLock { $0 } == 2)
            #expect((middle + [first]).allSatisfy { $0.isFinished && $0.error == nil })
        }
    }

    @Test("A queue cancelled half way comes to its end, with all operations finished")
    func cancelledQueue() async throws {
        try await onOwnThread {
            for round in 0..<10 {
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 3
                let done = Atomic(0)
                var operations: [Operation] = []
                for number in 0..<30 {
                    let operation: Operation =
                        switch number % 3 {
                        case 0:
                            StateMachineOperation {
                                usleep(500)
                                done.add(1, ordering: .relaxed)
                            }
                        case 1:
                            AsyncStateMachineOperation {
                                try await Task.sleep(for: .milliseconds(number == 1 ? 1 : 10_000))
                            }
                        default: Composed()
                        }
                    if number > 2 { operation.addDependency(operations[number - 3]) }
                    operations.append(operation)
                }
                queue.addOperations(operations, waitUntilFinished: false)
                usleep(UInt32(round * 500))
                queue.cancelAllOperations()
                queue.waitUntilAllOperationsAreFinished()
                #expect(operations.allSatisfy { $0.isFinished && !$0.isExecuting })
            }
        }
    }

    @Test("The documented operation finishes without its work if it was cancelled in the queue")
    func documented() async throws {
        try await onOwnThread {
            let (journal, isCancelled) = (CallLog(), DispatchSemaphore(value: 0))
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            queue.addOperation { isCancelled.wait() }
            let fetches = (0..<100).map { _ in Fetch(journal) }
            queue.addOperations(fetches, waitUntilFinished: false)
            queue.cancelAllOperations()
            isCancelled.signal()
            queue.waitUntilAllOperationsAreFinished()
            #expect(fetches.allSatisfy(\.isFinished) && journal.entries.isEmpty)
        }
    }

    @Test("A body is skipped if the operation was cancelled before; its error is the operation's error")
    func bodies() async throws {
        try await onOwnThread {
            let queue = OperationQueue()
            let cancelled = StateMachineOperation { Issue.record("It ran.") }
            cancelled.cancel()
            let failed = StateMachineOperation { throw Failure() }
            let failedToo = AsyncStateMachineOperation { throw Failure() }
            let hasBegun = DispatchSemaphore(value: 0)
            let interrupted = AsyncStateMachineOperation {
                hasBegun.signal()
                try await Task.sleep(for: .seconds(600))
            }
            final class Subclass: StateMachineOperation, @unchecked Sendable {
                let journal = CallLog()
                override func main() { journal.write("main") }
            }
            final class AsyncSubclass: AsyncStateMachineOperation, @unchecked Sendable {
                let journal = CallLog()
                override func run() async throws {
                    await Task.yield()
                    journal.write("run")
                }
            }
            let (subclass, asyncSubclass) = (Subclass(), AsyncSubclass())
            queue.addOperations(
                [cancelled, failed, failedToo, interrupted, subclass, asyncSubclass],
                waitUntilFinished: false
            )
            #expect(hasBegun.comes())
            interrupted.cancel()
            queue.waitUntilAllOperationsAreFinished()
            #expect(failed.error is Failure && failedToo.error is Failure && interrupted.error is CancellationError)
            #expect(cancelled.isFinished && cancelled.isCancelled && cancelled.error == nil)
            #expect(subclass.journal.entries == ["main"] && asyncSubclass.journal.entries == ["run"])
        }
    }

    @Test("A completion block is called once, and the operation is released afterwards")
    func completion() async throws {
        try await onOwnThread {
            weak var weakOperation: StateMachineOperation?
            let count = Atomic(0)
            do {
                let queue = OperationQueue()
                let operation = StateMachineOperation {}
                operation.completionBlock = { count.add(1, ordering: .relaxed) }
                weakOperation = operation
                queue.addOperations([operation], waitUntilFinished: true)
            }
            #expect(Self.eventually { count.load(ordering: .relaxed) == 1 && weakOperation == nil })
        }
    }

    @Test(
        "An unretained executing operation is finished, and its completion block is called"
    )
    func dropped() async throws {
        try await onOwnThread {
            for isAsync in [false, true] {
                let isComplete = DispatchSemaphore(value: 0)
                let operation = isAsync ? AsyncStateMachineOperation { await Task.yield() } : StateMachineOperation {}
                operation.completionBlock = { isComplete.signal() }
                operation.start()
                _ = consume operation
                #expect(isComplete.comes())
            }
        }
    }

    @Test("The caller's cancellation block runs beside the cancellation of an async body")
    func asyncCancellation() async throws {
        try await onOwnThread {
            let (hasBegun, hasCleanedUp) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let operation = AsyncStateMachineOperation {
                hasBegun.signal()
                try await Task.sleep(for: .seconds(600))
            }
            operation.stateMachine.cancellationBlock = { hasCleanedUp.signal() }
            operation.start()
            #expect(hasBegun.comes())
            operation.cancel()
            #expect(hasCleanedUp.comes() && Self.eventually { operation.isFinished })
            #expect(operation.error is CancellationError)
            #expect((operation.stateMachine.state as? OperationLife.Finished)?.wasCancelled == true)
        }
    }

    @Test("Blocks are released when the operation is finished, with everything that they retain")
    func blocks() async throws {
        try await onOwnThread {
            weak var weakOperation: Composed?
            do {
                let operation = Composed()
                weakOperation = operation
                operation.life.cancellationBlock = { [operation] in _ = operation.isReady }
                operation.life.executionBlock = { [operation] in operation.life.finish() }
                operation.life.finalizationBlock = { [operation] in _ = operation.isReady }
                try operation.life.start()
                #expect(Self.eventually { operation.isFinished })
            }
            #expect(Self.eventually { weakOperation == nil })
        }
    }
}
