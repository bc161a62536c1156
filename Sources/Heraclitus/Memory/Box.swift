/// A value as an object: to be released later, to take a single word, or to have several holders.
package final class Box<Value: ~Copyable> {
    package let value: Value

    package init(_ value: consuming Value) { self.value = value }
}

extension Box: Sendable where Value: Sendable & ~Copyable {}
