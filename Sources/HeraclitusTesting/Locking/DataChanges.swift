import Heraclitus

extension JSONValue {
    /// The paths of values that have changed when stored data was read and written, each with an explanation.
    /// - Parameters:
    ///   - after: The data after reading and writing.
    ///   - again: The data after a second time. A value that differs from the first time counts as unchanged.
    /// - Returns: The changes.
    func changes(whenRead after: JSONValue, and again: JSONValue) -> [(path: String, explanation: String)] {
        let (old, new, another) = (valuesByPath, after.valuesByPath, again.valuesByPath)
        let (oldShape, newShape) = (JSONShape(of: [self]), JSONShape(of: [after]))
        var changes: [(path: String, explanation: String)] = []
        for (path, value) in old.sorted(by: { $0.key < $1.key }) {
            guard value != .null, let now = new[path], let then = another[path], now.withoutOrder == then.withoutOrder
            else { continue }
            switch (value, now) {
            case (.array, .array):
                // Lost keys of elements are reported elsewhere; new keys are ignored here.
                let (before, after) = (value.limited(to: newShape, at: path), now.limited(to: oldShape, at: path))
                if before.withoutOrder != after.withoutOrder {
                    changes.append((path, "has other elements when an archive is read: \(value.text) and \(now.text)"))
                }
            case _ where value.isContainer && now.isContainer: break
            default:
                if value != now {
                    changes.append((path, "is \(value.text) in an archive, and is \(now.text) when that is read"))
                }
            }
        }
        return changes
    }
}
