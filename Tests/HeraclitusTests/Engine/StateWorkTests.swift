import Testing

@testable import Heraclitus

@Suite("Work by itself", .timeLimit(.minutes(20))) struct StateWorkTests {
    private let machine = StateMachine<Door>()

    @Test("Who waits for work in a task that is cancelled already does not wait")
    func cancelledBefore() async {
        let work = StateWork(of: machine)
        let waiter = Task {
            try? await Task.sleep(for: .seconds(600))
            await work.wait()
        }
        waiter.cancel()
        await waiter.value
        #expect(work.isGoingOn)
    }

    @Test("Who waits for work and is cancelled waits no longer, and the others go on waiting")
    func cancelledMeanwhile() async {
        let work = StateWork(of: machine)
        let ended = Journal()
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

    @Test("Work that counts no longer when its turn comes is not done")
    func overBefore() async {
        let work = StateWork(of: machine)
        let done = Journal()
        work.end()
        await work.runAsChild {
            done.write("done")
            return nil
        }
        #expect(done.entries.isEmpty && !work.isGoingOn)
    }
}
