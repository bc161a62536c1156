// Which events are due for one state object of a machine, and when?

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The deadlines of a state object from when it is entered, restored or updated until it is left or updated.
///
/// Only the first waits in the scheduler. So they come in order, also when the machine was busy while several have passed.
@usableFromInline
final class StateDeadlines: Due {
    typealias Deadline = (deadline: CompiledDeadline, date: Date)

    let state: any WorkflowState
    private weak let machine: (any AutomaticMachine)?
    private let scheduler: Scheduler
    private let contents: Lock<Contents>

    private struct Contents: Sendable {
        var waiting: ArraySlice<Deadline>
        var ticket: Scheduler.Ticket?
        var hasEnded = false

        /// Whether one is being fired.
        var isFiring = false
    }

    /// Makes the deadlines of a state object, in the order of their dates.
    init(
        _ deadlines: [Deadline],
        in state: any WorkflowState,
        of machine: any AutomaticMachine,
        _ scheduler: Scheduler
    ) {
        self.state = state
        self.machine = machine
        self.scheduler = scheduler
        contents = Lock(Contents(waiting: deadlines[...]))
    }

    /// Whether the state was left or updated.
    var hasEnded: Bool { contents.withLock { $0.hasEnded } }

    /// Takes the first deadline if it has passed, for somebody who fires it.
    func takeFirst(dueBy date: Date) -> Deadline? {
        contents.withLock { contents in
            guard !contents.hasEnded, let first = contents.waiting.first, first.date <= date else { return nil }
            contents.isFiring = true
            return contents.waiting.removeFirst()
        }
    }

    /// Fires a deadline that was taken.
    /// - Returns: Whether it has become a transition, or is going to.
    func fire(_ next: Deadline, _ machine: any AutomaticMachine) -> Bool {
        defer { contents.withLock { $0.isFiring = false } }
        return machine.fire(next.deadline, of: self, due: next.date)
    }

    /// Whether one has passed and was not fired yet.
    func isDue(by date: Date) -> Bool {
        contents.withLock { contents in
            guard !contents.hasEnded else { return false }
            return contents.isFiring || contents.waiting.first.map { $0.date <= date } ?? false
        }
    }

    /// Lets the first deadline wait in the scheduler.
    func arm() {
        guard let date = contents.withLock({ $0.hasEnded ? nil : $0.waiting.first?.date }) else { return }
        let ticket = scheduler.add(self, at: date)
        let hasEnded = contents.withLock { contents in
            contents.ticket = ticket
            return contents.hasEnded
        }
        if hasEnded { scheduler.remove(ticket) }
    }

    /// Lets none come any more.
    func end() {
        let ticket = contents.withLock { contents in
            contents.hasEnded = true
            return contents.ticket
        }
        if let ticket { scheduler.remove(ticket) }
    }

    func comesDue() {
        guard let machine else { return }
        // The scheduler's thread does not wait for the callbacks of one machine while others are due.
        if machine.isOwnedElsewhere { return comeWhenFree() }
        guard let next = takeFirst(dueBy: scheduler.date) else { return arm() }
        _ = fire(next, machine)
        arm()
    }

    private func comeWhenFree() {
        Task.detached { [weak self] in
            while self?.machine?.isOwnedElsewhere == true { try? await Task.sleep(for: .milliseconds(5)) }
            self?.comesDue()
        }
    }
}

/// A machine whose events fire by themselves.
protocol AutomaticMachine: AnyObject, Sendable {
    /// Whether a transition is under way on another thread.
    var isOwnedElsewhere: Bool { get }

    /// Fires an event for which the time has come, if the state is still the current one.
    /// - Returns: Whether it has become a transition, or is going to.
    func fire(_ deadline: CompiledDeadline, of deadlines: StateDeadlines, due date: Date) -> Bool

    /// Fires what is to follow from an error of a state's work, or tells observers of it.
    func workHasFailed(_ work: StateWork, _ error: any Error)
}
