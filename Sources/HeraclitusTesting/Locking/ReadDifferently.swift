import Heraclitus

// Finds stored values that the current version loses or reads as another value.

extension Compatibility {
    /// Compares a migrated machine with the same machine restored and archived again.
    ///
    /// Steps of migrations may change data; the migrated data has to come back. The same holds for machines within,
    /// unless another version of their own workflow wrote them.
    func compare(
        _ stored: StoredMachine,
        _ before: StoredMachine,
        _ after: StoredMachine,
        _ again: StoredMachine
    ) -> [Break] {
        let isComparable = before.place.isEmpty || before.version == after.version
        let own = isComparable ? lost(stored, before, after) + changed(before, after, again) : []
        func machine(like other: StoredMachine, in holder: StoredMachine) -> StoredMachine? {
            holder.machines.first { $0.place == other.place }
        }
        return own
            + before.machines.flatMap { inner in
                guard let after = machine(like: inner, in: after), let again = machine(like: inner, in: again) else {
                    return [Break]()
                }
                return compare(machine(like: inner, in: stored) ?? inner, inner, after, again)
            }
    }

    /// The keys that are stored and no longer read.
    private func lost(_ stored: StoredMachine, _ before: StoredMachine, _ after: StoredMachine) -> [Break] {
        func compared(_ data: JSONValue) -> [String: JSONValue] { data.valuesByPath.filter { isCompared($0.key) } }
        let (values, now) = (compared(before.data), compared(after.data))
        let (copied, read) = (compared(stored.data).newKeys(in: values), values.newKeys(in: now))
        let paths = JSONShape(of: [before.data]).paths(missingIn: JSONShape(of: [after.data])).filter { path in
            guard isCompared(path) else { return false }
            guard let value = values[path] else { return true }
            // An empty list may be left out. A telling value may be read under another key, or copied by a step.
            // One key stands for one lost key, and a value that a step has dropped needs none.
            let isElsewhere = value.isTelling && max(0, copied[value] ?? 0) + (read[value] ?? 0) >= 0
            return !value.isEmptyContainer && !isElsewhere
        }
        let (old, new) = (storedShapes.shape(of: before), shapesOfToday.shape(of: after))
        let added = new.paths(missingIn: old)
        return paths.map { path in
            let explanation = "\"\(before.path(to: path))\" is stored and no longer read: it would be lost."
            // A renamed optional key counts as read.
            let alike = old.paths(like: path, among: added, of: new)
            guard alike.count == 1 else {
                return made(before, explanation, "drop \(path)", DataPath.lines(setting: path, to: "nil"))
            }
            let other = "\"\(before.path(to: alike[0]))\" is new, and of the same type."
            return renamed(path, to: alike[0], of: before, "\(explanation) \(other)")
        }
    }

    /// The values that are read as other values, such as a number that has become a date.
    private func changed(_ before: StoredMachine, _ after: StoredMachine, _ again: StoredMachine) -> [Break] {
        let changes = before.data.changes(whenRead: after.data, and: again.data)
        return changes.filter { isCompared($0.path) }.map { path, explanation in
            converted(path, of: before, "\(before.subject(path)) \(explanation).")
        }
    }

    /// Whether a property has to survive an archive.
    func isCompared(_ path: String) -> Bool {
        !path.split(separator: ".").contains { except.contains(String($0).replacing("[]", with: "")) }
    }
}
