/// A transition that is certain, by number: what it takes to call everyone.
@usableFromInline
struct Step {
    @usableFromInline let event: UnsafePointer<BoundEvent>
    @usableFromInline let source: UnsafePointer<RegisteredState>
    @usableFromInline let destination: UnsafePointer<RegisteredState>
    @usableFromInline let isUpdate: Bool

    @inlinable
    init(
        event: UnsafePointer<BoundEvent>,
        source: UnsafePointer<RegisteredState>,
        destination: UnsafePointer<RegisteredState>,
        isUpdate: Bool
    ) {
        self.event = event
        self.source = source
        self.destination = destination
        self.isUpdate = isUpdate
    }
}

extension StateMachine {
    /// A step with the state to enter.
    @usableFromInline
    struct Passage {
        @usableFromInline let step: Step
        @usableFromInline let index: Int
        @usableFromInline let state: W.AnyState

        /// What callbacks get; `nil` when nobody listened as the passage was accepted.
        @usableFromInline let transition: StateTransition?

        @inlinable
        init(step: Step, index: Int, state: W.AnyState, transition: StateTransition?) {
            self.step = step
            self.index = index
            self.state = state
            self.transition = transition
        }
    }

    /// One turn of a machine, from the outermost call to its return.
    ///
    /// It lives on the stack of the thread that has the turn.
    @usableFromInline
    struct Run {
        /// What user code is running, if any.
        @usableFromInline
        enum Phase {
            /// A guard, a builder or a `will…` hook: the machine must not be fired.
            case preparing

            /// A `did…` hook or an observer: what is fired waits until everyone is called.
            case announcing
        }

        @usableFromInline let thread: FiringThread
        @usableFromInline var phase = Phase.preparing

        /// The number of the state in which everything accepted so far will leave the machine.
        @usableFromInline var expected: Int

        @usableFromInline var backlog: Backlog?

        /// A state object that the machine keeps no longer, or never did.
        ///
        /// It is released when the turn has been passed, because its deinitializer is user code. Further ones are in the
        /// backlog.
        @usableFromInline var leftBehind: Unmanaged<AnyObject>?

        @inlinable
        init(on thread: FiringThread, at expected: Int) {
            self.thread = thread
            self.expected = expected
        }

        /// Takes an object over until the turn has been passed.
        @inlinable
        mutating func keepUntilPassed(_ object: Unmanaged<AnyObject>) {
            if leftBehind == nil {
                leftBehind = object
            } else {
                keepInBacklog(object)
            }
        }

        @usableFromInline
        mutating func keepInBacklog(_ object: Unmanaged<AnyObject>) {
            let backlog = backlog ?? Backlog()
            backlog.leftBehind.append(object.takeRetainedValue())
            self.backlog = backlog
        }

        @inlinable var passagesPutOff: Int { backlog?.passages.count ?? 0 }

        /// Puts a passage off until everyone has been called.
        @usableFromInline
        mutating func putOff(_ passage: Passage) {
            let backlog = backlog ?? Backlog()
            backlog.passages.append(passage)
            self.backlog = backlog
        }
    }

    /// What most turns do without.
    @usableFromInline
    final class Backlog {
        /// The transitions that callbacks have fired, and how many of these are done.
        ///
        /// They stay here to the end of the turn, for what they hold is released as what is left behind is.
        @usableFromInline var passages: [Passage] = []
        @usableFromInline var done = 0
        @usableFromInline var leftBehind: [AnyObject] = []

        init() {}
    }
}
