/// A registration of a closure on a machine, for cancelling the closure.
///
/// ```swift
/// let registration = machine.didEnter(LoadingState.self) { loading, transition in … }
/// registration.cancel()
/// ```
///
/// The closure stays as long as the machine lives, even after the registration is released. For a shorter time, cancel
/// the closure, or store its registration in ``Registrations``.
///
/// A registration retains neither the machine nor the closure.
public struct Registration: Sendable {
    private weak let machine: (any TreeMachine)?

    /// The unique number of the closure.
    fileprivate let number: Int

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

    /// Whether the closure is still on its machine.
    var isKept: Bool { machine?.withCore { $0.hasClosures(number) } ?? false }

    /// Stores the registration, to cancel it together with others.
    /// - Parameter registrations: The store.
    public func store(in registrations: Registrations) { registrations.add(self) }
}

/// Registrations that are cancelled together, at the latest when this object is released.
///
/// Use it in an object that observes a machine with a longer life:
///
/// ```swift
/// final class Screen {
///     private let registrations = Registrations()
///
///     init(_ machine: StateMachine<Download>) {
///         machine.didEnter(FailureState.self) { [weak self] failure, _ in self?.show(failure) }.store(in: registrations)
///     }
/// }
/// ```
///
/// Keep it in a property: Swift may release a local constant after its last use, before the end of its scope.
public final class Registrations: Sendable {
    private struct Stored {
        var registrations: [Registration] = []

        /// The number of registrations at which cancelled ones are removed.
        var limit = 16
    }

    private let stored = Lock(Stored())

    /// Makes an empty object.
    public init() {}

    /// Cancels and removes all stored registrations.
    ///
    /// Any thread may call it, also repeatedly. See ``Registration/cancel()`` for calls under way.
    public func cancel() {
        let registrations = stored.withLock { exchange(&$0, with: Stored()).registrations }
        for registration in registrations { registration.cancel() }
    }

    func add(_ registration: Registration) {
        let full = stored.withLock { stored -> [Registration]? in
            stored.registrations.append(registration)
            return stored.registrations.count >= stored.limit ? stored.registrations : nil
        }
        guard let full else { return }
        // Registrations that were cancelled separately, or whose machine is released, are removed when the number has
        // doubled, which takes constant time on average. Checked outside the lock, because releasing a machine may call
        // user code.
        let cancelled = Set(full.lazy.filter { !$0.isKept }.map(\.number))
        stored.withLock { stored in
            stored.registrations.removeAll { cancelled.contains($0.number) }
            stored.limit = max(16, 2 * stored.registrations.count)
        }
    }

    deinit { cancel() }
}
