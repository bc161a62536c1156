import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Exercises of workflows that a context defines") struct ContextExerciseTests {
    final class OffState: EmptyState {}
    final class OnState: EmptyState {}
    struct Lamp: Workflow {
        static var initial: any WorkflowState { OffState() }
        let switchOn = Event(from: OffState.self, to: OnState.self)
        let switchOff = Event(from: OnState.self, to: OffState.self)
    }

    /// A workflow with its definition in the context, like a `DataWorkflow`.
    struct Device: Workflow, ContextDefined {
        typealias Context = Int
        static var initial: any WorkflowState { OffState() }
        static var states: [any WorkflowState.Type] { [OffState.self] }
        static var contextKey: CodingUserInfoKey { CodingUserInfoKey(rawValue: "device")! }
        static func given(_ context: Int) -> GivenContext {
            GivenContext(context, definition: TransitionValidator<Lamp>().definition)
        }
    }

    @Test("Machines go through the table of their context")
    func exercised() throws {
        let lamp = try exercise(Lamp.self)
        let report = try exercise(Device.self, context: 1)
        #expect(report.untried.isEmpty && report.steps > 0 && report.steps == lamp.steps)
    }

    @Test("A workflow that a context defines has no archive lock")
    func unlocked() {
        let error = #expect(throws: (any Error).self) {
            try inFolder { try expectCompatible(Device.self, context: 1, in: $0, recording: true) }
        }
        #expect(error.map { "\($0)" }?.contains("Device has no archive lock") == true)
    }
}
