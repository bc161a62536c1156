import Heraclitus

extension JSONValue {
    /// The paths of values that have changed when stored data was read and written, each with an explanation.
    /// - Parameters:
    ///   - after: The data after reading and writing.
    ///   - again: The data after a second time. A value that differs from the first time counts as unchanged.
    /// - Returns: The changes.
    func changes(whenRead after: JSONValue, and again: JSONValue) -> [(path: String, explanation: String)] {
        let (new, another) = (after.valuesByPath, again.valuesByPath)
        let (oldShape, newShape) = (JSONShape(of: [self]), JSONShape(of: [after, again]))
        var changes: [(path: String, explanation: String)] = []
        for (path, value) in valuesByPath.sorted(by: { $0.key < $1.key }) where value != .null {
            guard let now = new[path], let then = another[path],
                now.comparable(in: newShape, at: path) == then.comparable(in: newShape, at: path)
            else { continue }
            if value.arrayValue != nil, now.arrayValue != nil {
                // Lost keys of elements are reported elsewhere; new keys are ignored here.
                if value.comparable(in: newShape, at: path) != now.comparable(in: oldShape, at: path) {
                    changes.append((path, "has other elements when an archive is read: \(value.text) and \(now.text)"))
                }
            } else if value != now, !value.isContainer || !now.isContainer {
                changes.append((path, "is \(value.text) in an archive, and is \(now.text) when that is read"))
            }
        }
        return changes
    }
}
