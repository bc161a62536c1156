// Effects outside a machine after a state was entered.

/// An effect outside a machine, such as sending a mail or booking a payment, described as data.
///
/// ```swift
/// struct SendMail: Effect {
///     let to: String
///     let subject: String
/// }
/// ```
///
/// An ``Effecting`` state declares effects, and the workflow lists their types in ``Workflow/effects``. A store saves
/// them together with the machine. `StoredWorkflow.deliver(policy:to:)` passes them to handlers, which carry them out.
public protocol Effect: Codable, Sendable {
    /// The stable name in stores; by default the name of the type.
    static var name: String { get }
}

extension Effect {
    /// The name of the type, including the arguments of a generic type, like ``WorkflowState/name``.
    public static var name: String { defaultName(of: Self.self) }
}

/// An effect that is dropped when its machine has moved on, such as the reminder of a cancelled order.
///
/// ```swift
/// struct Remind: StateBoundEffect {
///     let address: String
///     func isWanted(in state: any WorkflowState) -> Bool { state is UnpaidState }
/// }
/// ```
///
/// When a unit of work saves a machine in another state, it removes the unwanted effects in the same transaction.
public protocol StateBoundEffect: Effect {
    /// Whether the effect is still wanted.
    ///
    /// It is called when the machine has entered another state, and once when the effect is declared.
    /// - Parameter state: The saved state of the machine.
    /// - Returns: `false` to drop the effect.
    func isWanted(in state: any WorkflowState) -> Bool
}

/// A state that declares effects outside the machine, which follow its entry.
///
/// ```swift
/// final class PaidState: OrderState, Effecting {
///     let receipt: Receipt
///     var effects: [any Effect] { [SendMail(to: receipt.buyer, subject: "Thank you")] }
/// }
/// ```
///
/// A unit of work collects effects, for example `StoredWorkflow.update`. When its machine, or a machine within its
/// state, enters the state, the effects are saved with the machine. This holds even if the state is left in the same
/// unit of work. Updates and restorations have no effects.
///
/// Outside a unit of work, effects are lost. Saving such a machine throws `StoreError.uncollectedEffects`.
public protocol Effecting: WorkflowState {
    /// The effects in order.
    ///
    /// They are read once, when the entry is certain and before the state is visible.
    var effects: [any Effect] { get }
}
