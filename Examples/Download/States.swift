import Foundation
import Heraclitus

final class IdleState: DownloadState, EmptyState {}

/// Only a download that is loading has a request, which lives as long as the state does and is not archived.
final class LoadingState: DownloadState, Entering, Restoring, ExitPreparing {
    private let current: Part
    private let request: Request

    var part: Part? { current }

    init(_ part: Part) {
        current = part
        request = Request(part)
    }

    /// The same with more loaded: the request goes on.
    private init(_ part: Part, by request: Request) {
        current = part
        self.request = request
    }

    func with(_ part: Part) -> LoadingState { LoadingState(part, by: request) }

    private enum CodingKeys: String, CodingKey { case part }

    convenience init(from decoder: any Decoder) throws {
        self.init(try decoder.container(keyedBy: CodingKeys.self).decode(Part.self, forKey: .part))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(current, forKey: .part)
    }

    func didEnter(_ transition: StateTransition) { request.open(for: transition.machine(as: Download.self)) }

    /// The program was killed while it was loading: the request is opened again.
    func didRestore(_ transition: StateTransition) { request.open(for: transition.machine(as: Download.self)) }

    func willExit(_ transition: StateTransition) {
        if transition.destination is CancelledState { request.cancel() }
    }
}

final class CompletedState: EndedState {
    let byteCount: Int

    init(byteCount: Int) { self.byteCount = byteCount }

    var verdict: (text: String, status: Int32) { ("completed, \(byteCount) bytes", 0) }
}

/// Keeps what there is, to go on with later.
final class CancelledState: EndedState {
    let part: Part?

    init(_ part: Part?) { self.part = part }

    var verdict: (text: String, status: Int32) {
        let next = part?.canGoOn == true ? "goes on with it" : "begins anew"
        return ("cancelled\(part.map { " at \($0.amount)" } ?? ""); the same command \(next)", 130)
    }
}

/// What went wrong is a subclass's to say.
class FailureState: EndedState, @unchecked Sendable {
    // Unchecked for its subclasses' sake: constants only.

    let part: Part?

    init(_ part: Part?) { self.part = part }

    var reason: String { "something went wrong" }

    var verdict: (text: String, status: Int32) { ("failed: \(reason)", 1) }
}

final class TimedOutState: FailureState, @unchecked Sendable {
    override var reason: String { "nothing came for \(Request.patience) seconds" }
}

final class StatusFailureState: FailureState, @unchecked Sendable {
    let status: Int

    init(_ status: Int, _ part: Part?) {
        self.status = status
        super.init(part)
    }

    override var reason: String {
        "the server says \(status), \(HTTPStatus.text(of: status))"
    }

    private enum CodingKeys: String, CodingKey { case status }

    required init(from decoder: any Decoder) throws {
        status = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .status)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try super.encode(to: encoder)
    }
}

/// Any error that somebody else has thrown; an archive keeps what it says.
final class WrappedFailureState: FailureState, @unchecked Sendable {
    let error: any Error

    init(_ error: any Error, _ part: Part?) {
        self.error = error
        super.init(part)
    }

    override var reason: String { (error as? Archived)?.text ?? error.localizedDescription }

    /// An error of which only the text is left.
    struct Archived: Error {
        let text: String
    }

    private enum CodingKeys: String, CodingKey { case error }

    required init(from decoder: any Decoder) throws {
        error = Archived(
            text: try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .error)
        )
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(reason, forKey: .error)
        try super.encode(to: encoder)
    }
}
