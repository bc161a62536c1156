extension StateMachine {
    /// The recorded occurrences of the machine; empty without a journal.
    ///
    /// A line is written in the machine's turn. The line of a transition is written together with the new state, so
    /// each archive has the journal of its moment. Any thread may read the journal at any time, without waiting for
    /// callbacks.
    ///
    /// The journal has the occurrences of ``observe(regions:_:)``: transitions, rejected and ignored fires, actions,
    /// announcements, and failed work. Activations and rehearsals are left out. A machine within a state has its own
    /// journal, if its workflow asks for one.
    public var journal: Journal { core.journal?.journal ?? Journal([]) }
}
