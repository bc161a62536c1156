public import Foundation

/// The recorded lock lacks a part of what the current version stores.
public struct ArchiveLockNotRecorded: Error, Equatable {
    /// The file of the current version.
    public let file: URL

    let additions: [LockAddition]

    /// The states that the file lacked.
    public var states: [String] { names(.state) }

    /// The keys of data that the file lacked, each prefixed with the name of its state, such as `CartState.coupon`.
    public var keys: [String] { names(.key, .innerKey) }

    /// The names of the events that the file lacked.
    public var events: [String] { names(.event) }

    /// The names of the effects that the file lacked, and the keys of their data, each prefixed with the name of its
    /// effect.
    public var effects: [String] { names(.effect) }

    /// The states without an archive: every machine missed them, and every sample needs a source state.
    ///
    /// Add a sample such as `.state(PaidState(…))`. Changes of such a state stay unnoticed until then.
    public let unreached: [String]

    /// Whether this run wrote the file; otherwise run once with `recording: true`.
    public let isWritten: Bool

    private func names(_ kinds: LockAddition.Kind...) -> [String] {
        additions.filter { kinds.contains($0.kind) }.map(\.name)
    }
}

extension ArchiveLockNotRecorded {
    /// The treatment of the additions by processes of the previous release while both releases run, with remedies.
    public var rollout: [String] {
        if isWritten { return [] }
        let (outerKeys, innerKeys) = (names(.key), names(.innerKey))
        return [
            states.isEmpty
                ? nil
                : "Old processes cannot read machines in \(states.joined(separator: ", ")), and report them: raise `version`, or release the state first and what enters it later.",
            outerKeys.isEmpty
                ? nil
                : "Old processes keep \(outerKeys.joined(separator: ", ")) when they update the state, and write a state without it when they enter it: let the key be optional.",
            innerKeys.isEmpty
                ? nil
                : "Old processes drop \(innerKeys.joined(separator: ", ")) when they save a machine in the state, because they write the value around it anew: raise `version`, or add a key to the state itself.",
            events.isEmpty ? nil : "Old processes cannot fire \(events.joined(separator: ", ")).",
            effects.isEmpty
                ? nil
                : "Effects of types that old processes do not know wait for new processes, and hold back those behind them: \(effects.joined(separator: ", ")).",
        ].compactMap(\.self)
    }
}

extension ArchiveLockNotRecorded: CustomStringConvertible {
    /// The next step, and the effect of the additions on a rollout.
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
                : "Some states have no archive, so changes of them stay unnoticed. Add samples: \(samples).",
        ].compactMap { $0 }.joined(separator: " ") + rollout.map { "\n- \($0)" }.joined()
    }
}
