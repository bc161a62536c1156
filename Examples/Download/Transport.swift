import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A source of content.
protocol Transport: Sendable {
    /// Loads the missing rest of a part into a file, until the task is cancelled.
    func load(_ wanted: Part, into file: File) async throws
}

/// Content from a web server.
struct WebTransport: Transport {
    /// The time-out between two arrivals of data, in seconds: up to a day.
    static let patience =
        ProcessInfo.processInfo.environment["DOWNLOAD_PATIENCE"].flatMap(Int.init)
        .map { min(max($0, 1), 86_400) } ?? 30

    func load(_ wanted: Part, into file: File) async throws {
        let (transfer, end) = AsyncThrowingStream<Void, any Error>.makeStream()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = TimeInterval(Self.patience)
        let delegate = TransferDelegate(wanted, into: file, end)
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        // Invalidates the session in any case, because a session retains its delegate.
        end.onTermination = { _ in session.invalidateAndCancel() }
        session.dataTask(with: question(wanted)).resume()
        for try await _ in transfer {}
        try Task.checkCancellation()
    }

    private func question(_ wanted: Part) -> URLRequest {
        var question = URLRequest(url: wanted.origin.url, timeoutInterval: TimeInterval(Self.patience))
        // Counts bytes on arrival.
        question.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if wanted.canGoOn, let tag = wanted.tag {
            question.setValue("bytes=\(wanted.byteCount)-", forHTTPHeaderField: "Range")
            question.setValue(tag, forHTTPHeaderField: "If-Range")
        }
        return question
    }
}

/// Writes on the session's queue, so that the session waits for the file.
private final class TransferDelegate: NSObject, URLSessionDataDelegate {
    private let wanted: Part
    private let file: File

    /// Ends the transfer, once.
    private let end: AsyncThrowingStream<Void, any Error>.Continuation
    private let hasFailed = Atomic(false)

    init(_ wanted: Part, into file: File, _ end: AsyncThrowingStream<Void, any Error>.Continuation) {
        self.wanted = wanted
        self.file = file
        self.end = end
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(goOn { try begin(response) } ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        _ = goOn { try file.append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.finish(throwing: error)
    }

    /// Stops at the first error, because later content would leave a gap.
    private func goOn(_ body: () throws -> Void) -> Bool {
        guard !hasFailed.load(ordering: .relaxed) else { return false }
        do {
            try body()
            return true
        } catch {
            hasFailed.store(true, ordering: .relaxed)
            end.finish(throwing: error)
            return false
        }
    }

    private func begin(_ response: URLResponse) throws {
        guard let response = response as? HTTPURLResponse else { throw Refusal("that is no answer of a web server") }
        let tag = response.value(forHTTPHeaderField: "ETag")
        var part = Part(origin: wanted.origin)
        switch response.statusCode {
        case 206:
            // "bytes 500-999/1000"
            let range = response.value(forHTTPHeaderField: "Content-Range")?.wholeMatch(
                of: #/bytes (\d+)-\d+/(\d+|\*)/#
            )
            guard let range, wanted.canGoOn, Int(range.1) == wanted.byteCount else {
                throw Refusal("the server sends another part than was asked for")
            }
            part = wanted
            part.total = Int(range.2) ?? wanted.total
            guard tag ?? wanted.tag == wanted.tag, let total = part.total, total == wanted.total ?? total else {
                try beginAnew()
                throw Refusal("the file has changed; try again")
            }
        case 200, 203:
            part.total = response.expectedContentLength >= 0 ? Int(response.expectedContentLength) : nil
            let offersRanges = response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased() == "bytes"
            // A weak tag does not identify equal bytes.
            if let tag, offersRanges, !tag.hasPrefix("W/") { part.tag = tag }
        default:
            // The server has no content after the part, so the file became shorter.
            if response.statusCode == 416 { try beginAnew() }
            throw StatusError(status: response.statusCode)
        }
        try file.begin(part)
    }

    /// Drops a part that cannot be continued.
    private func beginAnew() throws { try file.begin(Part(origin: wanted.origin)) }
}

/// An HTTP status without content.
struct StatusError: Error {
    let status: Int
}

/// Content from a file.
struct FileTransport: Transport {
    func load(_ wanted: Part, into file: File) async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try copy(wanted, into: file) }) }
        }
    }

    /// Reads until the file refuses content because the state was left.
    private func copy(_ wanted: Part, into file: File) throws {
        let url = wanted.origin.url
        // The first step, because opening a pipe waits for its writer.
        let (size, tag) = try Self.version(of: url)
        let source = try FileHandle(forReadingFrom: url)
        let part = wanted.tag == tag ? wanted : Part(origin: wanted.origin, total: size, tag: tag)
        try source.seek(toOffset: UInt64(part.byteCount))
        try file.begin(part)
        while let data = try source.read(upToCount: 1 << 18), !data.isEmpty { try file.append(data) }
        guard try Self.version(of: url).tag == tag else {
            try file.begin(Part(origin: wanted.origin))
            throw Refusal("the file has changed; try again")
        }
    }

    /// The size of a file, and its version, which changes with each write.
    private static func version(of url: URL) throws -> (size: Int?, tag: String) {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        guard attributes[.type] as? FileAttributeType == .typeRegular else { throw Refusal("\(url.path) is no file") }
        let size = (attributes[.size] as? NSNumber)?.intValue
        let changed = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate
        return (size, "\(size ?? 0)-\(changed ?? 0)")
    }
}
