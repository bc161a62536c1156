import Heraclitus

/// The replay's own workflow, the first line of an archive: how far it has come.
struct ReplayProgress: Workflow {
    static var initial: any WorkflowState { ReadyState() }

    let begin = Event(from: ReadyState.self, to: ReadingState.self)
    let advance = Event(updating: ReadingState.self)
}

/// Nothing was read yet.
final class ReadyState: WorkflowState, EmptyState {}

/// Some lines were read.
final class ReadingState: WorkflowState {
    let progress: Progress

    init(_ progress: Progress) { self.progress = progress }
}

struct Progress: Codable, Sendable {
    /// How many lines are done.
    var lines = 0
    /// Where the next one begins, in bytes.
    var offset = 0
    /// The digest of the last line.
    var digest = ""
    /// How many runs of dpkg have begun.
    var process = 0
    var transitions = 0
    var repeats = 0
    var rejections = 0
    var notUnderstood = 0
    /// Actions that were announced for packages of which nothing else is known yet.
    var announced: [String: Action] = [:]
}
