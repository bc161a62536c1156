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
    ) -> [IncompatibleArchives.Break] {
        let isComparable = before.place.isEmpty || before.version == after.version
        let own = isComparable ? lost(stored, before, after) + changed(before, after, again) : []
        func machines(of machine: StoredMachine) -> [String: StoredMachine] {
            Dictionary(machine.machines.map { ($0.place, $0) }) { first, _ in first }
        }
        let (storedInner, restored, restoredAgain) = (machines(of: stored), machines(of: after), machines(of: again))
        return own
            + before.machines.flatMap { machine in
                guard let after = restored[machine.place], let again = restoredAgain[machine.place] else {
                    return [IncompatibleArchives.Break]()
                }
                let stored = storedInner[machine.place] ?? machine
                return compare(stored, machine, after, again)
            }
    }

    /// The keys that are stored and no longer read.
    private func lost(
        _ stored: StoredMachine,
        _ before: StoredMachine,
        _ after: StoredMachine
    ) -> [IncompatibleArchives.Break] {
        func compared(_ data: JSONValue) -> [String: JSONValue] { data.valuesByPath.filter { isCompared($0.key) } }
        let (values, now) = (compared(before.data), compared(after.data))
        let (copied, read) = (compared(stored.data).newKeys(in: values), values.newKeys(in: now))
        let (old, new) = (storedShapes[before], shapesOfToday[before])
        let paths = JSONShape(of: [before.data]).paths(missingIn: JSONShape(of: [after.data])).filter { path in
            guard isCompared(path) else { return false }
            guard let value = values[path] else { return true }
            // An empty list may be left out. A telling value may be read under another key, or copied by a step.
            // One key stands for one lost key, and a value that a step has dropped needs none.
            let isElsewhere = value.isTelling && max(0, copied[value] ?? 0) + (read[value] ?? 0) >= 0
            return !value.isEmptyContainer && !isElsewhere
        }
        // A renamed optional key counts as read.
        let types = old[before.state]?.types ?? [:]
        let news = new[after.state]?.paths(missingIn: old[before.state] ?? JSONShape(of: [])) ?? []
        return paths.map { path in
            var explanation = "\"\(before.path(to: path))\" is stored and no longer read: it would be lost."
            var (name, lines) = ("drop \(path)", ["// drop \(path)"])
            if let code = DataPath(path) {
                let alike = news.filter {
                    new[after.state]?.types[$0]?.subtracting(["null"]) == types[path]?.subtracting(["null"])
                        && DataPath($0)?.isBeside(code) == true
                }
                lines = code.change(["\(code.place) = nil"])
                if alike.count == 1, let other = DataPath(alike[0]) {
                    explanation += " \"\(before.path(to: alike[0]))\" is new, and of the same type."
                    (name, lines) = ("\(path) becomes \(alike[0])", other.takeOver(code))
                }
            }
            return made(before.outer, explanation, step(change(name, of: before, lines), for: before))
        }
    }

    /// The values that are read as other values, such as a number that has become a date.
    private func changed(
        _ before: StoredMachine,
        _ after: StoredMachine,
        _ again: StoredMachine
    ) -> [IncompatibleArchives.Break] {
        let changes = before.data.changes(whenRead: after.data, and: again.data)
        return changes.filter { isCompared($0.path) }.map { path, explanation in
            let remedy = step(conversion(of: path, in: before), for: before)
            return made(before.outer, "\(before.subject(path)) \(explanation).", remedy)
        }
    }

    /// Whether a property has to survive an archive.
    func isCompared(_ path: String) -> Bool {
        !path.split(separator: ".").contains { except.contains(String($0).replacing("[]", with: "")) }
    }
}
