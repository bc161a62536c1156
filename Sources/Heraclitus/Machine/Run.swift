extension StateMachine {
    /// An accepted transition: it will happen.
    struct Step {
        let event: BoundEvent
        let source: RegisteredState
        let destination: RegisteredState
        let transition: StateTransition

        /// The destination's object once more, as readers will get it.
        let state: W.AnyState
    }

    /// One turn of a machine, from the outermost call to its return.
    ///
    /// It lives on the stack of the thread that has the turn.
    struct Run {
        /// What user code is running, if any.
        enum Phase {
            /// A guard, a builder or a `will…` hook: the machine must not be fired.
            case preparing

            /// A `did…` hook or an observer: what is fired waits until everyone is called.
            case announcing
        }

        var phase = Phase.preparing

        /// Where everything accepted so far will leave the machine.
        var standing: Standing

        /// The transitions that callbacks have fired, and how many of these are done.
        ///
        /// They stay here to the end, for what they hold is released as `leftBehind` is.
        var queue: [Step] = []
        var done = 0

        // State objects that the machine keeps no longer, or never did. They are released when the turn has been passed,
        // because their deinitializers are user code. The first has a place of its own so that it needs no array.
        private var leftBehind: AnyObject?
        private var moreLeftBehind: [AnyObject] = []

        init(at standing: Standing) { self.standing = standing }

        mutating func keepUntilPassed(_ state: AnyObject) {
            if leftBehind == nil { leftBehind = state } else { moreLeftBehind.append(state) }
        }
    }
}
