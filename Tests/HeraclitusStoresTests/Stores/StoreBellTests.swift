import Foundation
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

    @Test("A second first reader waits until the bell is connected, because it would miss rings")
    func connected() async {
        let (begun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isConnected = Lock(false)
        let bell = StoreBell { _ in
            begun.signal()
            mayEnd.wait()
            isConnected.withLock { $0 = true }
        }
        Thread.detachNewThread { _ = bell.rings }
        let wasConnected = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                begun.wait()
                Thread.detachNewThread {
                    Thread.sleep(forTimeInterval: 0.1)
                    mayEnd.signal()
                }
                _ = bell.rings
                continuation.resume(returning: isConnected.withLock { $0 })
            }
        }
        #expect(wasConnected)
    }
}
