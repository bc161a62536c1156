// What do states need that archives do not keep?

/// The context that a machine was given, of whatever type.
@usableFromInline
package struct GivenContext: Sendable {
    private let box: any AnyObject & Sendable

    private final class Box<Context: Sendable>: Sendable {
        let context: Context

        init(_ context: Context) { self.context = context }
    }

    init<Context: Sendable>(_ context: Context) { box = Box(context) }

    /// The context, if it is of a type.
    func value<Context: Sendable>(as type: Context.Type) -> Context? { (box as? Box<Context>)?.context }

    /// The context of a machine, which in a workflow without one is the empty one.
    static func value<Context: Sendable>(of given: GivenContext?, as type: Context.Type) -> Context? {
        if let given { given.value(as: type) } else { () as? Context }
    }

    /// The same as an object, for somebody who keeps it with others.
    var object: AnyObject { box }

    /// The context that an object is.
    static func value<Context: Sendable>(of object: AnyObject?, as type: Context.Type) -> Context? {
        (object as? Box<Context>)?.context
    }
}
