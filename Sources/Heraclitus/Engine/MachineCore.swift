// The core of a machine.

import HeraclitusEssentials
public import Synchronization

/// The parts of a machine.
///
/// They are the same for every workflow, and therefore compiled once.
///
/// ``StateMachine`` adds the types. Readers need no ownership: `status` and `revision` are single words, which change
/// with the state, under the lock of `cell`.
@usableFromInline
struct MachineCore: ~Copyable, Sendable {
    @usableFromInline let definition: Definition
    let ownership: OwnershipLock
    let revision: Atomic<Int>

    /// The state, and under the same lock the closures added to this machine.
    @usableFromInline let cell: StateCell<ClosureList>
    @usableFromInline let status: Atomic<UInt32>

    /// The clock, deadlines and work; `nil` if the workflow has none.
    let activity: MachineActivity?

    /// The journal; `nil` if the machine keeps none.
    let journal: JournalBook?

    private let givenPlace = LateReference<TreePlace>()
    private let givenContext = LateReference<GivenContext>()

    init(
        _ definition: Definition,
        _ snapshot: Snapshot,
        _ scheduler: Scheduler? = nil,
        _ context: GivenContext? = nil
    ) {
        // Without a date of entry, the time in the state begins now. A machine put aside begins when it is resumed,
        // because its time has stood still since then.
        let isAging = definition.states[snapshot.status.index].hooks.isAging
        let entered = snapshot.entered ?? (isAging ? nil : snapshot.putAside)
        self.init(
            definition,
            OwnedObject(snapshot.state),
            snapshot.status,
            snapshot.revision,
            snapshot.previous,
            isPutAside: snapshot.putAside != nil,
            activity: definition.activity(scheduler, entered: entered),
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
        ownership = OwnershipLock(belongsToHolder: isPutAside)
        cell = StateCell(
            state,
            definition.knownLayout(of: status.index),
            previous: previous,
            beside: ClosureList()
        )
        self.status = Atomic(status.bits)
        self.revision = Atomic(revision)
        if let context { give(context) }
    }

    /// The largest revision.
    ///
    /// Every JSON reader, and an `Int` on every platform, keeps it exactly.
    static var largestRevision: Int { Int(exactly: UInt64(1) << 53) ?? .max }
}

/// A machine at one moment.
package struct Snapshot {
    package var state: AnyObject
    var previous: AnyObject?
    var status: PackedStatus
    var revision: Int

    /// The date of entering the state, if the state uses it.
    var entered: Date?

    /// The date when the machine was put aside; `nil` if a current state holds it.
    var putAside: Date?

    /// The journal; `nil` if the machine keeps none.
    package var journal: Journal?

    /// The unread parts of the archive, as long as the machine is in the archive's state.
    var unread = UnreadParts()
}

/// The state's number, and the pending activation.
@frozen @usableFromInline
struct PackedStatus: Sendable {
    /// An activation that is to come.
    ///
    /// The number 0 stands for none.
    @usableFromInline
    enum Activation: UInt32, Sendable {
        /// Calls the hooks of entering the state.
        case entry = 1

        /// Tells the state that it was restored.
        case restoring

        /// Begins deadlines and work again, in an active machine's copy or after a suspension.
        case resumption
    }

    @usableFromInline let bits: UInt32

    @inlinable
    init(bits: UInt32) { self.bits = bits }

    @usableFromInline
    init(_ index: Int, pending: Activation? = nil) {
        bits = UInt32(truncatingIfNeeded: index) << 2 | (pending?.rawValue ?? 0)
    }

    @inlinable var index: Int { Int(bits >> 2) }

    var pending: Activation? { Activation(rawValue: bits & 3) }

    @inline(__always)
    var needsActivation: Bool { bits & 3 != 0 }

    /// Whether the state was entered or restored and is still current.
    var isActive: Bool { pending == nil || pending == .resumption }
}

// MARK: - Reading

extension MachineCore {
    @inlinable var now: PackedStatus { PackedStatus(bits: status.load(ordering: .relaxed)) }

    var currentRevision: Int { revision.load(ordering: .relaxed) }

    var snapshot: Snapshot {
        let place = place
        let (putAside, unread) = (place?.putAside, place?.unread ?? UnreadParts())
        let (state, previous, other) = cell.read {
            (
                status: now, revision: revision.load(ordering: .relaxed), entered: activity?.entered,
                journal: journal?.journal
            )
        }
        // Another thread may have left the state since they were read.
        let isOfState = !unread.isEmpty && place.map { other.revision < $0.unreadEnd } == true
        return Snapshot(
            state: state,
            previous: previous,
            status: other.status,
            revision: other.revision,
            entered: other.entered,
            putAside: putAside,
            journal: other.journal,
            unread: isOfState ? unread : UnreadParts()
        )
    }

    /// The current state without its workflow's type.
    var currentState: any WorkflowState {
        let (state, _, index) = cell.read { now.index }
        return definition.states[index].type.typed(state)
    }

    /// The number of the state against which a fire on this thread is validated.
    @inline(__always)
    func expectedState(of machine: AnyObject) -> Int {
        // Usually the machine is free, and the thread is irrelevant.
        ownership.isFree ? now.index : expectedStateInTurn(of: machine)
    }

    @inline(never)
    private func expectedStateInTurn(of machine: AnyObject) -> Int {
        let thread = ThreadState.ofThreads.current
        guard thread.content.hasTurn(of: ObjectIdentifier(machine)) else { return now.index }
        return thread.content.withTurn(of: ObjectIdentifier(machine)) { $0.expected }
    }

    /// The state object.
    ///
    /// Call it, and the next three, in the machine's turn.
    @inline(__always)
    var currentObject: AnyObject { cell.withOwnersView { state, _ in state } }

    /// The destination of the last queued transition, if there is one.
    @inline(__always)
    func queuedObject(_ call: borrowing Call) -> AnyObject? {
        call.turn { $0.lastQueued?.transition.destinationObject }
    }

    /// The state object that all accepted transitions lead to.
    func expectedObject(_ call: borrowing Call) -> AnyObject { queuedObject(call) ?? currentObject }

    /// The state object that a candidate leaves.
    @usableFromInline
    func source(of candidate: CandidateTransition) -> AnyObject { candidate.queuedSource ?? currentObject }

    /// The layout of the state that a candidate leaves.
    @usableFromInline
    func sourceLayout(of candidate: CandidateTransition) -> ExistentialLayout {
        definition.knownLayout(of: candidate.source)
    }
}

// MARK: - Place and context

extension MachineCore {
    /// The place in a tree of machines; `nil` for a machine that was always alone.
    @inline(__always)
    var place: TreePlace? { givenPlace.object }

    /// The machines in the state.
    var regions: [any TreeMachine] { place?.regions ?? [] }

    /// The place in a tree, made on demand.
    var madePlace: TreePlace { place ?? givenPlace.storeIfNil(TreePlace()) }

    /// The context of the states; `nil` before the machine gets it, and in a workflow without a context.
    var context: GivenContext? { givenContext.object }

    /// Whether the machine has the context that its states need.
    var isEquipped: Bool { !definition.needsContext || context != nil }

    /// Gives the machine a context, unless it has one.
    func give(_ context: GivenContext) {
        let first = givenContext.storeIfNil(context)
        if !context.closures.isEmpty, first === context { _ = addClosures(context.closures) }
    }
}
