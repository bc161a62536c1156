// The runtime dependencies of states.

/// A machine's context of any type.
@usableFromInline
package final class GivenContext: Sendable {
    private let context: any Sendable

    /// The definition of machines with this context, if the context defines their workflow.
    let definition: Definition?

    /// Makes the initial state of these machines; `nil` if it needs data.
    let initial: (@Sendable () -> AnyObject?)?

    /// The closures of each of these machines.
    let callbacks: [Callback]

    /// The effects of entering states, in addition to the states' own effects.
    let effects: [EffectMaking]

    init<Context: Sendable>(
        _ context: Context,
        definition: Definition? = nil,
        initial: (@Sendable () -> AnyObject?)? = nil,
        callbacks: [Callback] = [],
        effects: [EffectMaking] = []
    ) {
        self.context = context
        self.definition = definition
        self.initial = initial
        self.callbacks = callbacks
        self.effects = effects
    }

    /// The context, if it is of a type.
    func value<Context: Sendable>(as type: Context.Type) -> Context? { context as? Context }

    /// The context of a machine; in a workflow without one, the empty context.
    static func value<Context: Sendable>(of given: GivenContext?, as type: Context.Type) -> Context? {
        if let given { given.value(as: type) } else { () as? Context }
    }
}

/// An effect of entering a state, for a workflow whose definition is its context.
struct EffectMaking: Sendable {
    let type: any Effect.Type

    /// Makes the effect; `nil` if the state declares none.
    let make: @Sendable (AnyObject) -> (any Effect)?
}
