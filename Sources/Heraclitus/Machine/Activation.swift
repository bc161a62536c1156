extension StateMachine {
    /// Enters the initial state of a new machine, or resumes a restored machine, once.
    ///
    /// - A new machine calls ``EntryPreparing/willEnter(_:)`` and ``Entering/didEnter(_:)`` of the initial state,
    ///   without guards.
    /// - A restored machine, or one made with ``init(resumingIn:since:journal:scheduler:)``, calls
    ///   ``Restoring/didRestore(_:)``.
    /// - An active machine ignores the call. However, deadlines and work begin in a ``StateMachine/copy()``, and begin
    ///   again after a cancelled ``run()``.
    ///
    /// Fires of these hooks are carried out before `activate` returns. The first fire of a machine also activates it. A
    /// machine without its ``context`` stays inactive: see ``activate(context:userInfo:)``.
    ///
    /// The call waits for another thread's transition under way. On a deadlock it returns, and the other thread
    /// activates the machine.
    /// - Parameter userInfo: Values passed to the callbacks.
    public func activate(userInfo: UserInfo = [:]) {
        // On a deadlock the other thread activates the machine.
        try? core.activate(Call(self, userInfo))
    }
}
