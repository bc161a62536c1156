// What is a machine?

public import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a machine consists of: the same for every workflow, and so compiled once and not for each.
///
/// ``StateMachine`` is this with types. Who reads needs no ownership: `status` and `revision` are single words, which change in the
/// lock of `state` together with it.
@usableFromInline
struct MachineCore: ~Copyable, Sendable {
    @usableFromInline let definition: Definition
    let ownership = OwnershipLock()
    let revision: Atomic<Int>

    /// The state, and in the same lock the closures that were added to this machine.
    @usableFromInline let state: StateCell<[CallbackEntry]>
    @usableFromInline let status: Atomic<UInt32>

    init(
        _ definition: Definition,
        _ snapshot: Snapshot,
        _ scheduler: Scheduler? = nil,
        _ context: GivenContext? = nil
    ) {
        self.init(
            definition,
            OwnedObject(snapshot.state),
            snapshot.status,
            snapshot.revision,
            snapshot.previous,
            environment: definition.environment(
                scheduler,
                context,
                entered: snapshot.entered,
                journal: snapshot.journal
            )
        )
    }

    init(
        _ definition: Definition,
        _ state: consuming OwnedObject,
        _ status: PackedStatus,
        _ revision: Int = 0,
        _ previous: AnyObject? = nil,
        environment: MachineEnvironment? = nil
    ) {
        self.definition = definition
        self.state = StateCell(
            state,
            definition.knownLayout(of: status.index),
            previous: previous,
            beside: environment.map { [CallbackEntry(.environment($0), number: CallbackEntry.newNumber())] } ?? []
        )
        self.status = Atomic(status.bits)
        self.revision = Atomic(revision)
        if environment?.journal != nil { self.state.lock.changeNote(CallbackPhases.journal.rawValue) }
    }

    /// The largest revision: every JSON reader keeps it exactly, and so does an `Int` on every platform.
    static var largestRevision: Int { Int(exactly: UInt64(1) << 53) ?? .max }
}

/// Everything about a machine as of one moment.
struct Snapshot {
    var state: AnyObject
    var previous: AnyObject?
    var status: PackedStatus
    var revision: Int

    /// When the state was entered, as far as anybody needs to know.
    var entered: Date?

    /// What has happened so far, if the machine keeps that.
    var journal: Journal?
}

/// In which state a machine is, by number, and what is due before its first transition.
@frozen @usableFromInline
struct PackedStatus: Sendable {
    @usableFromInline
    enum Activation: UInt32, Sendable {
        /// Nothing.
        case done

        /// To call the hooks of entering the state.
        case entry

        /// To tell the state that it was restored.
        case restoring

        /// To begin what goes on in the state of a copy of an active machine.
        case resumption
    }

    @usableFromInline let bits: UInt32

    @inlinable
    init(bits: UInt32) { self.bits = bits }

    @usableFromInline
    init(_ index: Int, _ activation: Activation) {
        bits = UInt32(truncatingIfNeeded: index) << 2 | activation.rawValue
    }

    @inlinable var index: Int { Int(bits >> 2) }

    var activation: Activation { Activation(rawValue: bits & 3) ?? .done }

    @inline(__always)
    var isActive: Bool { bits & 3 == Activation.done.rawValue }

    /// Whether the state was entered or restored, and was not left since.
    var isEntered: Bool { isActive || activation == .resumption }
}

// MARK: - Reading

extension MachineCore {
    @inlinable var now: PackedStatus { PackedStatus(bits: status.load(ordering: .relaxed)) }

    var currentRevision: Int { revision.load(ordering: .relaxed) }

    var snapshot: Snapshot {
        let environment = environment
        let (state, previous, other) = state.read {
            (now, revision.load(ordering: .relaxed), environment?.entered, environment?.journal?.journal)
        }
        return Snapshot(
            state: state,
            previous: previous,
            status: other.0,
            revision: other.1,
            entered: other.2,
            journal: other.3
        )
    }

