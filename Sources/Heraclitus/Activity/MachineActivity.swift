// The deadlines and the work of a machine's states.

import HeraclitusEssentials
import Synchronization

/// Runs the work of states instead of a new task.
///
/// The closure returns whether it takes the work.
typealias WorkRunner = @Sendable (StateWork) -> Bool

/// The clock, the deadlines and the work of a machine.
///
/// Workflows without deadlines and work have none.
///
/// At the machine's end, its pending deadlines leave the scheduler.
final class MachineActivity: Sendable {
    /// The machine's own scheduler.
    ///
    /// A machine in a state uses its holder's scheduler instead.
    let scheduler: Scheduler

    /// The timer of the deadlines; `nil` if the workflow has none.
    let timer: MachineTimer?

    private let passive = Atomic(false)

    /// The date of entering the current state, as the bits of a time interval.
    ///
    /// It changes with the state, under the state's lock.
    private let entryTime: Atomic<UInt64>
    private let contents = Lock(Contents())

    private struct Contents: Sendable {
        /// The work of the current state, also after its completion.
        var work: StateWork?

        /// The closure that runs the work of states instead of a new task.
        var runner: WorkRunner?
    }

    init(_ scheduler: Scheduler, entered: Date?, hasDeadlines: Bool) {
        self.scheduler = scheduler
        timer = hasDeadlines ? MachineTimer() : nil
        entryTime = Atomic((entered ?? scheduler.date).timeIntervalSinceReferenceDate.bitPattern)
    }

    deinit { end() }

    // MARK: Time

    /// The date of entering the current state, by a clock that stands still while the machine is put aside.
    var entered: Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: entryTime.load(ordering: .relaxed)))
    }

    /// Records the date of entering the current state: before the machine is shared, or with the state under its lock.
    func note(entered date: Date) {
        entryTime.store(date.timeIntervalSinceReferenceDate.bitPattern, ordering: .relaxed)
    }

    /// Whether deadlines and work are off, as in a store's unit of work.
    var isPassive: Bool { passive.load(ordering: .relaxed) }

    /// Turns off deadlines and work for good.
    func becomePassive() { passive.store(true, ordering: .relaxed) }

    // MARK: Work

    /// The work of the current state, also after its completion.
    var work: StateWork? { contents.withLock { $0.work } }

    /// Keeps the work of the current state, unless there is some.
    ///
    /// Call it as the machine's owner.
    func keep(_ work: StateWork) -> Bool {
        contents.withLock { contents in
            guard contents.work == nil else { return false }
            contents.work = work
            return true
        }
    }

    /// Takes the work out.
    ///
    /// Call it as the machine's owner, or after the end of the machine or its holder.
    ///
    /// After the holder's end, another thread may begin new work just afterwards. That work ends with the machine, and
    /// its fires are rejected.
    func takeWork() -> StateWork? { contents.withLock { $0.work.take() } }

    /// Sets or removes the closure that runs work instead of a new task.
    /// - Returns: `false` if another closure is already set.
    @discardableResult
    func setRunner(_ runner: WorkRunner?) -> Bool {
        // The old closure is released outside the lock.
        var other = runner
        return contents.withLock { contents in
            if runner != nil, contents.runner != nil { return false }
            swap(&contents.runner, &other)
            return true
        }
    }

    /// Offers work to the runner.
    /// - Returns: Whether a runner takes the work.
    func handToRunner(_ work: StateWork) -> Bool { contents.withLock { $0.runner }?(work) ?? false }

    // MARK: The end

    /// Deadlines and work taken out for ending.
    ///
    /// Ending calls users' code.
    struct Taken {
        fileprivate let deadlines: MachineTimer.Setting?
        fileprivate let work: StateWork?

        func end() {
            deadlines?.end()
            work?.end()
        }
    }

    /// Takes out the deadlines and the work, which are then invalid.
    func take() -> Taken { Taken(deadlines: timer?.take(), work: takeWork()) }

    /// Takes out the deadlines and unfinished work until the next activation, which begins them again.
    ///
    /// Work that has returned stays, because it must not begin again.
    func suspend() -> Taken {
        Taken(
            deadlines: timer?.take(),
            work: contents.withLock { $0.work?.isCompleted == true ? nil : $0.work.take() }
        )
    }

    /// Ends the deadlines and the work of the current state.
    func end() { take().end() }
}
