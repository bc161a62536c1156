/// A transition that is on its way, but for its state object: by address and number, without references.
struct Step {
    let event: UnsafePointer<BoundEvent>
    let source: UnsafePointer<RegisteredState>
    let destination: UnsafePointer<RegisteredState>

    /// The number of the destination.
    let index: Int
    let isUpdate: Bool

    /// Where the definition has somebody to call.
    let places: Places

    @inline(__always)
    init(_ event: UnsafePointer<BoundEvent>, from source: Int, to destination: Int, in definition: Definition) {
        self.event = event
        self.source = definition.state(source)
        self.destination = definition.state(destination)
        index = destination
        isUpdate = event.pointee.reach.updates(source, to: destination)
        let ofEvent = event.pointee.reach.places
        let ofStates =
            isUpdate ? [] : self.source.pointee.hooks.exitPlaces.union(self.destination.pointee.hooks.entryPlaces)
        places = ofEvent.union(ofStates)
    }
}

/// A step that is certain.
struct Passage {
    let step: Step

    /// The object to enter, which the machine takes over.
    let state: Unmanaged<AnyObject>

    /// What callbacks get, which ends with ``FiringThread/finish(_:)``; `nil` when nobody listens.
    let record: Unmanaged<TransitionRecord>?
}

/// One turn of a machine, from the outermost call to its return.
///
/// It lives on the stack of the thread that has the turn.
@usableFromInline
struct Run {
    /// What user code is running, if any.
    enum Phase {
        /// A guard, a builder or a `will…` hook: the machine must not be fired.
        case preparing

        /// A `did…` hook or an observer: what is fired waits until everyone is called.
        case announcing
    }

    var thread: FiringThread?
    var phase = Phase.preparing

    /// The number of the state in which everything accepted so far will leave the machine.
    @usableFromInline var expected = 0

    /// What most turns do without.
    var backlog: Unmanaged<Backlog>?

    /// A state object that the machine keeps no longer, or never did.
    ///
    /// It is released when the turn has been passed, because its deinitializer is user code. Further ones are in the backlog.
    var leftBehind: Unmanaged<AnyObject>?

    @usableFromInline
    init() {}

    /// Takes an object over until the turn has been passed.
    @inline(__always)
    mutating func keepUntilPassed(_ object: Unmanaged<AnyObject>) {
        if leftBehind == nil {
            leftBehind = object
        } else {
            backlogInUse.leftBehind.append(object.takeRetainedValue())
        }
    }

    /// Takes a record over until the turn has been passed.
    mutating func keepRecordUntilPassed(_ record: Unmanaged<TransitionRecord>) {
        backlogInUse.leftBehind.append(record.takeRetainedValue())
    }

    /// How many passages were put off.
    var putOffPassages: Int { backlog?.takeUnretainedValue().passageCount ?? 0 }

    /// How much was put off.
    var putOff: Int { backlog?.takeUnretainedValue().errands.count ?? 0 }

    /// The state object of the last one, if that is still to be carried out.
    @inline(__always)
    var lastPutOff: Unmanaged<AnyObject>? {
        guard let backlog = backlog?.takeUnretainedValue(), let last = backlog.lastPassage,
            backlog.done <= last.place
        else { return nil }
        return last.state
    }

    /// Puts a passage off until everyone has been called.
    mutating func putOff(_ passage: Passage) {
        let backlog = backlogInUse
        backlog.lastPassage = (backlog.errands.count, passage.state)
        backlog.passageCount += 1
        backlog.errands.append(.passage(passage))
    }

    /// Puts off telling observers something until everyone has been called.
    ///
    /// Not without an end what they cause themselves, who may answer each rejection with a fire that is rejected.
    /// - Parameters:
    ///   - occurrence: What they are told.
    ///   - place: Before what else was put off; `nil` for last.
    ///   - limit: How much of what they cause while they are told is told.
    mutating func putOff(_ occurrence: Occurrence, at place: Int?, limit: Int) {
        let backlog = backlogInUse
        if backlog.isTelling {
            guard backlog.causedByTelling < limit else { return }
            backlog.causedByTelling += 1
        }
        let place = place ?? backlog.errands.count
        backlog.errands.insert(.telling(occurrence), at: place)
        if let last = backlog.lastPassage, last.place >= place { backlog.lastPassage = (last.place + 1, last.state) }
    }

    private var backlogInUse: Backlog {
        mutating get {
            if let backlog { return backlog.takeUnretainedValue() }
            let made = Backlog()
            backlog = Unmanaged.passRetained(made)
            return made
        }
    }
}

final class Backlog {
    enum Errand {
        /// A transition that a callback has fired.
        case passage(Passage)

        /// Something that observers are to hear of.
        case telling(Occurrence)
    }

    /// What is to be done when everyone has been called, and how much of that is done.
    var errands: [Errand] = []
    var done = 0

    var passageCount = 0

    /// Whether observers are being told something, and how much they have caused by that to be told.
    var isTelling = false
    var causedByTelling = 0

    /// Where the last of the transitions stands, and the state that it leads to.
    var lastPassage: (place: Int, state: Unmanaged<AnyObject>)?
    var leftBehind: [AnyObject] = []
}
