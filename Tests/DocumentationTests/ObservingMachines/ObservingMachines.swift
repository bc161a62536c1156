import Foundation
import Heraclitus
import Synchronization
import Testing

#if canImport(os)
    import os
#endif

private final class IdleState: EmptyState {}
private final class LoadingState: EmptyState {}

private struct Download: Workflow {
    static var initial: any WorkflowState { IdleState() }
    let load = Event(from: IdleState.self, to: LoadingState.self)
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

#if canImport(os)
    private func logWithSystem(_ machine: StateMachine<Download>, _ osLog: os.Logger) {
        let types: [Occurrence.Level: OSLogType] = [.debug: .debug, .info: .info, .notice: .default]
        machine.observe { occurrence in
            osLog.log(level: types[occurrence.level] ?? .error, "\(occurrence, privacy: .public)")
        }
    }
#endif

/// A logger with swift-log's names.
private final class Logger: Sendable {
    enum Level: String {
        case trace, debug, info, notice, warning, error, critical
    }

    let lines = Mutex<[String]>([])

    func log(level: Level, _ message: String) { lines.withLock { $0.append("\(level.rawValue) \(message)") } }
}

@Suite("Observing machines") struct ObservingArticleTests {
    @Test("A logger with swift-log's methods gets a line for each occurrence")
    func logger() throws {
        let machine = StateMachine<Download>()
        let logger = Logger()
        machine.observe { print("\($0.level): \($0)") }  // info: Download load: IdleState → LoadingState
        machine.observe { occurrence in
            logger.log(level: .init(rawValue: occurrence.level.rawValue)!, "\(occurrence)")
        }
        try machine.fire.load()
        #expect(logger.lines.withLock { $0 } == ["info Download load: IdleState → LoadingState"])
    }

    @Test("An audit log can be read later")
    func audit() throws {
        final class Audit: Sendable {
            let lines = Mutex<[Data]>([])
            func append(_ line: Data) { lines.withLock { $0.append(line) } }
        }
        let machine = StateMachine<Download>()
        let audit = Audit()
        machine.observe { occurrence in
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .archived  // ISO 8601
            if let line = try? encoder.encode(occurrence) { audit.append(line) }
        }
        #expect(throws: InvalidTransition.self) { try machine.fire.cancel() }
        let line = try #require(audit.lines.withLock { $0.first })
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .archived
        let occurrence = try decoder.decode(Occurrence.self, from: line)
        #expect(occurrence.kind == .rejected && occurrence.reason == "notAllowed" && occurrence.error == nil)
    }
}
