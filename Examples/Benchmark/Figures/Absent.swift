import Heraclitus

// Figures of hooks, closures and observers that are not there.

extension Figure {
    static var absent: [Figure] {
        [
            nothing("hooks of other states, other events and the past", machineThatHadHooks()),
            nothing("observers, streams and Observation of the past", machineThatWasObserved()),
        ]
    }

    /// A machine that has had something, against one of a workflow that never had anything.
    private static func nothing<W: ToggleWorkflow>(_ name: String, _ machine: StateMachine<W>) -> Figure {
        Figure(
            name: name,
            unit: "ns",
            goal: withinNoise,
            ours: toggling(machine),
            limit: toggling(StateMachine<PlainToggle>()),
            remark: "against one that never had any"
        )
    }

    private static func machineThatHadHooks() -> StateMachine<HookedToggle> {
        let machine = StateMachine<HookedToggle>()
        machine.onTransition { keep($0.isUpdate) }.cancel()
        machine.didEnter(OnState.self) {
            keep($0)
            keep($1.isUpdate)
        }.cancel()
        machine.guarded(\.flip) { keep($2.isUpdate) }.cancel()
        return machine
    }

    /// One that was observed in every way, and is not any more.
    private static func machineThatWasObserved() -> StateMachine<PlainToggle> {
        let machine = StateMachine<PlainToggle>()
        machine.observe { keep("\($0)".isEmpty) }.cancel()
        machine.observe { keep($0.message.isEmpty) }.cancel()
        _ = machine.transitions
        _ = machine.states(buffering: .bufferingNewest(1))
        // On the main thread, where all figures are taken.
        MainActor.assumeIsolated { _ = ObservableMachine(machine) }
        return machine
    }

    private static func toggling<W: ToggleWorkflow>(_ machine: StateMachine<W>) -> Side {
        W.toggling(machine)
    }
}

private protocol ToggleWorkflow: Workflow {
    static func toggling(_ machine: StateMachine<Self>) -> Figure.Side
}

private final class OnState: WorkflowState, EmptyState {}
private final class OffState: WorkflowState, EmptyState {}

/// Leaves and enters states that have no hooks, by events that have none.
private struct PlainToggle: ToggleWorkflow {
    static var initial: any WorkflowState { OffState() }

    let flip = Event(from: OffState.self, to: OnState.self)
    let flop = Event(from: OnState.self, to: OffState.self)

    static func toggling(_ machine: StateMachine<Self>) -> Figure.Side {
        perOperation(of: 2) { rounds in
            do {
                for _ in 0..<rounds {
                    try machine.fire.flip()
                    try machine.fire.flop()
                }
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }
}

/// The same, beside a state and an event that have all there are.
private struct HookedToggle: ToggleWorkflow {
    static var initial: any WorkflowState { OffState() }

    let flip = Event(from: OffState.self, to: OnState.self)
    let flop = Event(from: OnState.self, to: OffState.self)
    let smash = Event(to: BrokenState.self)
        .guarded { keep($2.isUpdate) }
        .willFire { keep($2.isUpdate) }
        .didFire { keep($2.isUpdate) }

    static func toggling(_ machine: StateMachine<Self>) -> Figure.Side {
        perOperation(of: 2) { rounds in
            do {
                for _ in 0..<rounds {
                    try machine.fire.flip()
                    try machine.fire.flop()
                }
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }
}

private final class BrokenState: WorkflowState, EmptyState, EntryGuarding, EntryPreparing, Entering, ExitGuarding,
    ExitPreparing, Exiting
{
    func shouldEnter(_ transition: StateTransition) throws { keep(transition.isUpdate) }
    func willEnter(_ transition: StateTransition) { keep(transition.isUpdate) }
    func didEnter(_ transition: StateTransition) { keep(transition.isUpdate) }
    func shouldExit(_ transition: StateTransition) throws { keep(transition.isUpdate) }
    func willExit(_ transition: StateTransition) { keep(transition.isUpdate) }
    func didExit(_ transition: StateTransition) { keep(transition.isUpdate) }
}
