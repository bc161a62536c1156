// How is written down what happens to a machine?
import HeraclitusEssentials

/// Where a machine writes down what happens to it: its turn writes, anybody reads.
final class JournalBook: Sendable {
    private let content: Lock<Journal>

    init(_ journal: Journal) { content = Lock(journal) }

    /// What was written so far.
    var journal: Journal { content.withLock { $0 } }

    /// Whether an event is rejected once more for the same reason, while the machine has made no transition.
    ///
    /// Whatever the error of a guard says: it may say how long it is still too early, and so never say the same twice.
    func hasRejection(like occurrence: Occurrence) -> Bool {
        let journal = journal
        return journal.reversed().prefix { $0.revision == occurrence.revision }.contains {
            $0.kind == .rejected && $0.event == occurrence.event && $0.reason == occurrence.reason
        }
    }

    /// Writes a line.
    /// - Returns: The number of the line; and the one that was dropped, to be released outside of locks.
    func add(_ occurrence: Occurrence) -> (line: Int, dropped: Occurrence?) {
        content.withLock { journal in
            let dropped = journal.add(occurrence)
            return (journal.droppedCount + journal.count, dropped)
        }
    }

    /// Writes beside a line how long callbacks took.
    func note(_ duration: Duration, at line: Int) {
        content.withLock { journal in journal.replace(line) { $0.lasting(duration) } }
    }
}

/// The line of a transition that is certain: written when the machine shows its destination, and at the end with how long that took.
final class JournalLine {
    private let book: JournalBook
    private let record: Occurrence.Record
    private let began = ContinuousClock.now
    private var occurrence: Occurrence?
    private var line: Int?

    /// What was dropped for it; released with this, which the turn retires.
    private var dropped: Occurrence?

    init(_ record: Occurrence.Record, in book: JournalBook) {
        self.book = book
        self.record = record
    }

    /// Dates it, before the lock is taken in which it is written.
    /// - Parameters:
    ///   - date: The date of the transition.
    ///   - revision: The revision before it.
    func date(_ date: Date, revision: Int) {
        let revision = min(revision + 1, MachineCore.largestRevision)
        occurrence = Occurrence(record, at: date, revision: revision)
    }

    /// Writes it.
    func write() {
        guard let occurrence else { return }
        (line, dropped) = book.add(occurrence)
    }

    /// Notes how long all callbacks took.
    func end() {
        guard let line else { return }
        let (seconds, attoseconds) = (ContinuousClock.now - began).components
        // As precise as it is written, so that nothing is lost on the way through an archive.
        book.note(.microseconds(seconds * 1_000_000 + attoseconds / 1_000_000_000_000), at: line)
    }
}

/// A line that was dropped for another one, for the turn to retire.
final class DroppedLine {
    let occurrence: Occurrence

    init(_ occurrence: Occurrence) { self.occurrence = occurrence }
}

extension UserInfo {
    /// The same with the descriptions of machines and states, for somebody who keeps it and is to keep none of them alive.
    ///
    /// Values with secret keys are not kept.
    func recorded(without secretKeys: Set<String> = []) -> UserInfo {
        func isLive(_ value: Value) -> Bool { value is any TreeMachine || value is any WorkflowState }
        let values = values
        guard values.contains(where: { isLive($0.value) || secretKeys.contains($0.key) }) else { return self }
        return UserInfo(
            values.filter { !secretKeys.contains($0.key) }.mapValues { isLive($0) ? text(of: $0) : $0 }
        )
    }
}

extension MachineCore {
    /// Begins the line of a transition, if the machine keeps a journal.
    @inline(__always)
    func journalLine(
        of plan: TransitionPlan,
        to state: @autoclosure () -> AnyObject,
        _ userInfo: UserInfo
    ) -> JournalLine? {
        listened.contains(.journal) ? newJournalLine(of: plan, to: state(), userInfo) : nil
    }

    @inline(never)
    private func newJournalLine(of plan: TransitionPlan, to state: AnyObject, _ userInfo: UserInfo) -> JournalLine? {
        guard let journal else { return nil }
        var record = Occurrence.Record(
            kind: .transitioned,
            workflow: definition.workflow,
            version: definition.version,
            event: definition.events[plan.event].name,
            source: definition.states[plan.source].name,
            destination: definition.states[plan.destination].name,
            isUpdate: plan.kind == .update,
            userInfo: userInfo.withoutCause.recorded(without: definition.content.value.secretKeys)
        )
        record.cause = userInfo.cause.map(Occurrence.Cause.init)
        record.facts = definition.states[plan.destination].hooks.facts(of: state).recorded()
        return JournalLine(record, in: journal)
    }

    /// Writes down what is no transition, if the machine keeps a journal.
    ///
    /// What is due is tried again each time that a store looks for it. If it is rejected each time, it is written down once: or the
    /// machine would be saved each time, and its journal would have nothing else soon.
    /// - Returns: What was dropped for it, to be released when the machine has been released.
    func writeDown(_ occurrence: Occurrence, _ call: borrowing Call) -> Occurrence? {
        guard let journal else { return nil }
        let isDue = call.fullUserInfo.due != nil
        if occurrence.kind == .rejected, isDue, journal.hasRejection(like: occurrence) { return nil }
        return journal.add(occurrence.recorded(without: definition.content.value.secretKeys)).dropped
    }
}
