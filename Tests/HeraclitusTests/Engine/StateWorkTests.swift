import Testing

@testable import Fixtures
@testable import Heraclitus

@Suite("Work of a state alone", .timeLimit(.minutes(20))) struct StateWorkTests {
    private struct Shop: Workflow {
        static var initial: any WorkflowState { OpenState(CallLog()) }
        let reopen = Event(from: OpenState.self, to: OpenState.self)
    }

    private final class OpenState: Working {
        let done: CallLog
        init(_ done: CallLog) { self.done = done }
        init(from decoder: any Decoder) throws { done = CallLog() }
        func encode(to encoder: any Encoder) throws {}
        func work(_ call: WorkCall<Shop>) async throws { done.write("done") }
    }

    private let machine = StateMachine<Shop>()
    private let done = CallLog()

    private func made() -> StateWork { StateWork(of: OpenState.self, OpenState(done), machine, .system, nil) }

    @Test("A wait for work in a cancelled task returns at once")
    func cancelledBefore() async {
        let work = made()
        let waiter = Task {
            try? await Task.sleep(for: .seconds(600))
            await work.wait()
        }
        waiter.cancel()
        await waiter.value
        #expect(work.isGoingOn)
    }

    @Test("A cancelled wait for work ends, and other waits continue")
    func cancelledMeanwhile() async {
        let work = made()
        let ended = CallLog()
        let waiters = (0..<3).map { _ in
            Task {
                await work.wait()
                ended.write("ended")
            }
        }
        await Task.yield()
        waiters[1].cancel()
        await waiters[1].value
        #expect(ended.entries == ["ended"])
        work.end()
        for waiter in waiters { await waiter.value }
    }

    @Test("Work ended before its turn does not run")
    func overBefore() async {
        let work = made()
        work.end()
        await work.runAsChild()
        #expect(done.entries.isEmpty && !work.isGoingOn)
        let other = made()
        await other.runAsChild()
        #expect(done.entries == ["done"])
    }

    @Test("Work ended between its task's start and its beginning does not run, and releases its state")
    func endedWhileStarting() async {
        await #expect(processExitsWith: .success) {
            let (machine, done) = (StateMachine<Shop>(), CallLog())
            try await onOwnThread {
                onBusyThreadsOfTasks {
                    weak var state: OpenState?
                    let work: StateWork
                    do {
                        let made = OpenState(done)
                        state = made
                        work = StateWork(of: OpenState.self, made, machine, .system, nil)
                    }
                    #expect(state != nil)
                    work.start()
                    work.end()
                    #expect(state == nil)
                }
            }
            // Leaves time for work that would begin.
            try await Task.sleep(for: .milliseconds(50))
            #expect(done.entries.isEmpty)
        }
    }

    @Test("Work that has not begun moves to the object that replaces its own")
    func moved() async {
        let work = made()
        let other = CallLog()
        #expect(work.move(to: OpenState(other)))
        await work.runAsChild()
        #expect(done.entries.isEmpty && other.entries == ["done"])
        #expect(!work.move(to: OpenState(done)))
        let ended = made()
        ended.end()
        #expect(ended.move(to: OpenState(other)))
        await ended.runAsChild()
        #expect(other.entries == ["done"])
        // The work never began, so a takeover is unnecessary.
        #expect(ended.move(to: OpenState(other)))
    }
}
