import Heraclitus
import Testing

/// The README's program without any `nonisolated`: its states conform to `WorkflowState` directly.
private enum FirstProgram {
    // A state is a class with the data that it needs.
    final class IdleState: EmptyState {}
    final class LoadingState: WorkflowState {
        let url: String
        init(url: String) { self.url = url }
    }
    final class LoadedState: WorkflowState {
        let byteCount: Int
        init(byteCount: Int) { self.byteCount = byteCount }
    }

    // An event leads from one or more states to a state.
    struct Download: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let load = Event(from: IdleState.self, LoadedState.self, to: LoadingState.self)
        let finish = Event(from: LoadingState.self, to: LoadedState.self)
        let cancel = Event(from: LoadingState.self, to: IdleState.self)
    }
}

@Suite("The README's program on the main actor") struct ReadmeTests {
    @Test("The README's program compiles unchanged, and runs on the main actor")
    func program() throws {
        let machine = StateMachine<FirstProgram.Download>()
        try machine.fire.load(FirstProgram.LoadingState(url: "https://example.org"))
        let restored = try StateMachine<FirstProgram.Download>(archive: machine.archive())
        try restored.fire.finish(FirstProgram.LoadedState(byteCount: 1256))
        #expect("\(restored)" == "Download in LoadedState, revision 2")
    }
}
