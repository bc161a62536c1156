import Foundation
import Heraclitus
import HeraclitusFoundation
import Synchronization
import Testing

@Suite("Migrating from RKOperationStateMachine") struct OperationArticleTests {
    @Test("Both operations run their bodies")
    func bodies() async {
        let done = Mutex<[String]>([])
        let (image, url) = ("image", "url")
        @Sendable func resize(_ image: String) throws { done.withLock { $0.append(image) } }
        @Sendable func download(_ url: String) async throws { done.withLock { $0.append(url) } }
        let queue = OperationQueue()
        queue.addOperation(StateMachineOperation { try resize(image) })
        queue.addOperation(AsyncStateMachineOperation { try await download(url) })
        // A blocking wait would take a thread of the pool, which the asynchronous body may need.
        await withCheckedContinuation { queue.addBarrierBlock($0.resume) }
        #expect(done.withLock { $0.sorted() } == ["image", "url"])
    }
}
