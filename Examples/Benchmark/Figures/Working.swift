import Dispatch
import Heraclitus
import Synchronization

// A figure of a state with work.

extension Figure {
    static var working: [Figure] {
        [
            Figure(
                name: "entering a state that works, and leaving it",
                unit: "ns",
                goal: 1.2,
                ours: toAndFro(StateMachine<Shop>()) { machine in
                    try machine.fire.open()
                    try machine.fire.close()
                },
                limit: toAndFro(StateMachine<ShopByHand>()) { machine in
                    try machine.fire.open()
                    try machine.fire.close()
                },
                remark: "against `Task {}` and `cancel()` in hooks"
            )
        ]
    }

    private static func toAndFro<W: Workflow>(
        _ machine: StateMachine<W>,
        _ round: @escaping (StateMachine<W>) throws -> Void
    ) -> Side {
        perOperation { rounds in
            do {
                for _ in 0..<rounds { try round(machine) }
            } catch {
                preconditionFailure("\(error)")
            }
            waitForTasks()
        }
    }

    /// Waits until the tasks have begun, so that few of them run beside the other side's sample.
    ///
    /// The pool starts tasks of one priority in order.
    private static func waitForTasks() {
        let tasks = DispatchGroup()
        for _ in 0..<2 { tasks.enter() }
        Task { tasks.leave() }
        Task.detached { tasks.leave() }
        tasks.wait()
    }
}

private final class ClosedState: WorkflowState, EmptyState {}

private final class OpenState: WorkflowState, EmptyState, Working {
    func work(_ call: WorkCall<Shop>) async throws {}
}

private struct Shop: Workflow {
    static var initial: any WorkflowState { ClosedState() }
    let open = Event(from: ClosedState.self, to: OpenState.self)
    let close = Event(from: OpenState.self, to: ClosedState.self)
}

private final class OpenByHandState: WorkflowState, EmptyState, Entering, Exiting {
    private let task = Mutex<Task<Void, any Error>?>(nil)

    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws {}

    func didEnter(_ transition: StateTransition) {
        let new = Task { try await self.work() }
        task.withLock { $0 = new }
    }

    func didExit(_ transition: StateTransition) { task.withLock { $0 }?.cancel() }

    private func work() async throws {}
}

private struct ShopByHand: Workflow {
    static var initial: any WorkflowState { ClosedState() }
    let open = Event(from: ClosedState.self, to: OpenByHandState.self)
    let close = Event(from: OpenByHandState.self, to: ClosedState.self)
}
