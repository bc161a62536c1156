import Heraclitus

/// A download from idle to completed, through any number of interruptions.
struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }
    static var states: [any WorkflowState.Type] {
        [TimedOutState.self, StatusFailureState.self, WrappedFailureState.self]
    }

    let load = Event(from: IdleState.self, CancelledState.self, FailureState.self, to: LoadingState.self)
    let begin = Event(updating: LoadingState.self)
        .didFire { _, loading, _ in
            if loading.current.byteCount > 0 { print("going on at \(loading.current.amount)") }
        }
    let progress = Event(updating: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: CompletedState.self)
    let fail = Event(from: LoadingState.self, to: FailureState.self)
        .whenFailed { loading, error in FailureState.of(error, loading.part) }
    let cancel = Event(from: IdleState.self, LoadingState.self, to: CancelledState.self)
        .enters { CancelledState($0.part) }
}

/// The properties of every state; most states use the defaults.
protocol DownloadState: WorkflowState {
    /// The loaded part of the file.
    var part: Part? { get }
}

extension DownloadState {
    var part: Part? { nil }
}

/// A state that waits until the user loads again.
protocol EndedState: DownloadState {
    /// The message for the user, and the program's exit status.
    var verdict: (text: String, status: Int32) { get }
}

/// The data for continuing a file.
struct Part: Codable, Equatable {
    /// The source and target of the file.
    let origin: Origin

    /// The number of loaded bytes.
    var byteCount = 0

    /// The expected number of bytes; `nil` while it is unknown.
    var total: Int?

    /// The strong ETag that identifies this version of the file; `nil` if the download cannot be continued.
    var tag: String?

    /// Whether the rest can be loaded separately.
    var canGoOn: Bool { byteCount > 0 && tag != nil }

    /// The same, to go elsewhere.
    func going(by origin: Origin) -> Part { Part(origin: origin, byteCount: byteCount, total: total, tag: tag) }

    /// The loaded amount, in words.
    var amount: String { total.map { "\(byteCount) of \($0) bytes" } ?? "\(byteCount) bytes" }
}
