import Heraclitus

/// The replay's own workflow, which is the first line of an archive: its progress.
struct ReplayProgress: Workflow {
    static var initial: any WorkflowState { ReadyState() }

    let read = Event(from: ReadyState.self, to: ReadingState.self)
}

/// Nothing was read yet.
final class ReadyState: WorkflowState, EmptyState {}

/// Some lines were read.
final class ReadingState: WorkflowState {
    let progress: Progress

    init(_ progress: Progress) { self.progress = progress }
}

struct Progress: Codable, Sendable {
    /// The number of replayed lines of all logs.
    var lines = 0
    /// Where the next one begins.
    var position = LogPosition()
    /// The current run of dpkg.
    var run = Run()
    /// The package, without its architecture, that dpkg is about to unpack.
    private(set) var preparing: String?
    var transitions = 0
    var repeats = 0
    var rejections = 0
    var notUnderstood = 0
    /// The number of holes: NUL bytes left by a power cut.
    var holes = 0

    /// Whether the counts are plausible and can be increased; damaged archives fail this check.
    var isPossible: Bool {
        [
            lines, position.lines, position.offset, run.number, transitions, repeats, rejections, notUnderstood, holes,
        ].allSatisfy { (0..<Int.max / 2).contains($0) }
    }

    mutating func begin(_ purpose: Run.Purpose) {
        run = Run(number: run.number + 1, purpose: purpose)
        preparing = nil
    }

    mutating func prepare(_ package: Substring?) {
        guard package != nil || preparing != nil else { return }
        preparing = package.map(String.init)
        run.isPreparing = package != nil
    }
}

/// How far a log was read.
struct LogPosition: Codable, Sendable {
    /// How many of its lines.
    var lines = 0
    /// How many of its bytes.
    var offset = 0
    /// The digest of the last line.
    var digest = ""
    /// The time of the last line with a time.
    var time = Timestamp()
}
