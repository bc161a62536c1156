// The runtime dependencies of states.

/// A machine's context of any type.
@usableFromInline
package final class GivenContext: Sendable {
    private let context: any Sendable

    /// The definition of machines with this context, if the context defines their workflow.
    package let definition: Definition?

    /// The closures of each of these machines.
    let callbacks: [Callback]

    /// The effects of entering states, in addition to the states' own effects.
    package let effects: [EffectMaking]

    package init<Context: Sendable>(
        _ context: Context,
        definition: Definition? = nil,
        callbacks: [Callback] = [],
        effects: [EffectMaking] = []
    ) {
        self.context = context
        self.definition = definition
        // Effects are noted as soon as entering the state is certain.
        let noting = Callback.hook(.willEnter) { transition in
            transition.treeMachine.withCore { $0.noteEffects(of: transition.destinationObject) }
        }
        self.callbacks = effects.isEmpty ? callbacks : callbacks + [noting]
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
package struct EffectMaking: Sendable {
    package let type: any Effect.Type

    /// Makes the effect; `nil` if the state declares none.
    let make: @Sendable (AnyObject) -> (any Effect)?

    package init<E: Effect>(_ type: E.Type, _ make: @escaping @Sendable (AnyObject) -> E?) {
        (self.type, self.make) = (type, make)
    }
}
