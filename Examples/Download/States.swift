import Foundation
import Heraclitus

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

final class IdleState: DownloadState, EmptyState {}

/// Loads the missing part while the machine is in this state, again after a kill of the program.
final class LoadingState: DownloadState, Working {
    let current: Part

    var part: Part? { current }

    private enum CodingKeys: String, CodingKey { case current = "part" }

    init(_ part: Part) { current = part }

    func work(_ call: WorkCall<Download>) async throws {
        let file = try File(of: current, for: call)
        let wanted = try file.reusable(current)
        if wanted.byteCount > 0, wanted.byteCount == wanted.total {
            // The program was killed before it could report that.
            try file.begin(wanted)
        } else {
            let transport: any Transport = wanted.origin.url.isFileURL ? FileTransport() : WebTransport()
            try await transport.load(wanted, into: file)
        }
        try file.finish()
    }

    func adding(_ byteCount: Int) -> LoadingState {
        var part = current
        part.byteCount += byteCount
        return LoadingState(part)
    }
}

final class CompletedState: EndedState {
    let byteCount: Int

    init(byteCount: Int) { self.byteCount = byteCount }

    var verdict: (text: String, status: Int32) { ("completed, \(byteCount) bytes", 0) }
}

/// Archives the loaded part, to continue later.
final class CancelledState: EndedState {
    let part: Part?

    init(_ part: Part?) { self.part = part }

    var verdict: (text: String, status: Int32) {
        let next = part?.canGoOn == true ? "goes on with it" : "begins anew"
        return ("cancelled\(part.map { " at \($0.amount)" } ?? ""); the same command \(next)", 130)
    }
}

/// A subclass describes the failure.
class FailureState: EndedState, @unchecked Sendable {
    // Unchecked because of subclasses; all properties are constants.

    let part: Part?

    init(_ part: Part?) { self.part = part }

    var reason: String { "something went wrong" }

    var verdict: (text: String, status: Int32) { ("failed: \(reason)", 1) }

    /// The state after an error of the work.
    static func of(_ error: any Error, _ part: Part?) -> FailureState {
        switch error {
        // The error of a builder of the next state.
        case let error as InvalidTransition where error.underlyingError != nil: of(error.underlyingError ?? error, part)
        case let error as URLError where error.code == .timedOut: TimedOutState(part)
        case let error as StatusError: StatusFailureState(error.status, part)
        default: WrappedFailureState(error, part)
        }
    }
}

final class TimedOutState: FailureState, @unchecked Sendable {
    override var reason: String { "nothing came for \(WebTransport.patience) seconds" }
}

final class StatusFailureState: FailureState, @unchecked Sendable {
    let status: Int

    init(_ status: Int, _ part: Part?) {
        self.status = status
        super.init(part)
    }

    override var reason: String {
        "the server says \(status), \(HTTPURLResponse.localizedString(forStatusCode: status).lowercased())"
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

/// Any other error, of which an archive has the description.
final class WrappedFailureState: FailureState, @unchecked Sendable {
    let error: any Error

    init(_ error: any Error, _ part: Part?) {
        self.error = error
        super.init(part)
    }

    override var reason: String { (error as? Archived)?.text ?? error.localizedDescription }

    /// An error of which only the description is left.
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