    /// Whether, at some moment of this call, nobody owned the machine and it was active with a status that was read before.
    ///
    /// While a machine is owned, callbacks may have accepted more than it shows.
    @inline(__always)
    func isAtRest(_ status: PackedStatus) -> Bool {
        let revision = revision.load(ordering: .acquiring)
        // Passing through is such a moment: what the last owner wrote is seen from then on, and the next one has written nothing yet. A status
        // that is read afterwards is the one at rest or a later one. A later one brings its revision along, which is stored
        // first; the largest revision no longer tells.
        return status.isActive && revision < Self.largestRevision && ownership.passThrough()
            && self.status.load(ordering: .acquiring) == status.bits && revision == currentRevision
    }

    /// The number of the state against which a fire on this thread would be validated.
    @inline(__always)
    func expectedState(of machine: AnyObject) -> Int {
        // Mostly nobody owns it, and then who is calling need not be found out.
        ownership.isFree ? now.index : expectedStateInTurn(of: machine)
    }

    @inline(never)
    private func expectedStateInTurn(of machine: AnyObject) -> Int {
        let thread = ThreadState.ofThreads.current
        guard thread.content.hasTurn(of: ObjectIdentifier(machine)) else { return now.index }
        return thread.content.withTurn(of: ObjectIdentifier(machine)) { $0.expected }
    }

    /// Whether a transition is under way on another thread, as far as a look from outside can tell.
    var isOwnedByAnotherThread: Bool {
        if let other = machineNearerToOwner { return other.isOwnedElsewhere }
        guard let owner = ownership.ownerNumber, owner != ThreadState.ofThreads.current.id.number else { return false }
        return !ParkingLot.shared.hasEnded(owner: owner)
    }

    /// Calls a body when another thread has ended the turn that is under way, on that thread.
    /// - Returns: Whether there is such a turn. If not, the body is not called.
    func whenReleased(_ machine: any Parkable, _ body: @escaping @Sendable () -> Void) -> Bool {
        if let other = machineNearerToOwner { return other.whenReleased(body) }
        return ParkingLot.shared.whenReleased(machine, byOtherThan: ThreadState.ofThreads.current.id, body)
    }

    /// The state that a candidate leaves; in the turn that it belongs to.
    @usableFromInline
    func source(of candidate: CandidateTransition) -> AnyObject {
        candidate.queuedSource ?? state.withOwnersView { state, _ in state }
    }

    /// How it is handed out.
    @usableFromInline
    func sourceLayout(of candidate: CandidateTransition) -> ExistentialLayout {
        definition.knownLayout(of: candidate.source)
    }
}

// MARK: - Committing

extension MachineCore {
    /// Shows the destination to everybody who reads, from now on and all at once.
    /// - Returns: The state object that the machine keeps no longer.
    @inline(__always)
    func show(
        _ object: consuming OwnedObject,
        of state: Int,
        _ entry: MachineEnvironment.Entry?,
        _ line: JournalLine?
    ) -> OwnedObject? {
        let status = PackedStatus(state, .done)
        return self.state.replace(by: object, definition.knownLayout(of: state)) {
            let revision = revision.load(ordering: .relaxed)
            // In this order, for `isAtRest`, which reads without the lock.
            if revision < Self.largestRevision { self.revision.store(revision + 1, ordering: .releasing) }
            self.status.store(status.bits, ordering: .releasing)
            entry?.note()
            line?.write()
        }
    }

    /// Notes that the machine is active.
    func noteActivation(_ entry: MachineEnvironment.Entry?) {
        let status = PackedStatus(now.index, .done)
        state.change {
            // Releasing for `isAtRest`: a commit before it stays visible through it.
            self.status.store(status.bits, ordering: .releasing)
            entry?.note()
        }
    }

    /// Notes that what goes on in the state is to be begun again, if anything did.
    func noteSuspension() {
        state.change {
            // Asked here: the machine may be that of a holder which is gone, and be fired by another thread.
            guard now.isActive else { return }
            status.store(PackedStatus(now.index, .resumption).bits, ordering: .relaxed)
        }
    }
}
