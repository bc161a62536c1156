import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Code of failed exercises") struct TraceCodeTests {
    final class CartState: EmptyState {}
    final class PaidState: EmptyState {}
    struct Order: Workflow {
        static var initial: any WorkflowState { CartState() }
        let label = "pay"
        let pay = Event(from: CartState.self, to: PaidState.self)
    }

    @Test("The code fires the event, although another property has the text of its name")
    func otherProperty() {
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(Order.self, invariants: ["unpaid": { !($0.state is PaidState) }])
        }
        #expect(failure?.code.contains("machine.fire.pay(") == true)
    }
}
