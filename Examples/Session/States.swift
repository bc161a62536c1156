import Foundation
import Heraclitus

final class DisconnectedState: RestingState {
    let heard: Int

    init(heard: Int) { self.heard = heard }

    var text: String { "disconnected" }
}

final class ConnectingState: OnlineState, Working {
    let heard: Int
    let failures: Int
    let until: Date

    init(after heard: Int, failures: Int = 0, until: Date) {
        self.heard = heard
        self.failures = failures
        self.until = until
    }

    func work(_ call: WorkCall<Session>) async throws {
        let line = try call.context.call()
        try line.say("after \(heard)")
        guard let answer = try await line.next() else { throw Trouble.hungUp }
        guard answer == "welcome" else { throw Gibberish(words: answer) }
        let until = call.context.patienceEnds(from: call.now)
        try call.fire.connected { ConnectedState(on: line, after: $0, until: until) }
    }

    var text: String { failures == 0 ? "connecting" : "connecting, attempt \(failures + 1)" }
}

final class ConnectedState: OnlineState, Working {
    let heard: Int
    let failures: Int
    let until: Date
    private let saying: Saying?
    private let line: Live<Line>

    init(on line: Line, after connecting: ConnectingState, until: Date) {
        heard = connecting.heard
        failures = connecting.failures
        self.until = until
        saying = nil
        self.line = Live(line)
    }

    /// The same state after a saying: the server works again, and the time-out restarts.
    private init(_ saying: Saying, on line: Live<Line>, until: Date) {
        heard = saying.number
        failures = 0
        self.until = until
        self.saying = saying
        self.line = line
    }

    func work(_ call: WorkCall<Session>) async throws {
        guard let line = line.value else { throw Trouble.ended }
        for try await words in line {
            let saying = try Saying(words)
            let until = call.context.patienceEnds(from: call.now)
            try call.fire.hear { ConnectedState(saying, on: $0.line, until: until) }
        }
        throw Trouble.hungUp
    }

    var text: String { saying.map { "\($0.number). \($0.text)" } ?? "connected" }
}

final class BackingOffState: SessionState {
    let heard: Int
    let failures: Int
    let reason: String
    let until: Date

    init(after online: any OnlineState, because reason: String, until: Date) {
        heard = online.heard
        failures = online.failures + 1
        self.reason = reason
        self.until = until
    }

    var text: String { "\(reason); again at \(clock(until))" }
}

final class FailedState: RestingState {
    let heard: Int
    let failures: Int
    let reason: String

    init(after online: any OnlineState, because reason: String) {
        heard = online.heard
        failures = online.failures + 1
        self.reason = reason
    }

    var text: String { "failed, attempt \(failures): \(reason)" }
}
