public import Heraclitus
public import HeraclitusEssentials

/// The handlers of effects, one for each type.
///
/// ```swift
/// let handlers = EffectHandlers()
///     .on(SendMail.self) { mail, key in try await mailer.send(mail, once: "\(key)") }
///     .on(BookPayment.self, policy: patient) { payment, key in … }
/// try await orders.deliver(to: handlers)
/// ```
///
/// A delivery throws ``StoreError/missingHandlers(_:)`` at its start if a listed type of effects has no handler.
public struct EffectHandlers: Sendable {
    struct Handler: Sendable {
        let policy: DeliveryPolicy?
        let handle: @Sendable (any Effect, EffectKey) async throws -> Void
    }

    private var handlers: [ObjectIdentifier: Handler] = [:]
    private var other: Handler?

    /// Makes an empty set of handlers.
    public init() {}

    /// Adds a handler for a type of effects.
    /// - Parameters:
    ///   - effect: The type.
    ///   - policy: The treatment of failures; `nil` for the policy of the delivery.
    ///   - handle: Carries out an effect, on any thread. It may get the same effect, with the same key, more than once.
    ///     It throws ``EffectFailure`` to control the treatment of a failure.
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

    /// Adds a handler for all types without their own.
    /// - Parameter handle: Carries out an effect, on any thread.
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

/// An error by which a handler controls the treatment of its failure.
///
/// Any other error counts as an attempt.
public enum EffectFailure: Error, Sendable {
    /// Retries the effect later, without counting an attempt.
    ///
    /// A date that has passed counts as the policy's first delay.
    case retry(at: Date, because: any Error)

    /// Parks the effect at once, because another attempt would fail as well.
    ///
    /// An example is `410 Gone`.
    case park(because: any Error)
}
