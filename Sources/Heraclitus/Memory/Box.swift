/// A value as an object: to be released later, or to take a single word.
final class Box<Value> {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Box: Sendable where Value: Sendable {}
