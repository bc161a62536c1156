import Synchronization

/// A closure's place at a machine: it is called until this is cancelled or dropped.
///
/// ```swift
/// let registration = machine.didEnter(LoadingState.self) { loading, transition in … }
/// registration.cancel()
/// ```
///
/// Keep it as long as the closure is to be called, or say ``keep()`` to leave the closure there for as long as the machine
/// lives. It keeps neither the machine nor, once cancelled, the closure alive.
public final class Registration: Sendable {
    private let remove: Mutex<(@Sendable () -> Void)?>

    init(_ remove: @escaping @Sendable () -> Void) { self.remove = Mutex(remove) }

    /// Stops the closure from being called, and releases it.
    ///
    /// From any thread, any number of times, also from within a callback. A call that another thread has begun goes on;
    /// no further one begins.
    public func cancel() {
        let remove = remove.withLock { $0.take() }
        remove?()
    }

    /// Leaves the closure at the machine for as long as that lives, whatever becomes of this registration.
    public func keep() { _ = remove.withLock { $0.take() } }

    /// Puts the registration into a list that keeps it.
    /// - Parameter list: The list.
    public func store(in list: inout [Registration]) { list.append(self) }

    deinit { cancel() }
}
