import Foundation
import Heraclitus
import HeraclitusFoundation
import Synchronization
import Testing

@Suite("Migrating from RKOperationStateMachine") struct OperationArticleTests {
    @Test("Both operations run their bodies")
    func bodies() {
        let done = Mutex<[String]>([])
        let (image, url) = ("image", "url")
        @Sendable func resize(_ image: String) throws { done.withLock { $0.append(image) } }
        @Sendable func download(_ url: String) async throws { done.withLock { $0.append(url) } }
        let queue = OperationQueue()
        queue.addOperation(StateMachineOperation { try resize(image) })
        queue.addOperation(AsyncStateMachineOperation { try await download(url) })
        queue.waitUntilAllOperationsAreFinished()
        #expect(done.withLock { $0.sorted() } == ["image", "url"])
    }
}
