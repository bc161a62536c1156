// What do states need that archives do not keep?

/// The context that a machine was given, of whatever type.
@usableFromInline
package final class GivenContext: Sendable {
    private let context: any Sendable

    init<Context: Sendable>(_ context: Context) { self.context = context }

    /// The context, if it is of a type.
    func value<Context: Sendable>(as type: Context.Type) -> Context? { context as? Context }

    /// The context of a machine, which in a workflow without one is the empty one.
    static func value<Context: Sendable>(of given: GivenContext?, as type: Context.Type) -> Context? {
        if let given { given.value(as: type) } else { () as? Context }
    }
}
