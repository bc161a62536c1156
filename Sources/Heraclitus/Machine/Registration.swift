/// A closure that was added to a machine: with this it can be cancelled.
///
/// ```swift
/// let registration = machine.didEnter(LoadingState.self) { loading, transition in … }
/// registration.cancel()
/// ```
///
/// The closure stays at the machine as long as the machine lives. To drop a registration changes nothing. A closure that is
/// needed for a shorter time is cancelled, or its registration is stored in ``Registrations``.
///
/// A registration keeps neither the machine nor the closure alive.
public struct Registration: Sendable {
    private weak let machine: (any CallbackHolder)?
    private let number: Int

    init(of number: Int, at machine: any CallbackHolder) {
        self.machine = machine
        self.number = number
    }

    /// Removes the closure from the machine, and releases it.
    ///
    /// Any thread may call it, any number of times, also from within a callback. No call of the closure begins after a
    /// cancellation that was made in turn with the transitions: in a callback of the machine, or in
    /// ``StateMachine/perform(_:)``. A cancellation on another thread does not wait for the callbacks of a transition under
    /// way: a call that this transition has just decided on may still come.
    public func cancel() { machine?.cancelCallbacks(number) }

    /// Stores the registration, so that the closure is cancelled with all others that are stored there.
    /// - Parameter registrations: Where to store it.
    public func store(in registrations: Registrations) { registrations.add(self) }
}

/// Registrations that are cancelled together, at the latest when this object goes.
///
/// For an object that observes a machine which lives longer:
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
/// Keep it in a property. A local constant goes after its last use, which in an optimized program is not the end of its scope.
public final class Registrations: Sendable {
    private let stored = Lock<[Registration]>([])

    /// Makes an object that stores no registration yet.
    public init() {}

    /// Cancels everything that is stored, which is forgotten then.
    ///
    /// Any thread may call it, any number of times. See ``Registration/cancel()`` for calls that are under way.
    public func cancel() {
        let registrations = stored.withLock { stored in
            defer { stored = [] }
            return stored
        }
        for registration in registrations { registration.cancel() }
    }

    func add(_ registration: Registration) { stored.withLock { $0.append(registration) } }

    deinit { cancel() }
}

/// A machine, as its registrations know it.
protocol CallbackHolder: AnyObject, Sendable {
    /// Removes what was added together.
    func cancelCallbacks(_ number: Int)
}

extension StateMachine: CallbackHolder {
    func cancelCallbacks(_ number: Int) { core.cancelCallbacks(number) }
}
