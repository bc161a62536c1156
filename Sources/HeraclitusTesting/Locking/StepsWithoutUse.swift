import Heraclitus
import HeraclitusStores

extension Workflow {
    /// The steps whose name is missing from all archives and effects of older versions.
    ///
    /// Such a name may be misspelt.
    /// - Parameters:
    ///   - archives: Archives, as `migrated(_:)` takes them.
    ///   - effects: Effects with the versions that saved them.
    /// - Returns: The steps.
    static func stepsWithoutUse(
        for archives: [JSONValue],
        effects: [(version: Int, effect: RawEffect)]
    ) -> [Migration] {
        let steps = TransitionValidator<Self>().definition.migrations
        var (asked, used) = (Set<Int>(), Set<Int>())
        for archive in archives {
            guard var raw = RawArchive(archive) else { continue }
            for (index, step) in steps.enumerated() where step.version > raw.version {
                asked.insert(index)
                if step.concerns(raw) { used.insert(index) }
                do { try step.apply(to: &raw) } catch { break }
            }
        }
        for (version, effect) in effects {
            var effect = effect
            for (index, step) in steps.enumerated() where step.version > version {
                if step.concerns(effect) { used.insert(index) }
                do { try step.apply(to: &effect) } catch { break }
            }
        }
        return asked.subtracting(used).sorted().map { steps[$0] }
    }
}

extension Migration {
    fileprivate func concerns(_ archive: RawArchive) -> Bool {
        switch change {
        case .archives(let state, _): state == nil || state == archive.state
        case .state(let name, _, _): name == archive.state
        case .values(let key, _): archive.data.hasValue(under: key)
        case .effect: false
        case .nothing: true
        }
    }

    fileprivate func concerns(_ effect: RawEffect) -> Bool {
        switch change {
        case .effect(let name, _, _): name == effect.name
        case .values(let key, _): effect.data.hasValue(under: key)
        case .archives(let state, _): state == nil
        case .state: false
        case .nothing: true
        }
    }
}

extension JSONValue {
    /// Whether an object has a key, at any depth outside archives of machines.
    fileprivate func hasValue(under key: String) -> Bool {
        switch self {
        case .array(let elements): elements.contains { $0.hasValue(under: key) }
        // The steps of a machine's own workflow migrate it.
        case .object(let members) where !isArchive:
            members[key].map(Self.hasValues) ?? false || members.values.contains { $0.hasValue(under: key) }
        default: false
        }
    }

    /// Whether a step changes the value under its key, or may change it: a list may be empty in the lock.
    private static func hasValues(_ value: JSONValue) -> Bool {
        let values = value.arrayValue ?? [value]
        return values.isEmpty || !values.allSatisfy(\.isArchive)
    }
}
