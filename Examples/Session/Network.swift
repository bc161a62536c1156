import Foundation
import Heraclitus

/// How a session reaches its server, and how patient it is: what its states need and archives do not keep.
struct Network: Sendable {
    /// The path of the server's socket.
    let path: String

    /// How long the server may be silent, in seconds.
    var patience = 5.0

    /// How often the session may fail in a row.
    var attempts = Int.max

    func call() throws -> Line { try Line(to: path) }

    func patienceEnds(from now: Date) -> Date { now + patience }

    /// How long to back off: twice as long each time, at most a minute, and a bit by chance.
    static let backOff = BackOff(first: .milliseconds(500), limit: .seconds(60), jitter: 0.5)

    /// The state after something has gone wrong.
    func setback(of online: any OnlineState, because error: any Error, at now: Date) -> any SessionState {
        let reason = error.localizedDescription
        if online.failures + 1 >= attempts || error is Gibberish { return FailedState(after: online, because: reason) }
        let until = Self.backOff.date(after: online.failures + 1, since: now)
        return BackingOffState(after: online, because: reason, until: until)
    }
}

/// What goes wrong, and may be well the next time.
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

/// What the server says, such as "17 Nature loves to hide".
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

/// Something that this client does not understand, and will not the next time.
struct Gibberish: LocalizedError {
    let words: String

    var errorDescription: String? { "the server says \"\(words)\", which makes no sense" }
}
