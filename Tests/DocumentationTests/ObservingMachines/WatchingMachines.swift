import Foundation
import Heraclitus
import Synchronization
import Testing

#if canImport(Logging)
    import Logging
#endif
#if canImport(Metrics)
    import Metrics
#endif
#if canImport(Tracing)
    import Tracing
#endif
#if canImport(os)
    import os
#endif
#if canImport(SwiftUI)
    import SwiftUI
#endif

private final class IdleState: EmptyState {}
private final class LoadingState: EmptyState {}

private struct Download: Workflow {
    static var initial: any WorkflowState { IdleState() }
    let load = Event(from: IdleState.self, to: LoadingState.self)
    let again = Event(updating: LoadingState.self)
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

// MARK: - Stand-ins for packages

/// The calls of the backends, in order.
private let told = Mutex<[String]>([])

private func tell(_ line: String) { told.withLock { $0.append(line) } }

#if !canImport(Logging)
    /// A logger with swift-log's declarations.
    private struct Logger: Sendable {
        enum Level: String {
            case trace, debug, info, notice, warning, error, critical
        }
        typealias Metadata = [String: MetadataValue]
        struct MetadataValue: ExpressibleByStringInterpolation, CustomStringConvertible {
            let description: String
            init(stringLiteral value: String) { description = value }
        }
        typealias Message = MetadataValue

