import Foundation
import Heraclitus
import HeraclitusTesting

@testable import Fixtures

extension WorkTests {
    /// The context of the machines: controls their work, and records occurrences.
    final class Bench: Sendable {
        typealias Work = @Sendable (BusyState, WorkCall<Shop>) async throws -> Void

        let journal = CallLog()
        let begun = Latch()
        let released = Latch()
        let ended = Latch()
        let work: Work

        init(_ work: @escaping Work) { self.work = work }

        /// A bench whose work fails when it is released, also after a cancellation.
        static var failing: Bench {
            Bench { _, call in
                call.context.begun.open()
                await call.context.released.waitStubbornly()
                throw Spoilt()
            }
        }
    }

    struct Spoilt: Error, CustomStringConvertible { let description = "spoilt" }

    final class RestState: WorkflowState, EmptyState {}
    final class BusyState: WorkflowState, Working, Entering, Exiting, Restoring {
        let number: Int
        let restarts: Bool
        let until: Date?

        /// Records the work that it was asked to take over.
        let takings: CallLog?
        private enum CodingKeys: CodingKey { case number, restarts, until }

        init(_ number: Int = 1, restarts: Bool = false, until: Date? = nil, takings: CallLog? = nil) {
            self.number = number
            self.restarts = restarts
            self.until = until
            self.takings = takings
        }

        convenience init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try values.decode(Int.self, forKey: .number),
                restarts: try values.decode(Bool.self, forKey: .restarts),
                until: try values.decodeIfPresent(Date.self, forKey: .until)
            )
        }

        func work(_ call: WorkCall<Shop>) async throws {
            call.context.journal.write("work \(number)")
            try await call.context.work(self, call)
        }

        func continuesWork(of old: BusyState) -> Bool {
            takings?.write("\(old.number)")
            return !restarts
        }

        func didEnter(_ transition: StateTransition) {
            transition.context(as: Shop.self).journal.write("didEnter")
            if number < 0 { try? transition.machine(as: Shop.self)?.fire.stop() }
        }
        func didExit(_ transition: StateTransition) { transition.context(as: Shop.self).journal.write("didExit") }
        func didRestore(_ transition: StateTransition) { transition.context(as: Shop.self).journal.write("didRestore") }
    }
    final class MadeState: WorkflowState {
        let number: Int
        init(_ number: Int) { self.number = number }
    }
    final class BrokenState: WorkflowState {
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    struct Shop: Workflow {
        typealias Context = Bench
        static var initial: any WorkflowState { RestState() }
        let start = Event(from: RestState.self, to: BusyState.self)
        let progress = Event(updating: BusyState.self)
        let finish = Event(from: BusyState.self, to: MadeState.self)
        let stop = Event(from: BusyState.self, to: RestState.self)
        let expire = Event(from: BusyState.self, to: BrokenState.self).due(\.until).enters { _ in BrokenState("late") }
        let fail = Event(from: BusyState.self, to: BrokenState.self)
            .whenFailed { busy, error in
                if busy.number == 13 { throw Objection() }
                return BrokenState("\(busy.number) \(error)")
            }
    }
}
