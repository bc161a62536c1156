// What does a machine need for the things that go on by themselves in its states?

import HeraclitusEssentials
import Synchronization

/// Does the work of states in place of tasks of their own.
///
/// It returns whether it takes the work.
typealias WorkRunner = @Sendable (StateWork) -> Bool

/// The clock, the deadlines and the work of a machine in whose states anything goes on by itself; other machines have none.
///
/// It goes with its machine, and then takes from the scheduler what still waits there.
final class MachineActivity: Sendable {
    /// The machine's own scheduler; a machine that belongs to another one goes by that one's.
    let scheduler: Scheduler

    /// Lets deadlines come; `nil` if the workflow has none.
    let timer: MachineTimer?

    private let passive = Atomic(false)

    /// When the current state was entered, as the bits of a time interval; changes with the state, in its lock.
    private let entryTime: Atomic<UInt64>
    private let working = Lock(Working())

    private struct Working: Sendable {
        /// The work of the current state, also when it was completed.
        var work: StateWork?

        /// Does the work of states, in place of tasks of their own.
        var runner: WorkRunner?
    }

    init(_ scheduler: Scheduler, entered: Date?, hasDeadlines: Bool) {
        self.scheduler = scheduler
        timer = hasDeadlines ? MachineTimer() : nil
        entryTime = Atomic((entered ?? scheduler.date).timeIntervalSinceReferenceDate.bitPattern)
    }

    deinit { end() }

    // MARK: Time

    /// When the current state was entered, by a clock that stands still while the machine is put aside.
    var entered: Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: entryTime.load(ordering: .relaxed)))
    }

    /// Notes when the current state was entered; before anybody else knows the machine, or together with the state, in its lock.
    func note(entered date: Date) {
        entryTime.store(date.timeIntervalSinceReferenceDate.bitPattern, ordering: .relaxed)
    }

    /// Whether nothing is to be armed, because the machine is gone in a moment, as in a store's unit of work.
    var isPassive: Bool { passive.load(ordering: .relaxed) }

    /// Lets nothing be armed and no work begin from now on, here and in the machines in the state.
    func becomePassive() { passive.store(true, ordering: .relaxed) }

    // MARK: Work

    // There is a note beside the lock while there is work, so that nobody takes the lock where there is none.

    /// The work of the current state, also when it was completed.
    var work: StateWork? { working.note == 0 ? nil : working.withLock { $0.work } }

    /// Keeps the work of the current state, unless it has some; by the machine's owner.
    func keep(_ work: StateWork) -> Bool {
        working.withLock { contents in
            guard contents.work == nil else { return false }
            contents.work = work
            working.changeNote(1)
            return true
        }
    }

    /// Takes the work out; by the machine's owner, or when the machine or its holder is gone.
    ///
    /// In the second case the owner may keep work on another thread just after this. That ends with the machine, and what it fires is rejected.
    private func takeWork() -> StateWork? {
        if working.note == 0 { return nil }
        return working.withLock { contents in
            working.changeNote(0)
            return contents.work.take()
        }
    }

    /// Ends the work of a state, so that there may be another one.
    func endWork() { takeWork()?.end() }

    /// Sets or removes the closure that does the work of states in place of tasks of their own.
    /// - Returns: Whether it was set or removed; not if there is another one already.
    @discardableResult
    func setRunner(_ runner: WorkRunner?) -> Bool {
        // The one before is released when the lock is free.
        var other = runner
        return working.withLock { contents in
            if runner != nil, contents.runner != nil { return false }
            swap(&contents.runner, &other)
            return true
        }
    }

    /// Offers some work to the runner.
    /// - Returns: Whether there is one, and it takes the work.
    func handToRunner(_ work: StateWork) -> Bool { working.withLock { $0.runner }?(work) ?? false }

    // MARK: The end

    /// Deadlines and work that do not count any more, for a caller that ends them: that calls users' code.
    struct Taken {
        fileprivate let deadlines: MachineTimer.Setting?
        fileprivate let work: StateWork?

        func end() {
            deadlines?.end()
            work?.end()
        }
    }

    /// Lets no deadline come any more, and no work count.
    func take() -> Taken { Taken(deadlines: timer?.take(), work: takeWork()) }

    /// Ends what goes on in the current state.
    func end() { take().end() }
}
