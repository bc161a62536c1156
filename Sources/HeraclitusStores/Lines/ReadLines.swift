import Heraclitus
import HeraclitusEssentials

/// The values of lines, which arrive in chunks.
struct ReadLines<Value: Sendable, Chunks: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Chunks.Element == Data {
    typealias Element = (number: Int, result: Result<Value, ArchiveError>)
    typealias Failure = any Error

    let chunks: Chunks
    let limit: Int
    let progress: (@Sendable (_ lines: Int, _ bytes: Int) -> Void)?
    let read: @Sendable (Data) -> Result<Value, ArchiveError>

    func makeAsyncIterator() -> Iterator {
        Iterator(chunks: chunks.makeAsyncIterator(), lines: LineBuffer(limit: limit), read: read, report: progress)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var chunks: Chunks.AsyncIterator
        fileprivate var lines: LineBuffer
        fileprivate let read: @Sendable (Data) -> Result<Value, ArchiveError>
        fileprivate let report: (@Sendable (_ lines: Int, _ bytes: Int) -> Void)?
        fileprivate var done = (lines: 0, bytes: 0)
        fileprivate var isAtEnd = false

        mutating func next() async throws -> Element? { try await next(isolation: nil) }

        // The method runs on the caller's actor. Switching actors for each line would take ten times as long.
        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            while true {
                while let line = lines.next() {
                    if let value = value(of: line) { return value }
                }
                guard !isAtEnd else { return nil }
                guard let chunk = try await chunks.next(isolation: actor) else {
                    isAtEnd = true
                    let last = lines.last().flatMap { value(of: $0) }
                    report?(done.lines, done.bytes)
                    return last
                }
                done.bytes += chunk.count
                lines.add(chunk)
                report?(done.lines, done.bytes)
            }
        }

        private mutating func value(of line: LineBuffer.Line) -> Element? {
            done.lines += 1
            let result: Result<Value, ArchiveError>
            switch line {
            case .blank: return nil
            case .tooLarge(let size): result = .failure(.tooLarge(size, limit: lines.limit))
            case .data(let data): result = read(data)
            }
            return (done.lines, result)
        }
    }
}
