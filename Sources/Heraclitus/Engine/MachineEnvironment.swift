// What does a machine have around it that its archives do not keep?

import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a machine works with whose states have deadlines or hold machines, whose workflow has a context, or that is held itself: others
/// have none of this.
///
/// It goes with its machine, and takes from the scheduler what still waits there.
final class MachineEnvironment: Sendable {
    /// Where it is among the machines that hold one another.
    let place = TreePlace()

    /// That of the machine that it belongs to, or its own.
    var scheduler: Scheduler { holder?.scheduler ?? ownScheduler }

    /// Whether nothing is to be armed, because the machine is gone in a moment, as in a store's unit of work.
    var isPassive: Bool { passive.load(ordering: .relaxed) || holder?.isPassive == true }

    private var holder: MachineEnvironment? { place.holder.flatMap { $0.withCore { $0.environment } } }

    private let ownScheduler: Scheduler

    private let passive = Atomic(false)

    /// When the current state was entered, as the bits of a time interval; changes with the state, in its lock.
    private let entryTime: Atomic<UInt64>
    private let deadlines = Lock<StateDeadlines?>(nil)
    private let givenContext: Lock<GivenContext?>

    init(_ scheduler: Scheduler, _ context: GivenContext?, entered: Date?) {
        ownScheduler = scheduler
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
        replaceDeadlines(by: nil)
    }

    /// Puts the deadlines of the state that was entered or updated into the place of those before, which do not come any more.
    func replaceDeadlines(by new: StateDeadlines?) {
        let old = deadlines.withLock { deadlines in
            let old = deadlines
            deadlines = new
            return old
        }
        old?.end()
    }

    deinit { deadlines.withLock { $0 }?.end() }
}
