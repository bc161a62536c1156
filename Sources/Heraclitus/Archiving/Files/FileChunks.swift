#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The content of a file, some of it at a time.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let path: String

    func makeAsyncIterator() -> Iterator { Iterator(path: path) }

    final class Iterator: AsyncIteratorProtocol {
        private static let size = 1 << 16

        private let path: String
        private var descriptor: Int32?

        init(path: String) { self.path = path }

        deinit { if let descriptor { close(descriptor) } }

        func next() async throws -> Data? { try await next(isolation: nil) }

        func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            let descriptor = try descriptor ?? opened()
            var chunk = Data(count: Self.size)
            while true {
                let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                switch count {
                case 0: return nil
                case 1...: return count == Self.size ? chunk : chunk.prefix(count)
                default: if errno != EINTR { throw ArchiveError.file(path) }
                }
            }
        }

        private func opened() throws(ArchiveError) -> Int32 {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .file(path) }
            self.descriptor = descriptor
            return descriptor
        }
    }
}
