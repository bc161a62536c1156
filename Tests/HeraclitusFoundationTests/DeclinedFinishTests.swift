import Foundation
import Heraclitus
import HeraclitusFoundation
import Synchronization
import Testing

@testable import Fixtures

// Operations that a guard keeps from finishing, and cancellations that come too late.

extension OperationTests {
    @Test("A declined finish leaves an operation that can be cancelled and finished")
    func declined() async throws {
        try await onOwnThread {
            let operation = Composed()
            operation.life.executionBlock = nil
            let guardian = operation.life.machine.guarded(\.finish) { _, _, _ in throw Failure() }
            try operation.life.start()
            operation.life.finish()
            operation.queue.sync {}
            #expect(operation.isExecuting)
            guardian.cancel()
            // Its cancellation block finishes it.
            operation.cancel()
            #expect(Self.eventually { operation.isFinished })
            #expect(operation.isCancelled && operation.journal.entries.first == "cancellation")
        }
    }

    @Test("Of two finishes at once, one may be declined: the finished operation was not cancelled")
    func declinedBesideAnother() async throws {
        try await onOwnThread {
            for _ in 0..<1_000 {
                let queue = DispatchQueue(label: "finishing", attributes: .concurrent)
                let operation = StateMachineOperation(dispatchQueue: queue)
                let life = operation.stateMachine
                let isFirst = Lock(true)
                life.executionBlock = nil
                life.machine.guarded(\.finish) { _, _, _ in
                    if isFirst.withLock({ isFirst in exchange(&isFirst, with: false) }) { throw Failure() }
                }
                try life.start()
                life.finish()
                life.finish()
                while !operation.isFinished {}
                operation.cancel()
                queue.sync(flags: .barrier) {}
                #expect(!operation.isCancelled)
            }
        }
    }

    @Test("A cancel during a finish that is declined takes effect")
    func cancelledInGuard() async throws {
        try await onOwnThread {
            let operation = Composed()
            operation.life.executionBlock = nil
            let hasDeclined = Atomic(false)
            operation.life.machine.guarded(\.finish) { [unowned operation] _, _, _ in
                guard !hasDeclined.exchange(true, ordering: .relaxed) else { return }
                operation.life.cancel()
                throw Failure()
            }
            try operation.life.start()
            operation.life.finish()
            #expect(Self.eventually { operation.isFinished })
            #expect(operation.isCancelled && operation.journal.entries == ["cancellation", "finalization false"])
        }
    }

    @Test("An operation that is cancelled while it finishes was not cancelled")
    func tooLate() async throws {
        try await onOwnThread {
            let operation = StateMachineOperation {}
            operation.stateMachine.finalizationBlock = { [weak operation] in operation?.cancel() }
            operation.start()
            #expect(Self.eventually { operation.isFinished } && !operation.isCancelled)
            #expect((operation.stateMachine.state as? OperationLife.Finished)?.wasCancelled == false)
        }
    }
}
