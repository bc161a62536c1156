import Foundation
import Heraclitus
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A way in which content comes.
protocol Transport: AnyObject, Sendable {
    /// Begins after what there is already, if that can be gone on with.
    func open(_ part: Part, for request: Request)

    func cancel()
}

/// Content from a web server.
final class WebTransport: NSObject, Transport, URLSessionDataDelegate {
    private let url: URL

    private struct Storage {
        var request: Request?
        var wanted: Part?
        var session: URLSession?
    }

    private let storage = Mutex(Storage())

    init(_ url: URL) { self.url = url }

    func open(_ part: Part, for request: Request) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = TimeInterval(Request.patience)
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        storage.withLock { $0 = Storage(request: request, wanted: part, session: session) }
        var question = URLRequest(url: url, timeoutInterval: TimeInterval(Request.patience))
        // Bytes are counted as they come.
        question.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if part.canGoOn, let tag = part.tag {
            question.setValue("bytes=\(part.byteCount)-", forHTTPHeaderField: "Range")
            question.setValue(tag, forHTTPHeaderField: "If-Range")
        }
        session.dataTask(with: question).resume()
    }

    func cancel() { end()?.session?.invalidateAndCancel() }

    /// Takes what there is, and hears nothing from then on.
    private func end() -> Storage? {
        storage.withLock { storage in
            defer { storage = Storage() }
            return storage
        }
    }

    private var current: (request: Request, wanted: Part)? {
        storage.withLock { storage in
            guard let request = storage.request, let wanted = storage.wanted else { return nil }
            return (request, wanted)
        }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let (request, wanted) = current, let response = response as? HTTPURLResponse else {
            return completionHandler(.cancel)
        }
        var part = Part(origin: wanted.origin)
        switch response.statusCode {
        case 206:
            // "bytes 500-999/1000"
            let range = response.value(forHTTPHeaderField: "Content-Range")?.wholeMatch(
                of: #/bytes (\d+)-\d+/(\d+|\*)/#
            )
            guard let range, wanted.canGoOn, Int(range.1) == wanted.byteCount else {
                request.fail { WrappedFailureState(Refusal("the server sends another part than was asked for"), $0) }
                return completionHandler(.cancel)
            }
            part = wanted
            part.total = Int(range.2) ?? wanted.total
            let tag = response.value(forHTTPHeaderField: "ETag") ?? part.tag
            guard tag == wanted.tag, part.total != nil, wanted.total == nil || part.total == wanted.total else {
                // What there is cannot be gone on with.
                let anew = Part(origin: wanted.origin)
                request.fail { _ in WrappedFailureState(Refusal("the file has changed; try again"), anew) }
                return completionHandler(.cancel)
            }
        case 200, 203:
            part.total = response.expectedContentLength >= 0 ? Int(response.expectedContentLength) : nil
            let tag = response.value(forHTTPHeaderField: "ETag")
            let offersRanges = response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased() == "bytes"
            // A weak tag does not promise the same bytes.
            if let tag, offersRanges, !tag.hasPrefix("W/") { part.tag = tag }
        default:
            let status = response.statusCode
            // There is nothing after what there is already: it has become shorter.
            let kept = status == 416 ? Part(origin: wanted.origin) : nil
            request.fail { StatusFailureState(status, kept ?? $0) }
            return completionHandler(.cancel)
        }
        request.begin(part)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        current?.request.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // A session keeps its delegate until it is told not to.
        defer { session.finishTasksAndInvalidate() }
        guard let request = current?.request else { return }
        switch error {
        case nil: request.finish()
        case let error as URLError where error.code == .timedOut: request.fail { TimedOutState($0) }
        case let error?: request.fail { WrappedFailureState(error, $0) }
        }
        _ = end()
    }
}

/// Content from a file.
final class FileTransport: Transport {
    private let url: URL
    private let isCancelled = Atomic(false)

    init(_ url: URL) { self.url = url }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    func open(_ wanted: Part, for request: Request) {
        DispatchQueue.global().async { [self] in
            do {
                // First: to open a pipe is to wait for somebody.
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: url.resolvingSymlinksInPath().path
                )
                guard attributes[.type] as? FileAttributeType == .typeRegular else {
                    throw Refusal("\(url.path) is no file")
                }
                let file = try FileHandle(forReadingFrom: url)
                let size = (attributes[.size] as? NSNumber)?.intValue
                let changed = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate
                let tag = "\(size ?? 0)-\(changed ?? 0)"
                let part = wanted.tag == tag ? wanted : Part(origin: wanted.origin, total: size, tag: tag)
                try file.seek(toOffset: UInt64(part.byteCount))
                request.begin(part)
                while !isCancelled.load(ordering: .relaxed) {
                    guard let data = try file.read(upToCount: 1 << 18), !data.isEmpty else { return request.finish() }
                    request.receive(data)
                }
            } catch {
                request.fail { WrappedFailureState(error, $0) }
            }
        }
    }
}

enum HTTPStatus {
    static func text(of status: Int) -> String { HTTPURLResponse.localizedString(forStatusCode: status).lowercased() }
}
