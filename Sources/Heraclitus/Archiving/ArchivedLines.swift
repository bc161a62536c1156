#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The machines of JSON lines.
struct ArchivedLines<W: Workflow, Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Chunks.Element == Data {
    typealias Element = Archive.Line<W>
    typealias Failure = any Error

    let chunks: Chunks
    let context: GivenContext?
    let limit: Int
    let progress: (@Sendable (Archive.Progress) -> Void)?

    func makeAsyncIterator() -> Iterator {
        Iterator(chunks: chunks.makeAsyncIterator(), LineBuffer(limit: limit), context, report: progress)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: Chunks.AsyncIterator
        fileprivate var lines: LineBuffer
        private let context: GivenContext?
        fileprivate let report: (@Sendable (Archive.Progress) -> Void)?
        private var progress = Archive.Progress()
        private var isAtEnd = false

        fileprivate init(
            chunks: Chunks.AsyncIterator,
            _ lines: LineBuffer,
            _ context: GivenContext?,
            report: (@Sendable (Archive.Progress) -> Void)?
        ) {
            self.chunks = chunks
            self.lines = lines
            self.context = context
            self.report = report
        }

        mutating func next() async throws -> Archive.Line<W>? { try await next(isolation: nil) }

        // On the caller's actor: to change to another one and back for each line would take ten times as long.
        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Archive.Line<W>? {
            while true {
                while let line = lines.next() {
                    progress.lines += 1
                    if let restored = restored(line) { return restored }
                }
                guard !isAtEnd else { return nil }
                guard let chunk = try await chunks.next(isolation: actor) else {
                    isAtEnd = true
                    let last = lines.last().flatMap { line in
                        progress.lines += 1
                        return restored(line)
                    }
                    report?(progress)
                    return last
                }
                progress.bytes += chunk.count
                lines.add(chunk)
                report?(progress)
            }
        }

        private mutating func restored(_ line: LineBuffer.Line) -> Archive.Line<W>? {
            let result: Result<StateMachine<W>, ArchiveError>
            switch line {
            case .blank: return nil
            case .tooLarge(let size): result = .failure(.tooLarge(size, limit: lines.limit))
            case .data(let data):
                let (limit, context) = (lines.limit, context)
                result = Result { () throws(ArchiveError) in
                    try StateMachine<W>(data, limit: limit, .system, context)
                }
            }
            if case .failure = result { progress.brokenLines += 1 }
            return Archive.Line(number: progress.lines, result: result)
        }
    }
}

/// Cuts chunks into lines and keeps no more than one of them that is not complete, and that only up to a limit.
private struct LineBuffer {
    enum Line {
        case blank
        case data(Data)
        case tooLarge(Int)
    }

    let limit: Int
    private var chunk = Data()
    private var rest = Data()

    /// How many bytes of the line that is not complete were let go.
    private var dropped = 0

    init(limit: Int) { self.limit = limit }

    /// Adds a chunk when all lines were taken out.
    mutating func add(_ more: Data) { chunk = more }

    /// The next complete line.
    mutating func next() -> Line? {
        guard let end = chunk.firstIndex(of: UInt8(ascii: "\n")) else {
            keep(chunk)
            chunk = Data()
            return nil
        }
        let piece = chunk[..<end]
        chunk = chunk[(end + 1)...]
        keep(piece)
        return taken()
    }

    /// What follows the last line break.
    mutating func last() -> Line? { rest.isEmpty && dropped == 0 ? nil : taken() }

    private mutating func keep(_ piece: Data) {
        if dropped > 0 || rest.count + piece.count > limit {
            dropped += rest.count + piece.count
            rest = Data()
        } else if rest.isEmpty {
            rest = piece
        } else {
            rest.append(piece)
        }
    }

    private mutating func taken() -> Line {
        defer { (rest, dropped) = (Data(), 0) }
        if dropped > 0 { return .tooLarge(dropped) }
        return rest.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } ? .blank : .data(rest)
    }
}
