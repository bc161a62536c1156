// What does a machine have around it besides its state?

import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Does the work of states in place of tasks of their own.
///
/// It returns whether it takes the work.
typealias WorkRunner = @Sendable (StateWork) -> Bool

/// What only some machines need: a place in a tree, deadlines and work, a context, a journal, another clock.
///
/// Others have none of it. It goes with its machine, and takes from the scheduler what still waits there.
final class MachineEnvironment: Sendable {
    /// Where it is among the machines that hold one another.
    let place = TreePlace()

    /// Where it writes down what happens, if it was asked to.
    let journal: JournalBook?

    /// That of the machine that it belongs to, or its own.
    var scheduler: Scheduler { holder?.scheduler ?? ownScheduler }

    /// Whether nothing is to be armed, because the machine is gone in a moment, as in a store's unit of work.
    var isPassive: Bool { passive.load(ordering: .relaxed) || holder?.isPassive == true }

    // Most machines never have a holder. So this is asked first, in place, and only then the holder itself by a call.
    @inline(__always)
    private var holder: MachineEnvironment? {
        place.mayHaveHolder ? place.holder.flatMap { $0.withCore { $0.environment } } : nil
    }

    private let ownScheduler: Scheduler

    /// Lets deadlines come; `nil` if the workflow has none.
    let timer: MachineTimer?

    private let passive = Atomic(false)

    /// When the current state was entered, as the bits of a time interval; changes with the state, in its lock.
    private let entryTime: Atomic<UInt64>
    private let activity = Lock(Activity())
    private let givenContext: Lock<GivenContext?>

    /// What is known of the effects of the tree, of which this machine is the root.
    let effectNote = Lock(EffectNote())

    /// The work of the current state, and who does it.
    private struct Activity: Sendable {
        var work: StateWork?

        /// Does the work of states, in place of tasks of their own.
        var runner: WorkRunner?
    }

    init(
        _ scheduler: Scheduler,
        _ context: GivenContext?,
        entered: Date?,
        journal: Journal? = nil,
        timer: MachineTimer? = nil
    ) {
        ownScheduler = scheduler
        self.timer = timer
        self.journal = journal.map(JournalBook.init)
        givenContext = Lock(context)
        entryTime = Atomic((entered ?? scheduler.date).timeIntervalSinceReferenceDate.bitPattern)
    }

    /// What the machine was given; `nil` before that, and in a workflow without a context.
    var context: GivenContext? { givenContext.withLock { $0 } }

    /// Gives the machine a context, unless it has one.
    func give(_ context: GivenContext) {
        givenContext.withLock { given in
            if given == nil { given = context }
        }
    }

    var entered: Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: entryTime.load(ordering: .relaxed)))
    }

    /// Notes when the current state was entered; before anybody else knows the machine, or together with the state, in its lock.
    func note(entered date: Date) {
        entryTime.store(date.timeIntervalSinceReferenceDate.bitPattern, ordering: .relaxed)
    }

    /// What is noted of a state at the moment when the machine shows it.
    struct Entry {
        private let environment: MachineEnvironment
        private let date: Date

        init(_ environment: MachineEnvironment) {
            self.environment = environment
            date = environment.scheduler.date
        }

        func note() { environment.note(entered: date) }
    }

    /// Lets nothing be armed and no work begin from now on, here and in the machines in the state.
    func becomePassive() { passive.store(true, ordering: .relaxed) }

    // There is a note beside the lock while there is work, so that nobody takes the lock where there is none.

    /// The work of the current state, also when it was completed.
    var work: StateWork? { activity.note == 0 ? nil : activity.withLock { $0.work } }

    /// Keeps the work of the current state, unless it has some; by the machine's owner.
    func keep(_ work: StateWork) -> Bool {
        activity.withLock { contents in
            guard contents.work == nil else { return false }
            contents.work = work
            activity.changeNote(1)
            return true
        }
    }

    /// Takes the work out; by the machine's owner, or when the machine or its holder is gone.
    ///
    /// In the second case the owner may keep work on another thread just after this. That ends with the machine, and what it fires is rejected.
    private func takeWork() -> StateWork? {
        if activity.note == 0 { return nil }
        return activity.withLock { contents in
            activity.changeNote(0)
            return contents.work.take()
        }
    }

    /// What went on in a state and does not count any more, for somebody who ends it: that calls users' code.
    struct TakenActivity {
        fileprivate let deadlines: MachineTimer.Setting?
        fileprivate let work: StateWork?

        func end() {
            deadlines?.end()
            work?.end()
        }
    }

    /// Ends what goes on in the current state.
    func endActivity() { takeActivity().end() }

    /// Lets no deadline come any more, and no work count.
    func takeActivity() -> TakenActivity {
        TakenActivity(deadlines: timer?.take(), work: takeWork())
    }

    /// Ends the work of a state, so that there may be another one.
    func endWork() { takeWork()?.end() }

    /// Sets or removes what does the work of states in place of tasks of their own.
    /// - Returns: Whether it was set or removed; not if there is another one already.
    @discardableResult
    func setRunner(_ runner: WorkRunner?) -> Bool {
        // The one before is released when the lock is free.
        var other = runner
        return activity.withLock { activity in
            if runner != nil, activity.runner != nil { return false }
            swap(&activity.runner, &other)
            return true
        }
    }

    /// Lets some work be done by the machine's runner, by that of the nearest machine around it that takes it, or in a task of its own.
    func begin(_ work: StateWork) {
        if !handToRunner(work) { WorkLine.append(work) }
    }

    private func handToRunner(_ work: StateWork) -> Bool {
        if let runner = activity.withLock({ $0.runner }), runner(work) { return true }
        return holder?.handToRunner(work) ?? false
    }

    deinit { endActivity() }
}
