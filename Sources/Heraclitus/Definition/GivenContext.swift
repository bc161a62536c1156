// The runtime dependencies of states.

/// A machine's context of any type.
@usableFromInline
package final class GivenContext: Sendable {
    private let context: any Sendable

    /// The definition of machines with this context, if the context defines their workflow.
    package let definition: Definition?

    /// Makes the table of these machines, if they have closures that their definition lacks.
    let makeTable: (@Sendable () -> TransitionTable)?

    /// The closures of each of these machines.
    let closures: [MachineClosure]

    /// The types of the effects that the closures declare.
    package let effectTypes: [any Effect.Type]

    package init<Context: Sendable>(
        _ context: Context,
        definition: Definition? = nil,
        makeTable: (@Sendable () -> TransitionTable)? = nil,
        closures: [MachineClosure] = [],
        effectTypes: [any Effect.Type] = []
    ) {
        self.context = context
        self.definition = definition
        self.makeTable = makeTable
        self.closures = closures
        self.effectTypes = effectTypes
    }

    /// The table of these machines; `nil` unless the context defines their workflow.
    package var table: TransitionTable? {
        makeTable?() ?? definition?.content.value.objects.makeTable([], nil)
    }

    /// The context, if it is of a type.
    func value<Context: Sendable>(as type: Context.Type) -> Context? { context as? Context }

    /// The context of a machine; in a workflow without one, the empty context.
    static func value<Context: Sendable>(of given: GivenContext?, as type: Context.Type) -> Context? {
        if let given { given.value(as: type) } else { () as? Context }
    }
}
