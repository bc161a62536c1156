extension StateMachine {
    /// What has happened to the machine, as far as it keeps that; empty for one that keeps no journal.
    ///
    /// A line is written in the machine's turn: that of a transition together with the new state, so that an archive of any moment has the
    /// journal of that moment. Any thread may read it at any time, without waiting for callbacks.
    ///
    /// It has what ``observe(regions:_:)`` reports: transitions, rejected and ignored fires, actions, announcements, and work that failed. Activations and
    /// rehearsals are not written. A machine within a state keeps a journal of its own, if its workflow asks for one.
    public var journal: Journal { core.journal?.journal ?? Journal([]) }
}
