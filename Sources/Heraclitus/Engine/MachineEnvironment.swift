// What does a machine have around it that its archives do not keep?

import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a machine works with whose states have deadlines: other machines have none of this.
///
/// It goes with its machine, and takes from the scheduler what still waits there.
final class MachineEnvironment: Sendable {
    let scheduler: Scheduler

    /// Whether nothing is to be armed, because the machine is gone in a moment, as in a store's unit of work.
    var isPassive: Bool { passive.load(ordering: .relaxed) }

    private let passive = Atomic(false)

    /// When the current state was entered, as the bits of a time interval; changes with the state, in its lock.
    private let entryTime: Atomic<UInt64>
    private let alarms = Lock<[Alarm]>([])

    init(_ scheduler: Scheduler, entered: Date?) {
        self.scheduler = scheduler
        entryTime = Atomic((entered ?? scheduler.date).timeIntervalSinceReferenceDate.bitPattern)
    }

    var entered: Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: entryTime.load(ordering: .relaxed)))
    }

    /// That the current state is entered now, to be noted at the moment when the machine shows it.
    var entry: Entry { Entry(environment: self, date: scheduler.date) }

    struct Entry {
        fileprivate let environment: MachineEnvironment
        fileprivate let date: Date

        func note() {
            environment.entryTime.store(date.timeIntervalSinceReferenceDate.bitPattern, ordering: .relaxed)
        }
    }

    /// Lets nothing be armed from now on.
    func becomePassive() {
        passive.store(true, ordering: .relaxed)
        replaceAlarms(by: [])
    }

    /// Puts alarms into the place of those that there are, which do not come any more.
    func replaceAlarms(by new: [Alarm]) {
        let old = alarms.withLock { alarms in
            let old = alarms
            alarms = new
            return old
        }
        for alarm in old { alarm.disarm(scheduler) }
        for alarm in new { alarm.arm(scheduler) }
    }

    deinit {
        for alarm in alarms.withLock({ $0 }) { alarm.disarm(scheduler) }
    }
}

/// An event that is to fire by itself at a date, for one state object of one machine.
final class Alarm: Due {
    private weak let machine: (any AutomaticMachine)?
    private let deadline: CompiledDeadline
    private let state: any WorkflowState
    private let date: Date
    private let ticket = Lock<Scheduler.Ticket?>(nil)

    init(_ deadline: CompiledDeadline, at date: Date, in state: any WorkflowState, of machine: any AutomaticMachine) {
        self.deadline = deadline
        self.date = date
        self.state = state
        self.machine = machine
    }

    func arm(_ scheduler: Scheduler) {
        let added = scheduler.add(self, at: date)
        ticket.withLock { $0 = added }
    }

    func disarm(_ scheduler: Scheduler) {
        if let ticket = ticket.withLock({ $0 }) { scheduler.remove(ticket) }
    }

    func comesDue(at date: Date) {
        guard let machine else { return }
        // The scheduler's thread is not to wait for the callbacks of one machine while others are due.
        if machine.isOwnedElsewhere {
            Task { _ = machine.fire(deadline, in: state, due: date) }
        } else {
            _ = machine.fire(deadline, in: state, due: date)
        }
    }
}

/// A machine whose events fire by themselves.
protocol AutomaticMachine: AnyObject, Sendable {
    /// Whether a transition is under way on another thread.
    var isOwnedElsewhere: Bool { get }

    /// Fires an event for which the time has come, if a state is still the current one.
    /// - Returns: Whether it has become a transition, or is going to.
    func fire(_ deadline: CompiledDeadline, in state: any WorkflowState, due date: Date) -> Bool
}
