import Heraclitus
import Synchronization
import Testing

private struct TooManyAttempts: Error {}
private let attempts = Mutex<[Int]>([])
private protocol DownloadState: WorkflowState {}
private final class IdleState: DownloadState, EmptyState {}
extension LoadingState {
    convenience init(_ url: String) { self.init() }
    fileprivate func start(attempt: Int) { attempts.withLock { $0.append(attempt) } }
}

extension UserInfo.Key<Int> { static var attempt: Self { Self("attempt") } }

private final class LoadingState: DownloadState, Entering {
    func didEnter(_ transition: StateTransition) {
        start(attempt: transition.userInfo[.attempt] ?? 1)
    }
}

private struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }

    let load = Event(from: IdleState.self, to: LoadingState.self)
        .guarded { idle, loading, transition in
            if transition.userInfo[.attempt] == 4 { throw TooManyAttempts() }
        }
        .didFire { idle, loading, transition in print(transition) }
    let finish = Event(from: LoadingState.self, to: IdleState.self)
}

@MainActor private final class Screen {
    private var registrations: [Registration] = []

    init(_ machine: StateMachine<Download>) {
        registrations.append(machine.onTransition { [weak self] transition in self?.show(transition) })
    }

    deinit {
        for registration in registrations { registration.cancel() }
    }

    nonisolated func show(_ transition: StateTransition) { print(transition) }
}

@Suite("Adding hooks", .serialized) struct HookArticleTests {
    @Test("The article's hooks run")
    @MainActor func hooks() throws {
        let machine = StateMachine<Download>()
        let registration = machine.didEnter(LoadingState.self) { loading, transition in print("loading") }
        machine.didEnter((any DownloadState).self) { state, transition in print("in a state of a download") }
        registration.cancel()  // removes the first closure
        let screen = Screen(machine)
        try machine.fire.load(LoadingState(), userInfo: UserInfo((.attempt, 3)))
        #expect(attempts.withLock { $0.last } == 3)
        try machine.fire.finish()
        let error = #expect(throws: InvalidTransition.self) {
            try machine.fire.load(LoadingState(), userInfo: UserInfo((.attempt, 4)))
        }
        #expect(error?.underlyingError is TooManyAttempts)
        withExtendedLifetime(screen) {}
    }

    @Test("Work begins with a state that is entered or restored")
    func work() throws {
        let machine = StateMachine<Download>(resumingIn: LoadingState())
        let before = attempts.withLock { $0.count }
        let start = { @Sendable (loading: LoadingState, _: StateTransition) in loading.start(attempt: 1) }
        machine.didEnter(LoadingState.self, start)
        machine.didRestore(LoadingState.self, start)
        machine.activate()
        #expect(attempts.withLock { $0.count } == before + 1)
    }
}
