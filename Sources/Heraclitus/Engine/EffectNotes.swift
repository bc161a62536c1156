// Which effects does a machine of a store have?

/// The effects of a machine that comes from a store and goes back there.
package struct EffectNotes: Sendable {
    /// Tells the date.
    package let scheduler: Scheduler

    /// What waited in an archive, as it stood there, and the archive's revision then.
    private struct Carried: Sendable {
        let revision: Int
        let outbox: JSONValue?
    }

    /// Those that the archive of an id had, by the id: an archive of another id does not get them.
    private var carried: [ExactID: Carried] = [:]

    /// Those of the states that were entered since, in order.
    package private(set) var entered: [any Effect] = []

    /// How many there were of those in all.
    private(set) var enteredCount = 0

    package init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// Adds those of a state that is entered.
    mutating func add(_ effects: [any Effect]) {
        entered += effects
        enteredCount += effects.count
    }

    /// Notes which ones the archive of an id has, among them the first of those of states that were entered.
    package mutating func noteSaved(_ outbox: JSONValue?, in id: String, _ revision: Int, among entered: Int = 0) {
        carried[ExactID(id)] = Carried(revision: revision, outbox: outbox)
        self.entered.removeFirst(min(entered, self.entered.count))
    }

    /// Those that the archive of an id had when it was last loaded or saved.
    package func carried(in id: String) -> JSONValue? { carried[ExactID(id)]?.outbox }

    /// The revision of the archive of an id when it was last loaded or saved; `nil` if it was not.
    package func carriedRevision(in id: String) -> Int? { carried[ExactID(id)]?.revision }
}
