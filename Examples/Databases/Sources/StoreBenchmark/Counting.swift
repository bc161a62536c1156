import Heraclitus

/// A workflow whose machines count.
struct Counting: Workflow {
    static var initial: any WorkflowState { CountState(0) }
    let count = Event(updating: CountState.self)
}

final class CountState: WorkflowState {
    let number: Int
    init(_ number: Int) { self.number = number }
}
