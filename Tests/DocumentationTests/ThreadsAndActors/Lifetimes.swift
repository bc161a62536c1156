import Heraclitus
import Synchronization
import Testing

private final class WaitingState: EmptyState {}
private final class FailedState: EmptyState {}
private final class DoneState: EmptyState {}

private struct Job: Workflow {
    static var initial: any WorkflowState { WaitingState() }
    let finish = Event(from: WaitingState.self, to: DoneState.self)
    let fail = Event(from: WaitingState.self, to: FailedState.self)
    let retry = Event(from: FailedState.self, to: WaitingState.self)
}

private final class Controller: Sendable {
    let machine = StateMachine<Job>()

    init() {
        machine.onTransition { [weak self] transition in self?.show(transition) }
    }

    func show(_ transition: StateTransition) { print(transition) }
}

private final class Request: Sendable {
    private let machine: @Sendable () -> StateMachine<Job>?

    init(for machine: StateMachine<Job>?) { self.machine = { [weak machine] in machine } }

    func succeed() { try? machine()?.fire.finish() }
}

@Suite("Lifetimes") struct LifetimeArticleTests {
    @Test("A closure that gets the machine from the transition makes no cycle")
    func transitionsMachine() throws {
        weak var gone: StateMachine<Job>?
        do {
            let machine = StateMachine<Job>()
            machine.didEnter(FailedState.self) { _, transition in
                try? transition.machine(as: Job.self)?.fire.retry()
            }
            try machine.fire.fail()
            #expect(machine.state is WaitingState)
            gone = machine
        }
        #expect(gone == nil)
    }

    @Test("A controller and its machine are released together, and so are a request and its machine")
    func controller() throws {
        weak var goneController: Controller?
        weak var goneMachine: StateMachine<Job>?
        do {
            let controller = Controller()
            let request = Request(for: controller.machine)
            request.succeed()
            #expect(controller.machine.state is DoneState)
            (goneController, goneMachine) = (controller, controller.machine)
        }
        #expect(goneController == nil && goneMachine == nil)
    }

    @Test("A stream ends with its machine")
    func stream() async {
        var machine: StateMachine<Job>? = StateMachine<Job>()
        let states = machine?.states()
        machine = nil
        var names: [String] = []
        if let states { for await state in states { names.append(type(of: state).name) } }
        #expect(names == ["WaitingState"])  // what was buffered, and then the end
    }

    @Test("A task with a weak reference to the machine ends with it")
    func task() async throws {
        weak var gone: StateMachine<Job>?
        let task: Task<Void, any Error>
        do {
            let machine = StateMachine<Job>()
            let poll = Task { [weak machine] in
                while machine != nil, !Task.isCancelled {
                    if machine?.can.finish == true { try machine?.fire.finish() }
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            #expect(try await machine.wait(for: DoneState.self) === machine.state)
            (gone, task) = (machine, poll)
        }
        try await task.value
        #expect(gone == nil)
    }

    @Test("A task that reads a stream ends with the machine")
    func streamTask() async {
        weak var gone: StateMachine<Job>?
        let task: Task<Void, Never>
        do {
            let job = StateMachine<Job>()
            let transitions = job.transitions()
            let printing = Task { for await transition in transitions { print(transition) } }  // ends with the machine
            (gone, task) = (job, printing)
        }
        await task.value
        #expect(gone == nil)
    }

    @Test("A released machine runs no exit hook")
    func noExit() {
        let exits = Mutex(0)
        var machine: StateMachine<Job>? = StateMachine<Job>()
        machine?.willExit(WaitingState.self) { _, _ in exits.withLock { $0 += 1 } }
        machine?.activate()
        machine = nil
        #expect(exits.withLock { $0 } == 0)
    }

    @Test("A transition from a callback retains its machine; one from a stream, and an error, do not")
    func kept() async throws {
        weak var gone: StateMachine<Job>?
        let stored = Mutex<StateTransition?>(nil)
        var read: StateTransition?
        var error: InvalidTransition?
        do {
            let machine = StateMachine<Job>()
            gone = machine
            let transitions = machine.transitions()
            machine.onTransition { transition in stored.withLock { $0 = transition } }
            try machine.fire.finish()
            do throws(InvalidTransition) { try machine.fire.finish() } catch let rejection { error = rejection }
            for await transition in transitions {
                read = transition
                break
            }
        }
        #expect(gone != nil)
        stored.withLock { $0 = nil }
        #expect(gone == nil)
        #expect(read?.destination is DoneState && error?.source == "DoneState")
    }
}
