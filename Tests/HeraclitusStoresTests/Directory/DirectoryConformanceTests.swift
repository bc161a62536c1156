import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@Suite("Promises of stores without a database") struct DirectoryConformanceTests {
    /// Folders that are removed with this object.
    private final class Folders: Sendable {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

        func next() -> URL { root.appendingPathComponent(UUID().uuidString) }

        deinit { try? FileManager.default.removeItem(at: root) }
    }

    @Test("A directory keeps every promise of stores", .timeLimit(.minutes(10)))
    func directory() async throws {
        let folders = Folders()
        #expect(try await StoreConformance.failures { try DirectoryStore(at: folders.next()) } == [])
    }

    @Test("A store with journals keeps every promise of its base store")
    func journaled() async throws {
        let folders = Folders()
        let log = JournalFile(at: folders.next())
        #expect(try await StoreConformance.failures { InMemoryStore().journaled(in: log) } == [])
    }

    @Test("A sealed store keeps every promise of its base store")
    func sealed() async throws {
        #expect(try await StoreConformance.failures { InMemoryStore().sealed(by: Seal()) } == [])
    }
}
