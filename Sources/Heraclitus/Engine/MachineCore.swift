// What is a machine?

import HeraclitusEssentials
public import Synchronization

/// The parts of a machine: the same for every workflow, and so compiled once and not for each.
///
/// ``StateMachine`` adds the types. Readers need no ownership: `status` and `revision` are single words, which change in the lock of
/// `state` together with it.
@usableFromInline
struct MachineCore: ~Copyable, Sendable {
    @usableFromInline let definition: Definition
    let ownership: OwnershipLock
    let revision: Atomic<Int>

    /// The state, and in the same lock the closures that were added to this machine.
    @usableFromInline let state: StateCell<CallbackList>
    @usableFromInline let status: Atomic<UInt32>

    /// Its clock, deadlines and work, if anything goes on by itself in its states.
    let activity: MachineActivity?

    /// Its journal, if it keeps one.
    let journal: JournalBook?

    private let givenPlace = LateReference<TreePlace>()
    private let givenContext = LateReference<GivenContext>()

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
            isPutAside: snapshot.putAside != nil,
            activity: definition.activity(scheduler, entered: snapshot.entered),
            journal: definition.journalBook(snapshot.journal),
            context
        )
        if let date = snapshot.putAside { madePlace.notePutAside(since: date) }
        if !snapshot.unread.isEmpty { keep(snapshot.unread) }
    }

    init(
        _ definition: Definition,
        _ state: consuming OwnedObject,
        _ status: PackedStatus,
        _ revision: Int = 0,
        _ previous: AnyObject? = nil,
        isPutAside: Bool = false,
        activity: MachineActivity?,
        journal: JournalBook?,
        _ context: GivenContext?
    ) {
        self.definition = definition
        self.activity = activity
        self.journal = journal
        ownership = OwnershipLock(isHeld: isPutAside)
        self.state = StateCell(
            state,
            definition.knownLayout(of: status.index),
            previous: previous,
            beside: CallbackList(hasJournal: journal != nil)
        )
        self.status = Atomic(status.bits)
        self.revision = Atomic(revision)
        if journal != nil { self.state.lock.changeNote(CallbackPhases.journal.rawValue) }
        if let context { give(context) }
    }

    /// The largest revision: every JSON reader keeps it exactly, and so does an `Int` on every platform.
    static var largestRevision: Int { Int(exactly: UInt64(1) << 53) ?? .max }
}

/// A machine as of one moment.
package struct Snapshot {
    package var state: AnyObject
    var previous: AnyObject?
    var status: PackedStatus
    var revision: Int

    /// When the state was entered, as far as anything follows from that.
    var entered: Date?

    /// When the machine was put aside, if a holder has left the state that held it.
    var putAside: Date?

    /// What has happened so far, if the machine keeps that.
    var journal: Journal?

    /// The members of the state's data that its class did not read: another release of the program may have added them.
    var unread: [String: JSONValue] = [:]
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
        let (putAside, unread) = (place?.putAside, place?.unread ?? [:])
        let (state, previous, other) = state.read {
            (now, revision.load(ordering: .relaxed), activity?.entered, journal?.journal)
        }
        return Snapshot(
            state: state,
            previous: previous,
            status: other.0,
            revision: other.1,
            entered: other.2,
            putAside: putAside,
            journal: other.3,
            unread: unread
        )
    }

    /// The number of the state against which a fire on this thread would be validated.
    @inline(__always)
    func expectedState(of machine: AnyObject) -> Int {
        // Mostly nobody owns it, and then it does not matter which thread calls.
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
        if ownership.isHeld { return place?.holder?.isOwnedElsewhere ?? false }
        guard let owner = ownership.ownerNumber else { return false }
        return owner != ThreadState.ofThreads.current.id.number
    }

    /// Calls a body when another thread has ended the turn that is under way, on that thread.
    /// - Returns: Whether there is such a turn. If not, the body is not called.
    func whenReleased(_ machine: any Parkable, _ body: @escaping @Sendable () -> Void) -> Bool {
        if ownership.isHeld { return place?.holder?.whenReleased(body) ?? false }
        return ParkingLot.shared.whenReleased(machine, byOtherThan: ThreadState.ofThreads.current.id, body)
    }

    /// The state that a candidate leaves; in the turn that it belongs to.
    @usableFromInline
    func source(of candidate: CandidateTransition) -> AnyObject {
        candidate.queuedSource ?? state.withOwnersView { state, _ in state }
    }

    /// How the state that a candidate leaves is handed out.
    @usableFromInline
    func sourceLayout(of candidate: CandidateTransition) -> ExistentialLayout {
        definition.knownLayout(of: candidate.source)
    }
}

// MARK: - What it is given

extension MachineCore {
    /// Its place among the machines that hold one another; `nil` for one that never held another or was held.
    @inline(__always)
    var place: TreePlace? { givenPlace.object }

    /// Its place, made if it has none.
    var madePlace: TreePlace { place ?? givenPlace.storeIfNil(TreePlace()) }

    /// What the machine was given for its states; `nil` before that, and in a workflow without a context.
    var context: GivenContext? { givenContext.object }

    /// Gives the machine a context, unless it has one.
    func give(_ context: GivenContext) {
        let first = givenContext.storeIfNil(context)
        if !context.callbacks.isEmpty, first === context { _ = addCallbacks(context.callbacks) }
    }
}
