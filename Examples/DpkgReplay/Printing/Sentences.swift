import Heraclitus

// The problem of a rejected line, for readers who know packages rather than state machines.

extension Replay.Rejection {
    /// The problem and the package: `configured without having been unpacked: editor:amd64 2:9.0-1`.
    var sentence: String {
        let version = (isAnnouncement ? claim.facts.action?.new ?? claim.facts.action?.old : claim.facts.version)
        return "\(what): \(package)\(version.map { " " + $0 } ?? "")"
    }

    private var what: String {
        let old = Status(rawValue: error.source)
        let wrong = (error.underlyingError as? Unlawful)?.description
        if isAnnouncement, let kind = claim.facts.action?.kind {
            return "announced to \(kind.words) \(wrong ?? "while it is \(old?.rawValue ?? "unknown")")"
        }
        guard let new = claim.status else { return "\(error)" }
        if let wrong { return "\(new.words) \(wrong)" }
        return new.wrong(after: old)
    }
}

extension Action.Kind {
    fileprivate var words: String {
        switch self {
        case .install: "be installed"
        case .upgrade: "be upgraded"
        case .configure: "be configured"
        case .trigproc: "have its triggers processed"
        case .remove: "be removed"
        case .purge: "be purged"
        case .disappear: "disappear"
        }
    }
}

extension Status {
    fileprivate var words: String {
        switch self {
        case .notInstalled: "gone"
        case .configFiles: "removed"
        case .halfInstalled: "half-installed"
        case .unpacked: "unpacked"
        case .halfConfigured: "configured"
        case .triggersAwaited: "waiting for triggers"
        case .triggersPending: "triggered"
        case .installed: "installed"
        }
    }

    /// The problem of a state that cannot follow the previous state.
    fileprivate func wrong(after old: Status?) -> String {
        switch (self, old) {
        case (.installed, .notInstalled), (.installed, .configFiles), (.installed, .halfInstalled),
            (.halfConfigured, .notInstalled), (.halfConfigured, .configFiles), (.halfConfigured, .halfInstalled):
            "configured without having been unpacked"
        case (.installed, .unpacked): "installed without having been configured"
        case (.installed, .triggersPending): "installed with its triggers still pending"
        case (.unpacked, .notInstalled), (.unpacked, .configFiles):
            "unpacked without its installation having begun"
        case (.unpacked, _): "unpacked without having been deconfigured"
        case (.halfInstalled, _): "taken apart without having been deconfigured"
        case (.configFiles, .notInstalled): "removed without having been installed"
        case (.configFiles, _): "removed without having been taken apart"
        case (.notInstalled, _): "gone without having been removed"
        case (.triggersPending, _), (.triggersAwaited, _): "triggered without being configured"
        default: "\(words) directly after being \(old?.words ?? "unknown")"
        }
    }

    /// The problem that `dpkg --audit` would report, with its meaning; `nil` for an intact package.
    var trouble: String? {
        switch self {
        case .notInstalled, .configFiles, .installed: nil
        case .halfInstalled: "only half installed, because the installation or the removal did not end"
        case .unpacked: "unpacked and not configured yet"
        case .halfConfigured: "only half configured, because the configuration failed or did not end"
        case .triggersAwaited: "waiting for another package to process their triggers"
        case .triggersPending: "with triggers that are still to be processed"
        }
    }
}
