import Foundation
import Heraclitus
import HeraclitusStores

/// A store and its folder, which is removed with this object.
final class StorePlace: Sendable {
    let store: any ArchiveStore
    let folder: URL?

    init(_ kind: String) throws {
        if kind == "directory" {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            self.folder = folder
            store = try DirectoryStore(at: folder)
        } else {
            folder = nil
            store = InMemoryStore()
        }
    }

    deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

    var files: [String] {
        get throws {
            guard let folder else { return [] }
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != ".store" }
                .sorted()
        }
    }
}
