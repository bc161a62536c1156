extension StateMachine {
    /// An accepted transition: it will happen.
    @usableFromInline
    struct Step {
        @usableFromInline let event: BoundEvent
        @usableFromInline let source: RegisteredState
        @usableFromInline let destination: RegisteredState
        @usableFromInline let transition: StateTransition

        /// The destination's object once more, as readers will get it.
        @usableFromInline let state: W.AnyState

        @inlinable
        init(
            event: BoundEvent,
            source: RegisteredState,
            destination: RegisteredState,
            transition: StateTransition,
            state: W.AnyState
        ) {
            self.event = event
            self.source = source
            self.destination = destination
            self.transition = transition
            self.state = state
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

        @usableFromInline var phase = Phase.preparing

        /// Where everything accepted so far will leave the machine.
        @usableFromInline var standing: Standing

        /// The transitions that callbacks have fired, and how many of these are done.
        ///
        /// They stay here to the end, for what they hold is released as `leftBehind` is.
        @usableFromInline var queue: [Step] = []
        @usableFromInline var done = 0

        // State objects that the machine keeps no longer, or never did. They are released when the turn has been passed,
        // because their deinitializers are user code. The first has a place of its own so that it needs no array.
        @usableFromInline var leftBehind: AnyObject?
        @usableFromInline var moreLeftBehind: [AnyObject] = []

        @inlinable
        init(at standing: Standing) { self.standing = standing }

        @inlinable
        mutating func keepUntilPassed(_ state: AnyObject) {
            if leftBehind == nil { leftBehind = state } else { moreLeftBehind.append(state) }
        }
    }
}
