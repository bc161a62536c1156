import Heraclitus
import HeraclitusStores
import Testing

@Suite("The bell of a store", .timeLimit(.minutes(20))) struct StoreBellTests {
    @Test("The bell wakes all waiting tasks: after a ring, after a missed ring, and when cancelled")
    func bell() async throws {
        let bell = StoreBell()
        let waiting = (0..<3).map { _ in Task { await bell.wait(after: 0) } }
        bell.ring()
        for task in waiting { await task.value }
        #expect(bell.rings == 1)
        await bell.wait(after: 0)
        let cancelled = Task { await bell.wait(after: 1) }
        cancelled.cancel()
        await cancelled.value
        #expect(bell.rings == 1)
    }
}
