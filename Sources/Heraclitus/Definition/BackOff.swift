public import HeraclitusEssentials

/// The delays before retries: longer after each failure, up to a limit.
///
/// ```swift
/// let backOff = BackOff(first: .seconds(1), limit: .seconds(60))
///
/// let fail = Event(from: ConnectingState.self, to: BackingOffState.self).whenFailed()
///     .enters { connecting, call in
///         let failures = connecting.failures + 1
///         return BackingOffState(failures: failures, until: backOff.date(after: failures, since: call.now))
///     }
/// let retry = Event(from: BackingOffState.self, to: ConnectingState.self).due(\.until)
///     .enters { backingOff in ConnectingState(failures: backingOff.failures) }
/// ```
public struct BackOff: Hashable, Codable, Sendable {
    private let first: Duration
    private let factor: Double
    private let limit: Duration
    private let jitter: Double

    /// Makes a back-off.
    /// - Parameters:
    ///   - first: The delay after the first failure.
    ///   - factor: The factor by which each further failure multiplies the delay.
    ///   - limit: The longest delay.
    ///   - jitter: The largest random reduction of a delay, as a part from 0 to 1. The reduction spreads the retries of
    ///     clients that have failed together. A delay of 8 seconds with a jitter of 0.25 is between 6 and 8 seconds.
    public init(first: Duration, factor: Double = 2, limit: Duration = .seconds(600), jitter: Double = 0.25) {
        self.first = first
        self.factor = factor
        self.limit = limit
        self.jitter = jitter
    }

    /// The delay after a number of failures in a row.
    ///
    /// With a jitter the delay differs from call to call, and is wrong in `due(after:)`, which needs one answer.
    /// - Parameter failures: The number of failures, from 1.
    /// - Returns: The delay; zero or more.
    package func delay(after failures: Int) -> Duration {
        let longest = limit / .seconds(1)
        // The power of the factor by squares, in as many steps as the number has bits.
        var (power, square, rest) = (1.0, max(factor, 0), max(failures, 1) - 1)
        while rest > 0 {
            if rest & 1 == 1 { power *= square }
            square *= square
            rest >>= 1
        }
        // An infinite power of no time is no number, which `max` below turns into zero.
        let delay = min(min(first / .seconds(1), longest) * power, longest)
        let part = Double.random(in: 0...min(max(0, jitter), 1))
        return .seconds(max(0, delay) * (1 - part))
    }

    /// The date of the next attempt after a number of failures in a row, to keep in the state for `due(\.until)`.
    ///
    /// The jitter makes it differ from call to call.
    /// - Parameters:
    ///   - failures: The number of failures, from 1.
    ///   - date: The date of the last failure, such as ``MachineCall/now``.
    /// - Returns: The date.
    public func date(after failures: Int, since date: Date) -> Date { date + delay(after: failures) }
}
