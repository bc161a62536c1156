import Heraclitus
import HeraclitusEssentials

/// The content of a file in chunks.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let path: String

    func makeAsyncIterator() -> Iterator { Iterator(path: path) }

    final class Iterator: AsyncIteratorProtocol {
        private let path: String
        private var file: SystemFile?

        init(path: String) { self.path = path }

        func next() async throws -> Data? { try await next(isolation: nil) }

        func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            if file == nil {
                file = try ArchiveError.of(path) { () throws(SystemError) in try SystemFile(path, for: .reading) }
            }
            let chunk = try file?.next(1 << 16) ?? Data()
            return chunk.isEmpty ? nil : chunk
        }
    }
}
