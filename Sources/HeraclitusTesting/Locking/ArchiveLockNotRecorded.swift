public import Foundation

/// What today's version of a workflow stores was not recorded yet, or not all of it.
public struct ArchiveLockNotRecorded: Error, Equatable {
    /// The file.
    public let file: URL

    /// The states that it did not have.
    public let states: [String]

    /// The keys of data that it did not have, each after the name of its state, such as `CartState.coupon`.
    public let keys: [String]

    /// The names of the events that it did not have.
    public let events: [String]

    /// The names of the effects that it did not have, and the keys of their data, each after such a name.
    public let effects: [String]

    /// The states of which there is no archive, because no machine came there and no sample makes one from nothing.
    ///
    /// Add a sample, such as `.state(PaidState(…))`: without one no change of such a state is noticed.
    public let unreached: [String]

    /// Whether it was written now; otherwise run once with `recording: true`.
    public let isWritten: Bool

    init(file: URL, _ additions: LockAdditions, unreached: [String], isWritten: Bool) {
        self.file = file
        states = additions.states
        keys = additions.keys
        events = additions.events
        effects = additions.effects
        self.unreached = unreached
        self.isWritten = isWritten
    }
}

extension ArchiveLockNotRecorded {
    /// What processes of the release before do with the additions while both releases run, and what to do about it; a sentence each.
    public var rollout: [String] {
        if isWritten { return [] }
        return [
            states.isEmpty
                ? nil
                : "Old processes cannot read machines in \(states.joined(separator: ", ")), and report them: raise `version`, or release the state first and what enters it later.",
            keys.isEmpty
                ? nil
                : "Old processes keep \(keys.joined(separator: ", ")) when they update the state, and write a state without it when they enter it: let the key be optional.",
            events.isEmpty ? nil : "Old processes cannot fire \(events.joined(separator: ", ")).",
            effects.isEmpty
                ? nil
                : "Effects of types that old processes do not know wait for new processes, and hold back those behind them: \(effects.joined(separator: ", ")).",
        ].compactMap(\.self)
    }
}

extension ArchiveLockNotRecorded: CustomStringConvertible {
    /// What to do, and what the additions mean while two releases run.
    public var description: String {
        let name = file.lastPathComponent
        let news = [("states", states), ("keys", keys), ("events", events), ("effects", effects)]
            .filter { !$0.1.isEmpty }.map { "the \($0) \($1.joined(separator: ", "))" }.joined(separator: "; ")
        let samples = unreached.map { ".state(\($0)(…))" }.joined(separator: ", ")
        return [
            news.isEmpty
                ? nil
                : isWritten
                    ? "\(name) was written, with \(news). Commit it and run the test again."
                    : "\(name) does not have \(news). Run the test once with `recording: true`.",
            samples.isEmpty
                ? nil
                : "No machine came to some states, so no change of them would be noticed. Add samples: \(samples).",
        ].compactMap { $0 }.joined(separator: " ") + rollout.map { "\n- \($0)" }.joined()
    }
}