        func log(level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {
            let metadata = (metadata() ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            tell("\(level) \(message()) \(metadata)")
        }
    }
#endif

#if !canImport(Metrics)
    /// A counter with swift-metrics' declarations.
    private final class Counter {
        private let name: String
        init(label: String, dimensions: [(String, String)] = []) {
            name = label + dimensions.map { " \($0)=\($1)" }.joined()
        }
        func increment() { tell(name) }
    }

    /// A timer with swift-metrics' declarations.
    private final class Timer {
        private let name: String
        init(label: String, dimensions: [(String, String)] = []) {
            name = label + dimensions.map { " \($0)=\($1)" }.joined()
        }
        func recordNanoseconds(_ duration: Int64) { tell("\(name) \(duration > 0)") }
    }
#endif

#if !canImport(Tracing)
    /// A span with swift-distributed-tracing's declarations.
    private protocol Span: AnyObject, Sendable {
        var attributes: SpanAttributes { get set }
        func addEvent(_ event: SpanEvent)
        func end()
    }

    private struct SpanAttributes: Sendable {
        var values: [String: String] = [:]
        subscript(name: String) -> String? {
            get { values[name] }
            set { values[name] = newValue }
        }
    }

    private struct SpanEvent {
        let name: String
    }

    private final class ToldSpan: Span {
        private let name: String
        private let stored = Mutex(SpanAttributes())
        init(_ name: String) { self.name = name }
        var attributes: SpanAttributes {
            get { stored.withLock { $0 } }
            set { stored.withLock { $0 = newValue } }
        }
        func addEvent(_ event: SpanEvent) { tell("\(name): \(event.name)") }
        func end() { tell("\(name) ends \(attributes.values)") }
    }

    private func startSpan(_ name: String) -> any Span {
        tell("\(name) begins")
        return ToldSpan(name)
    }
#endif

// MARK: - The recipes

private func log<W>(_ machine: StateMachine<W>, as id: String, to logger: Logger) -> Registration {
    machine.observe { occurrence in
        let entered = occurrence.kind == .transitioned ? occurrence.destination : nil
        var metadata: Logger.Metadata = ["id": "\(id)", "state": "\(entered ?? occurrence.source)"]
        if let event = occurrence.event { metadata["event"] = "\(event)" }
        if let reason = occurrence.reason { metadata["reason"] = "\(reason)" }
        let level = Logger.Level(rawValue: occurrence.level.rawValue) ?? .error
        logger.log(level: level, "\(occurrence)", metadata: metadata)
    }
}

#if canImport(os)
    private func log<W>(_ machine: StateMachine<W>, to logger: os.Logger) -> Registration {
        let types: [Occurrence.Level: OSLogType] = [.debug: .debug, .info: .info, .notice: .default]
        return machine.observe { occurrence in
            logger.log(level: types[occurrence.level] ?? .error, "\(occurrence, privacy: .public)")
        }
    }
#endif

private func measure<W>(_ machine: StateMachine<W>) -> Registration {
    let entered = Mutex(ContinuousClock.now)
    return machine.observe { occurrence in
        let event = occurrence.event ?? ""
        switch occurrence.kind {
        case .transitioned:
            let now = ContinuousClock.now
            let stay = entered.withLock { entered in
                defer { if !occurrence.isUpdate { entered = now } }
                return now - entered
            }
            let names = [("workflow", occurrence.workflow), ("event", event), ("state", occurrence.source)]
            Counter(label: "transitions", dimensions: names).increment()
            if occurrence.isUpdate { return }
            Timer(label: "stays", dimensions: names).recordNanoseconds(Int64(stay / .nanoseconds(1)))
        case .rejected:
            let names = [("event", event), ("reason", occurrence.reason ?? "")]
            Counter(label: "rejections", dimensions: names).increment()
        default: break
        }
    }
}

private func trace<W>(_ machine: StateMachine<W>) -> Registration {
    let current = Mutex<any Span>(startSpan(machine.stateName))
    return machine.observe { occurrence in
        current.withLock { span in
            switch occurrence.kind {
            case .transitioned where !occurrence.isUpdate:
                span.attributes["left by"] = occurrence.event
                span.end()
                span = startSpan(occurrence.destination ?? "")
            case .rejected: span.addEvent(SpanEvent(name: "\(occurrence)"))
            default: break
            }
        }
    }
}

#if canImport(SwiftUI)
    struct DownloadView: View {
        @State private var download = ObservableMachine(StateMachine<Download>())
        @State private var problem: String?

        var body: some View {
            Text(download.stateName)
            Button("Load") { fire { try download.load() } }.disabled(!download.can.load)
            Button("Cancel") { fire { try download.cancel() } }.disabled(!download.can.cancel)
            if let problem { Text(problem) }
        }

        private func fire(_ body: () throws -> Void) {
            do {
                problem = nil
                try body()
            } catch {
                problem = (error as? InvalidTransition)?.failureReason
            }
        }
    }
#endif

@MainActor @Suite("Words for people") struct WordsForPeopleTests {
    private struct TooEarly: LocalizedError { var errorDescription: String? { "Please wait a moment." } }

    @Test("The view of the article shows the text of the guard that declines")
    func failureReason() {
        let download = ObservableMachine(StateMachine<Download>())
        var problem: String?
        func fire(_ body: () throws -> Void) {
            do {
                problem = nil
                try body()
            } catch {
                problem = (error as? InvalidTransition)?.failureReason
            }
        }
        fire { try download.load() }
        #expect(problem == nil)
        download.machine.guarded(\.cancel) { _, _, _ in throw TooEarly() }
        fire { try download.cancel() }
        #expect(problem == "Please wait a moment.")
    }
}

// MARK: -

#if !canImport(Logging) && !canImport(Metrics) && !canImport(Tracing)
    @Suite("Watching machines", .serialized) struct WatchingArticleTests {
        private static func happen(_ watch: (StateMachine<Download>) -> Registration) throws -> [String] {
            told.withLock { $0 = [] }
            let machine = StateMachine<Download>()
            let registration = watch(machine)
            _ = try? machine.fire.cancel()
            try machine.fire.load()
            try machine.fire.again()
            try machine.fire.cancel()
            registration.cancel()
            try machine.fire.load()
            return told.withLock { $0 }
        }

        @Test("A logger of swift-log gets a line for each occurrence, with its metadata")
        func logging() throws {
            let lines = try Self.happen { log($0, as: "42", to: Logger()) }
            #expect(lines.count == 4 && lines[0].hasPrefix("warning Download cannot fire \"cancel\" in IdleState"))
            #expect(lines[0].hasSuffix(" event=cancel id=42 reason=notAllowed state=IdleState"))
            #expect(lines[1] == "info Download load: IdleState → LoadingState event=load id=42 state=LoadingState")
        }

        @Test("Counters and timers of swift-metrics get transitions, rejections and stays")
        func metrics() throws {
            let names = "workflow=Download event=load state=IdleState"
            let left = "workflow=Download event=cancel state=LoadingState"
            #expect(
                try Self.happen { measure($0) } == [
                    "rejections event=cancel reason=notAllowed", "transitions \(names)", "stays \(names) true",
                    "transitions workflow=Download event=again state=LoadingState", "transitions \(left)",
                    "stays \(left) true",
                ]
            )
        }

        @Test("Each stay in a state is a span")
        func tracing() throws {
            let lines = try Self.happen { trace($0) }
            #expect(
                lines.count == 6 && lines[0] == "IdleState begins" && lines[1].hasPrefix("IdleState: Download cannot")
            )
            #expect(
                lines.suffix(4) == [
                    "IdleState ends [\"left by\": \"load\"]", "LoadingState begins",
                    "LoadingState ends [\"left by\": \"cancel\"]", "IdleState begins",
                ]
            )
        }
    }
#endif
