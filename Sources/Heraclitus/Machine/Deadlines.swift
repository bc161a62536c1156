// The deadlines of a machine, and its date.
public import HeraclitusEssentials

extension StateMachine {
    /// The next deadline of the current state, or of a machine in that state; `nil` if there is none.
    ///
    /// It may have passed, if its event was rejected or the machine is inactive. A ``copy()`` counts as inactive until
    /// it is activated or fired itself.
    public var nextDeadline: Date? {
        if core.isReadAtOnce { return definition.firstDeadline(of: core.snapshot) }
        return TreeMoment.show([self]) { _ in definition.firstDeadline(of: core.snapshot) }
    }

    /// The past deadline of a restored, inactive machine, as text; `nil` for other machines.
    var missedDeadline: String? {
        guard !isActive, let deadline = nextDeadline, deadline <= now else { return nil }
        return ArchivedDate.text(of: max(deadline, .distantPast))
    }

    /// Turns off deadlines and work for good, for a machine that is about to be released.
    package func becomePassive() { core.becomePassive() }

    /// The due events of the machine and of machines in its state, for a store that fires them.
    package func deadlinesOfTree(by date: Date) -> [TreeDeadline] {
        let snapshot = core.snapshot
        guard core.activity != nil, let state = snapshot.state as? any WorkflowState else { return [] }
        let own = definition.deadlines(of: snapshot).filter { $0.date <= date }.map { next in
            TreeDeadline(
                id: .init(machine: ObjectIdentifier(self), revision: snapshot.revision, number: next.number),
                date: next.date
            ) {
                self.fireDeadline(next, of: state, in: nil)
            } reject: {
                self.rejectEndlessChain(next)
            }
        }
        return own + core.regions.flatMap { $0.deadlinesOfTree(by: date) }
    }

    /// The current date, by the machine's scheduler.
    ///
    /// Builders, hooks and work have the same date: ``MachineCall/now``, ``StateTransition/now`` and ``WorkCall/now``.
    /// Code that reads only these dates can be tested with a manual clock.
    public var now: Date { core.scheduler.date }
}

/// A deadline of a machine in a tree.
package struct TreeDeadline {
    /// The identity of a deadline until the next transition of its machine.
    package struct ID: Hashable {
        let machine: ObjectIdentifier
        let revision: Int
        let number: Int
    }

    package let id: ID
    package let date: Date

    /// Fires the event, and returns whether it has become a transition.
    package let fire: () -> Bool

    /// Rejects the event because the chain of events is too long, and tells observers.
    package let reject: () -> InvalidTransition
}
