import Foundation
import Heraclitus

/// The connection settings and time-outs of a session.
///
/// States need them, and archives leave them out.
struct Network: Sendable {
    /// The path of the server's socket.
    let path: String

    /// The time-out for a silent server, in seconds.
    var patience = 5.0

    /// The limit of consecutive failures.
    var attempts = Int.max

    func call() throws -> Line { try Line(to: path) }

    func patienceEnds(from now: Date) -> Date { now + patience }

    /// The back-off: doubled after each failure up to a minute, plus a random part.
    static let backOff = BackOff(first: .milliseconds(500), limit: .seconds(60), jitter: 0.5)

    /// The state after a failure.
    func setback(of online: any OnlineState, because error: any Error, at now: Date) -> any SessionState {
        let reason = error.localizedDescription
        if online.failures + 1 >= attempts || error is Gibberish { return FailedState(after: online, because: reason) }
        let until = Self.backOff.date(after: online.failures + 1, since: now)
        return BackingOffState(after: online, because: reason, until: until)
    }
}

/// A failure that a retry may overcome.
enum Trouble: LocalizedError {
    case hungUp
    case ended
    case silence(TimeInterval)

    var errorDescription: String? {
        switch self {
        case .hungUp: "the server has hung up"
        case .ended: "the connection has ended with the program that had it"
        case .silence(let seconds): "nothing came for \(seconds.formatted()) seconds"
        }
    }
}

/// A message of the server, such as "17 Nature loves to hide".
struct Saying: Codable {
    let number: Int
    let text: String

    init(_ words: String) throws {
        guard let match = words.wholeMatch(of: #/(\d+) (.+)/#), let number = Int(match.1) else {
            throw Gibberish(words: words)
        }
        self.number = number
        text = String(match.2)
    }
}

/// A message that this client does not understand, now or after a retry.
struct Gibberish: LocalizedError {
    let words: String

    var errorDescription: String? { "the server says \"\(words)\", which makes no sense" }
}
