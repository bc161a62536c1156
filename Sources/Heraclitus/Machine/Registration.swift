/// A registration of a closure at a machine, with which the closure can be cancelled.
///
/// ```swift
/// let registration = machine.didEnter(LoadingState.self) { loading, transition in … }
/// registration.cancel()
/// ```
///
/// The closure stays as long as the machine lives. Releasing the registration changes nothing. If you need a closure for a
/// shorter time, cancel it, or store its registration in ``Registrations``.
///
/// A registration keeps neither the machine nor the closure alive.
public struct Registration: Sendable {
    private weak let machine: (any CallbackHolder)?

    /// That of the closure, which no other one has.
    fileprivate let number: Int

    init(of number: Int, at machine: any CallbackHolder) {
        self.machine = machine
        self.number = number
    }

    /// Removes the closure from the machine, and releases it.
    ///
    /// Any thread may call it, any number of times, also from a callback. After a cancellation in a callback of the machine,
    /// or in ``StateMachine/perform(block:)``, no call of the closure begins. A cancellation on another thread does not wait for
    /// the transition under way, which may still make a call that it has just decided on.
    public func cancel() { machine?.cancelCallbacks(number) }

    /// Whether the closure is still at its machine.
    var isKept: Bool { machine?.hasCallbacks(number) ?? false }

    /// Stores the registration, so that its closure is cancelled together with the others.
    /// - Parameter registrations: Where to store it.
    public func store(in registrations: Registrations) { registrations.add(self) }
}

/// Registrations that are cancelled together, at the latest when this object is released.
///
/// Use it in an object that observes a machine which lives longer:
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
/// Keep it in a property. Swift may release a local constant after its last use, before the end of its scope.
public final class Registrations: Sendable {
    private struct Stored {
        var registrations: [Registration] = []

        /// How many there are when it is time to look for those that were cancelled by themselves.
        var limit = 16
    }

    private let stored = Lock(Stored())

    /// Makes an object that stores no registration yet.
    public init() {}

    /// Cancels all registrations that are stored, and removes them.
    ///
    /// Any thread may call it, any number of times. See ``Registration/cancel()`` for calls that are under way.
    public func cancel() {
        let registrations = stored.withLock { stored in
            defer { stored = Stored() }
            return stored.registrations
        }
        for registration in registrations { registration.cancel() }
    }

    func add(_ registration: Registration) {
        let full = stored.withLock { stored -> [Registration]? in
            stored.registrations.append(registration)
            return stored.registrations.count >= stored.limit ? stored.registrations : nil
        }
        if let full { removeCancelled(of: full) }
    }

    /// Removes registrations that were cancelled by themselves, or whose machine is gone.
    ///
    /// It comes as often as their number has doubled since, so that on average it takes no longer than to store them.
    private func removeCancelled(of registrations: [Registration]) {
        // Asked outside the lock: to let go of a machine may call user code.
        let cancelled = Set(registrations.lazy.filter { !$0.isKept }.map(\.number))
        stored.withLock { stored in
            stored.registrations.removeAll { cancelled.contains($0.number) }
            stored.limit = max(16, 2 * stored.registrations.count)
        }
    }

    deinit { cancel() }
}

/// A machine, as its registrations know it.
protocol CallbackHolder: AnyObject, Sendable {
    /// Removes what was added together.
    func cancelCallbacks(_ number: Int)

    /// Whether it still has any of what was added together.
    func hasCallbacks(_ number: Int) -> Bool
}

extension StateMachine: CallbackHolder {
    func cancelCallbacks(_ number: Int) { core.cancelCallbacks(number) }

    func hasCallbacks(_ number: Int) -> Bool { core.hasCallbacks(number) }
}
