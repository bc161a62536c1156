public import Synchronization

/// What a machine is: the same for every workflow, and so compiled once and not for each.
///
/// ``StateMachine`` is this with types.
@usableFromInline
struct MachineCore: ~Copyable, @unchecked Sendable {
    // Unchecked, because of the addresses: `run` is used by the thread whose turn it is and nobody else, `state`, `tail`
    // and `previous` are changed by that thread in the lock and read by it or in the lock, `ownHooks` is written once and lives
    // as long as the machine.

    @usableFromInline let definition: Definition
    @usableFromInline let turn = Turn()

    /// The turn under way, on the stack of the thread that has it; `nil` again before the turn is passed.
    @usableFromInline let run = Atomic<UnsafeMutablePointer<Run>?>(nil)

    /// The closures that were added to this machine, once there was one.
    let ownHooks = Atomic<Unmanaged<OwnHooks>?>(nil)

    /// Held for a few instructions by whoever reads or changes the state; never while user code runs.
    ///
    /// What it protects is not inside it, because the thread whose turn it is reads without it.
    @usableFromInline let lock = Mutex<Void>(())
    @usableFromInline let standing: Atomic<UInt32>
    @usableFromInline let state: Atomic<Unmanaged<AnyObject>>

    /// What follows the state object in what is handed out: beside it, because readers are the hottest of all.
    @usableFromInline let tail: Atomic<UnsafePointer<UInt>>
    let previous: Atomic<Unmanaged<AnyObject>?>
    let revision: Atomic<Int>

    /// Takes over both objects: the state and the one before it.
    @usableFromInline
    init(
        _ definition: Definition,
        in state: Unmanaged<AnyObject>,
        _ standing: Standing,
        revision: Int = 0,
        previous: Unmanaged<AnyObject>? = nil
    ) {
        self.definition = definition
        self.state = Atomic(state)
        tail = Atomic(definition.tail(standing.index))
        self.standing = Atomic(standing.bits)
        self.revision = Atomic(revision)
        self.previous = Atomic(previous)
    }

    @usableFromInline
    deinit {
        state.load(ordering: .relaxed).release()
        previous.load(ordering: .relaxed)?.release()
        ownHooks.load(ordering: .relaxed)?.release()
    }
}

/// In which state a machine is, by number, and what is due before its first transition.
@usableFromInline
struct Standing: Sendable {
    @usableFromInline
    enum Activation: UInt32, Sendable {
        /// Nothing.
        case done

        /// To call the hooks of entering the state.
        case entry

        /// To tell the state that it was restored.
        case restoring
    }

    @usableFromInline let bits: UInt32

    @inlinable
    init(bits: UInt32) { self.bits = bits }

    @usableFromInline
    init(_ index: Int, _ activation: Activation) {
        bits = UInt32(truncatingIfNeeded: index) << 2 | activation.rawValue
    }

    @inlinable var index: Int { Int(bits >> 2) }

    var isActive: Bool { activation == .done }

    var activation: Activation { Activation(rawValue: bits & 3) ?? .done }
}

// MARK: - Reading

extension MachineCore {
    @inlinable var now: Standing { Standing(bits: standing.load(ordering: .relaxed)) }

    /// The number of the state for which a fire on this thread would be validated.
    @inlinable var expectedIndex: Int {
        if turn.isMine, let run = run.load(ordering: .relaxed) { return run.pointee.expected }
        return now.index
    }

    /// Everything about a machine as of one moment.
    struct Moment: @unchecked Sendable {
        // Unchecked, because the compiler does not know that these are states, which are Sendable.
        var state: AnyObject
        var previous: AnyObject?
        var standing: Standing
        var revision: Int
    }

    var moment: Moment {
        lock.withLock { _ in
            Moment(
                state: state.load(ordering: .relaxed).takeUnretainedValue(),
                previous: previous.load(ordering: .relaxed)?.takeUnretainedValue(),
                standing: now,
                revision: revision.load(ordering: .relaxed)
            )
        }
    }

    init(_ definition: Definition, _ moment: Moment) {
        self.init(
            definition,
            in: Unmanaged.passRetained(moment.state),
            moment.standing,
            revision: moment.revision,
            previous: moment.previous.map { Unmanaged.passRetained($0) }
        )
    }
}
