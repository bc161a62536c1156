import Heraclitus

/// A download from idle to completed, however often it is interrupted.
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

/// What every state can be asked; only some have something to say.
protocol DownloadState: WorkflowState {
    /// What there is of the file so far.
    var part: Part? { get }
}

extension DownloadState {
    var part: Part? { nil }
}

/// A state in which nothing goes on until somebody loads again.
protocol EndedState: DownloadState {
    /// What is to be told, and what the program's exit status is to be.
    var verdict: (text: String, status: Int32) { get }
}

/// What it takes to go on with a file where it was left.
struct Part: Codable, Equatable {
    /// What is loaded.
    let origin: Origin

    /// How many bytes of it there are.
    var byteCount = 0

    /// How many there will be; `nil` as long as that is not known.
    var total: Int?

    /// What tells this version of the file from later ones, a strong ETag; `nil` where it cannot be gone on with.
    var tag: String?

    /// Whether more can be loaded where this ends.
    var canGoOn: Bool { byteCount > 0 && tag != nil }

    /// The same, to go elsewhere.
    func going(by origin: Origin) -> Part { Part(origin: origin, byteCount: byteCount, total: total, tag: tag) }

    /// How much there is of it, in words.
    var amount: String { total.map { "\(byteCount) of \($0) bytes" } ?? "\(byteCount) bytes" }
}
