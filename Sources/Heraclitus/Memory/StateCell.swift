// Keeps a machine's state for its owner and for readers.

public import Synchronization

/// A machine's state, and the previous one.
///
/// All readers take the lock, which is held for a few instructions and never during user code. The owner alone changes
/// the state, and reads it without the lock.
///
/// Invariants: the cell owns both references. Only a turn of the machine, whose thread owns the machine, calls
/// `replace` and the methods marked "by the owner". Unchecked, because the lock and the turn order all accesses.
///
/// Measured: the owner's reading without lock and counting saves 30 ns of a transition with listeners.
@safe @usableFromInline
struct StateCell<Beside>: ~Copyable, @unchecked Sendable {
    @usableFromInline let state: Atomic<Unmanaged<AnyObject>>
    @usableFromInline let words: Atomic<UnsafePointer<UInt>?>
    private let previous: Atomic<Unmanaged<AnyObject>?>

    /// The lock, and the other values that it protects.
    @usableFromInline let lock: Lock<Beside>

    init(
        _ state: consuming OwnedObject,
        _ layout: ExistentialLayout,
        previous: AnyObject?,
        beside: consuming sending Beside
    ) {
        lock = Lock(beside)
        unsafe self.state = Atomic(state.take())
        unsafe words = Atomic(layout.words)
        unsafe self.previous = Atomic(previous.map { unsafe .passRetained($0) })
    }

    @usableFromInline
    deinit {
        unsafe state.load(ordering: .relaxed).release()
        unsafe previous.load(ordering: .relaxed)?.release()
    }

    /// The typed state, readable from any thread.
    @inlinable @inline(__always)
    func read<State>(as type: State.Type) -> State {
        lock.withLock { _ in
            let layout = unsafe ExistentialLayout(words: words.load(ordering: .relaxed))
            return unsafe layout.handedOut(state.load(ordering: .relaxed), as: State.self)
        }
    }

    /// Both objects with other values of the same moment, readable from any thread.
    func read<Other>(alongside other: () -> Other) -> (state: AnyObject, previous: AnyObject?, other: Other) {
        lock.withLock { _ in
            unsafe (
                state.load(ordering: .relaxed).takeUnretainedValue(),
                previous.load(ordering: .relaxed)?.takeUnretainedValue(), other()
            )
        }
    }

    /// Replaces the current state, which becomes the previous one; by the owner.
    /// - Parameters:
    ///   - state: The new state.
    ///   - layout: The layout of the new state.
    ///   - change: Changes other values at the same moment, as seen by all readers.
    /// - Returns: The former previous state, for the caller to release.
    @inline(__always)
    func replace(
        by state: consuming OwnedObject,
        _ layout: ExistentialLayout,
        alongside change: () -> Void
    ) -> OwnedObject? {
        let new = unsafe state.take()
        let old = lock.withLock { _ in
            let old = unsafe previous.load(ordering: .relaxed)
            unsafe previous.store(self.state.load(ordering: .relaxed), ordering: .relaxed)
            unsafe self.state.store(new, ordering: .relaxed)
            unsafe words.store(layout.words, ordering: .relaxed)
            change()
            return unsafe UInt(bitPattern: old?.toOpaque())
        }
        guard let old = unsafe UnsafeRawPointer(bitPattern: old) else { return nil }
        return unsafe OwnedObject(retained: .fromOpaque(old))
    }

    /// Changes other values at one moment, as seen by all readers; by the owner.
    func change(_ change: () -> Void) { lock.withLock { _ in change() } }

    /// Calls a body with both objects, without lock and counting; by the owner.
    @inline(__always)
    func withOwnersView<Result>(_ body: (_ state: AnyObject, _ previous: AnyObject?) -> Result) -> Result {
        unsafe state.load(ordering: .relaxed)._withUnsafeGuaranteedRef { state in
            guard let previous = unsafe previous.load(ordering: .relaxed) else { return body(state, nil) }
            return unsafe previous._withUnsafeGuaranteedRef { body(state, $0) }
        }
    }
}
