// What is to be done outside when a state was entered?

/// Something to be done outside of a machine, such as a mail to be sent or a payment to be booked: data that says what, and no code.
///
/// ```swift
/// struct SendMail: Effect {
///     let to: String
///     let subject: String
/// }
/// ```
///
/// A state that is ``Effecting`` declares effects, and the workflow lists their types in ``Workflow/effects``. A store saves them together with
/// the machine, and `StoredWorkflow.deliver(policy:to:)` hands them to whoever carries them out.
public protocol Effect: Codable, Sendable {
    /// The stable name, by which stores keep it; by default the type's own name.
    static var name: String { get }
}

extension Effect {
    /// The type's own name; that of a generic type with its arguments in full, as ``WorkflowState/name``.
    public static var name: String { defaultName(of: Self.self) }
}

/// An effect that is dropped when its machine has moved on, such as a reminder of an order that was cancelled.
///
/// ```swift
/// struct Remind: StateBoundEffect {
///     let address: String
///     func isWanted(in state: any WorkflowState) -> Bool { state is UnpaidState }
/// }
/// ```
///
/// The unit of work that saves a machine in another state removes the effects that are not wanted there, in the same transaction.
public protocol StateBoundEffect: Effect {
    /// Whether the effect is still to be carried out; called when the machine has entered another state, and once when the effect is declared.
    /// - Parameter state: The state in which the machine is saved.
    /// - Returns: Whether it is; `false` drops the effect.
    func isWanted(in state: any WorkflowState) -> Bool
}

/// A state that declares what is to be done outside because a machine has entered it.
///
/// ```swift
/// final class PaidState: OrderState, Effecting {
///     let receipt: Receipt
///     var effects: [any Effect] { [SendMail(to: receipt.buyer, subject: "Thank you")] }
/// }
/// ```
///
/// A unit of work collects effects, such as `StoredWorkflow.update`. When its machine enters the state, or a
/// machine within its state does, the effects are saved with it, also if the state is left in the same unit of work. An update or a restoration enters no
/// state. A machine that is fired outside of a unit of work has no effects. To save such a machine throws
/// `StoreError.uncollectedEffects`.
public protocol Effecting: Capability {
    /// What is to be done, in this order; read once, when the state is certain to be entered and before anybody sees it there.
    var effects: [any Effect] { get }
}
