// Records the occurrences of a machine in its journal.
import HeraclitusEssentials

/// The journal of a machine.
///
/// The machine's turn writes it, and any thread reads it.
final class JournalBook: Sendable {
    private let content: Lock<Journal>

    init(_ journal: Journal) { content = Lock(journal) }

    /// The journal so far.
    var journal: Journal { content.withLock { $0 } }

    /// Whether the journal has a rejection of the same event for the same reason since the last transition, or only
    /// rejections of due events since then and no place for another one.
    ///
    /// The text of a guard's error is ignored, because it may differ each time, for example in a remaining time. In a
    /// full journal, the rejections of several due events would replace one another at each search.
    func hasRejection(like occurrence: Occurrence) -> Bool {
        let journal = journal
        let since = Array(journal.newestFirst.prefix { $0.revision == occurrence.revision })
        func isOfDueEvent(_ line: Occurrence) -> Bool {
            if line.kind == .rejected, case .due = line.cause { true } else { false }
        }
        if since.count >= journal.limit, since.allSatisfy(isOfDueEvent) { return true }
        return since.contains {
            $0.kind == .rejected && $0.event == occurrence.event && $0.reason == occurrence.reason
        }
    }

    /// Appends a line.
    /// - Returns: The number of the line, and the dropped line, which is to be released outside locks.
    func add(_ occurrence: Occurrence) -> (line: Int, dropped: Occurrence?) {
        content.withLock { $0.add(occurrence) }
    }

    /// Adds the duration of callbacks to a line.
    func note(_ duration: Duration, at line: Int) { content.withLock { $0.note(duration, at: line) } }
}

/// The line of a certain transition, written when the machine shows its destination.
///
/// The duration is added at the end.
final class JournalLine {
    private let book: JournalBook
    private let record: Occurrence.Record
    private let began = ContinuousClock.now
    private var line: Int?

    /// The line that was dropped for this one.
    ///
    /// The turn releases both at its end.
    private var dropped: Occurrence?

    init(_ record: Occurrence.Record, in book: JournalBook) {
        self.book = book
        self.record = record
    }

    /// Writes the line.
    ///
    /// The date is read before, outside the lock of the machine's state.
    func write(at date: Date, revision: Int) {
        (line, dropped) = book.add(Occurrence(record, at: date, revision: revision))
    }

    /// Adds the duration of all callbacks.
    func end() {
        guard let line else { return }
        let (seconds, attoseconds) = (ContinuousClock.now - began).components
        // The duration has the precision of archives, so that archiving keeps it.
        book.note(.microseconds(seconds * 1_000_000 + attoseconds / 1_000_000_000_000), at: line)
    }
}

extension UserInfo {
    /// The user info with descriptions instead of machines and states, so that keeping it retains none of them.
    ///
    /// Values with secret keys are left out. Machines and states in lists and dictionaries count, too; those within a
    /// type of the program are kept with their value.
    func recorded(without secretKeys: Set<String> = []) -> UserInfo {
        let values = values
        guard values.contains(where: { isLive(type(of: $0.value)) || secretKeys.contains($0.key) }) else { return self }
        return UserInfo(
            values.filter { !secretKeys.contains($0.key) }.mapValues { isLive(type(of: $0)) ? text(of: $0) : $0 }
        )
    }
}

/// Whether a type is one of machines or states, or holds them.
///
/// The type alone answers, so that the length of a list costs nothing.
private func isLive(_ type: Any.Type) -> Bool {
    if type is any TreeMachine.Type || type is any WorkflowState.Type { return true }
    return (type as? any HoldingValues.Type).map { isLive($0.valueType) } ?? false
}

/// A standard type that holds values of another type.
private protocol HoldingValues {
    static var valueType: Any.Type { get }
}

extension Array: HoldingValues { fileprivate static var valueType: Any.Type { Element.self } }

extension Dictionary: HoldingValues { fileprivate static var valueType: Any.Type { Value.self } }

extension Optional: HoldingValues { fileprivate static var valueType: Any.Type { Wrapped.self } }

extension Definition {
    /// The journal of a machine, if its workflow asks for one or the machine had one before.
    @inline(__always)
    func journalBook(_ journal: Journal?) -> JournalBook? {
        let limit = content.value.facts.journal
        guard limit > 0 else { return journal.map(JournalBook.init) }
        return JournalBook(journal?.limited(to: limit) ?? Journal(limit: limit))
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
        journal == nil ? nil : newJournalLine(of: plan, to: state(), userInfo)
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
            userInfo: userInfo.withoutCause.recorded(without: definition.content.value.facts.secretKeys)
        )
        record.cause = userInfo.cause
        record.facts = definition.states[plan.destination].hooks.facts(of: state).recorded()
        return JournalLine(record, in: journal)
    }

    /// Records another occurrence than a transition, if the machine keeps a journal.
    ///
    /// A store retries a due event at each search. A repeated rejection is recorded once. Otherwise each search would
    /// save the machine, and the journal would fill up with rejections.
    /// - Returns: The dropped line, to be released after the machine has been released.
    func writeDown(_ occurrence: Occurrence, _ call: borrowing Call) -> Occurrence? {
        guard let journal else { return nil }
        let isDue = call.fullUserInfo.due != nil
        if occurrence.kind == .rejected, isDue, journal.hasRejection(like: occurrence) { return nil }
        return journal.add(occurrence.recorded(without: definition.content.value.facts.secretKeys)).dropped
    }
}
