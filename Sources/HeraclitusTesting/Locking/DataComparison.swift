import Heraclitus

/// Compares stored data with the same data after reading and writing it.
struct DataComparison {
    private let before: JSONValue
    private let after: JSONValue

    /// The data after a second reading.
    private let again: JSONValue

    init(_ before: JSONValue, _ after: JSONValue, _ again: JSONValue) {
        (self.before, self.after, self.again) = (before, after, again)
    }

    /// The paths of changed values, each with an explanation.
    var changes: [(path: String, explanation: String)] {
        let (old, new, another) = (before.valuesByPath, after.valuesByPath, again.valuesByPath)
        let (oldShape, newShape) = (JSONShape(of: [before]), JSONShape(of: [after]))
        var changes: [(path: String, explanation: String)] = []
        for (path, value) in old.sorted(by: { $0.key < $1.key }) {
            guard value != .null, let now = new[path], let then = another[path], now.withoutOrder == then.withoutOrder
            else { continue }
            switch (value, now) {
            case (.array, .array):
                // Lost keys of elements are reported elsewhere; new keys are ignored here.
                let isWhole = oldShape.hasNoPaths(below: "\(path)[]", missingIn: newShape)
                if isWhole, value.withoutOrder != now.limited(to: oldShape, at: path).withoutOrder {
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
