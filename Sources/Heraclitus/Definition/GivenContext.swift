// What do states need that archives do not keep?

/// The context that a machine was given, of whatever type.
@usableFromInline
package final class GivenContext: Sendable {
    private let context: any Sendable

    /// The definition of the machines with this context, if it is theirs alone.
    let definition: Definition?

    /// Makes the state in which these machines begin; `nil` if it needs data.
    let initial: (@Sendable () -> AnyObject?)?

    /// The closures that each of these machines has from the beginning.
    let callbacks: [Callback]

    /// What entering states of these machines declares, besides what the states themselves do.
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

    /// The context of a machine, which in a workflow without one is the empty one.
    static func value<Context: Sendable>(of given: GivenContext?, as type: Context.Type) -> Context? {
        if let given { given.value(as: type) } else { () as? Context }
    }
}

/// An effect that entering a state declares, in a workflow whose definition is its context.
struct EffectMaking: Sendable {
    let type: any Effect.Type

    /// Makes the effect; `nil` if the state declares none.
    let make: @Sendable (AnyObject) -> (any Effect)?
}
