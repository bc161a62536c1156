import Heraclitus
import HeraclitusTesting
import Testing

@Suite("Samples") struct SampleTests {
    class FailureState: WorkflowState, @unchecked Sendable {
        let code: Int
        init(_ code: Int) { self.code = code }
    }
    final class TimeOutState: FailureState, @unchecked Sendable {}
    final class LoadingState: EmptyState {}
    struct Loading: Workflow {
        static var initial: any WorkflowState { LoadingState() }
        static var states: [any WorkflowState.Type] { [TimeOutState.self] }
        let fail = Event(from: LoadingState.self, to: FailureState.self)
    }

    @Test("A sample for an event to a class may make a subclass of that")
    func subclasses() throws {
        let report = try exercise(
            Loading.self,
            samples: [.event(\.fail) { _ in TimeOutState(1) }, .event(\.fail) { _ in FailureState(2) }]
        )
        #expect(report.untried.isEmpty)
    }
}
