import Heraclitus
import HeraclitusEssentials

/// The machines of JSON lines.
struct ArchivedLines<W: Workflow, Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Chunks.Element == Data {
    typealias Element = NumberedLine<StateMachine<W>>
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

        mutating func next() async throws -> NumberedLine<StateMachine<W>>? { try await next(isolation: nil) }

        // The method runs on the caller's actor. Switching actors for each line would take ten times as long.
        mutating func next(isolation actor: isolated (any Actor)?) async throws -> NumberedLine<StateMachine<W>>? {
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

        private mutating func restored(_ line: LineBuffer.Line) -> NumberedLine<StateMachine<W>>? {
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
            return NumberedLine(number: progress.lines, result: result)
        }
    }
}
