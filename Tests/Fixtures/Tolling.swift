import Heraclitus

/// A workflow each of whose states has an effect.
final class TollingState: WorkflowState, Effecting {
    let number: Int
    init(_ number: Int) { self.number = number }
    var effects: [any Effect] { number == 0 ? [] : [Toll(number: number)] }
}

struct Toll: Effect {
    let number: Int
}

struct Tolling: Workflow {
    static var initial: any WorkflowState { TollingState(0) }
    static var effects: [any Effect.Type] { [Toll.self] }
    let toll = Event(from: TollingState.self, to: TollingState.self)
}
