/// A registration of a closure on a machine, for cancelling the closure.
///
/// ```swift
/// let registration = machine.didEnter(LoadingState.self) { loading, transition in … }
/// registration.cancel()
/// ```
///
/// The closure stays as long as the machine lives, even after the registration is released. If a machine may live
/// longer than your object, keep the registrations in the object, and cancel them in its `deinit`:
///
/// ```swift
/// @MainActor final class Screen {
///     private var registrations: [Registration] = []
///
///     init(_ machine: StateMachine<Download>) {
///         registrations.append(machine.onTransition { [weak self] transition in self?.show(transition) })
///     }
///
///     deinit {
///         for registration in registrations { registration.cancel() }
///     }
///
///     nonisolated func show(_ transition: StateTransition) { … }
/// }
/// ```
///
/// A registration retains neither the machine nor the closure.
public struct Registration: Sendable {
    private weak let machine: (any TreeMachine)?

    /// The unique number of the closure.
    private let number: Int

    init(of number: Int, at machine: any TreeMachine) {
        self.machine = machine
        self.number = number
    }

    /// Removes the closure from the machine, and releases it.
    ///
    /// Any thread may call it, also repeatedly, and also from a callback. After a cancellation in a callback of the
    /// machine or in ``StateMachine/perform(block:)``, no further call of the closure begins. A cancellation on another
    /// thread returns at once, while the transition under way may still make one call.
    public func cancel() { machine?.withCore { $0.cancelClosures(number) } }
}
