public import Heraclitus
public import HeraclitusEssentials

/// What carries effects out: a handler for each type.
///
/// ```swift
/// let handlers = EffectHandlers()
///     .on(SendMail.self) { mail, key in try await mailer.send(mail, once: "\(key)") }
///     .on(BookPayment.self, policy: patient) { payment, key in … }
/// try await orders.deliver(to: handlers)
/// ```
///
/// A workflow whose effects have no handler throws ``StoreError/missingHandlers(_:)`` before anything is taken.
public struct EffectHandlers: Sendable {
    struct Handler: Sendable {
        let policy: DeliveryPolicy?
        let handle: @Sendable (any Effect, EffectKey) async throws -> Void
    }

    private var handlers: [ObjectIdentifier: Handler] = [:]
    private var other: Handler?

    /// Makes handlers for nothing yet.
    public init() {}

    /// Adds a handler for a type of effects.
    /// - Parameters:
    ///   - effect: The type.
    ///   - policy: What happens when the handler fails; `nil` for the policy of the delivery.
    ///   - handle: Carries an effect out; on any thread. It may get the same effect, with the same key, more than once. To say what a failure means,
    ///     it throws ``EffectFailure``.
    /// - Returns: The handlers with the new one.
    public func on<E: Effect>(
        _ effect: E.Type,
        policy: DeliveryPolicy? = nil,
        _ handle: @escaping @Sendable (_ effect: E, _ key: EffectKey) async throws -> Void
    ) -> EffectHandlers {
        var handlers = self
        handlers.handlers[ObjectIdentifier(effect)] = Handler(policy: policy) { effect, key in
            if let effect = effect as? E { try await handle(effect, key) }
        }
        return handlers
    }

    /// Adds a handler for all types that have none of their own.
    /// - Parameter handle: Carries an effect out; on any thread.
    /// - Returns: The handlers with the new one.
    public func others(
        _ handle: @escaping @Sendable (_ effect: any Effect, _ key: EffectKey) async throws -> Void
    ) -> EffectHandlers {
        var handlers = self
        handlers.other = Handler(policy: nil, handle: handle)
        return handlers
    }

    func handler(of effect: any Effect.Type) -> Handler? { handlers[ObjectIdentifier(effect)] ?? other }

    /// Throws unless each type of effects of a workflow has a handler.
    func check(_ known: KnownEffects) throws(StoreError) {
        let missing = known.types.filter { handler(of: $0) == nil }.map { $0.name }
        if !missing.isEmpty { throw .missingHandlers(missing) }
    }
}

/// What a handler throws to say what its failure means; any other error counts as an attempt, by the policy.
public enum EffectFailure: Error, Sendable {
    /// The effect is to be tried again, and the failure does not count as an attempt.
    case retry(at: Date, because: any Error)

    /// Another attempt would fail as well, such as `410 Gone`: the effect is parked at once.
    case park(because: any Error)
}
