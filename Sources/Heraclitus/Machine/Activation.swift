extension StateMachine {
    /// Enters the initial state of a new machine, or resumes a restored machine, once.
    ///
    /// For a new machine it calls ``EntryPreparing/willEnter(_:)`` and ``Entering/didEnter(_:)`` of the initial state, and no
    /// guards. For a restored machine, or one made with ``init(resumingIn:since:journal:scheduler:)``, it calls ``Restoring/didRestore(_:)``. What these
    /// hooks fire is carried out before `activate` returns. On an active machine it does nothing, except that
    /// deadlines and work begin in a ``StateMachine/copy()``, and again after a ``run()`` that was cancelled. The first fire activates,
    /// too. A machine that has no ``context`` yet stays as it is: see ``activate(context:userInfo:)``.
    ///
    /// It waits for another thread's transition under way. If that thread waits for this one, `activate` returns, and the other
    /// thread activates the machine.
    /// - Parameter userInfo: Values passed to the callbacks.
    public func activate(userInfo: UserInfo = [:]) {
        // An owner that waits for this thread carries it out.
        try? core.activate(Call(self, userInfo))
    }
}
