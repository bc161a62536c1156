extension StateMachine {
    /// Enters the initial state of a new machine, or tells a restored state that it is back, once.
    ///
    /// A new machine's initial state hears ``EntryPreparing/willEnter(_:)`` and ``Entering/didEnter(_:)``; guards are not
    /// asked. A restored machine's state, and that of one made with ``init(alreadyIn:)``, hears ``Restoring/didRestore(_:)``. What
    /// these fire is carried out before `activate` returns. An active machine stays as it is. The first fire activates,
    /// too.
    ///
    /// Waits for another thread's transition under way, unless that thread waits for this one: then the activation is left
    /// to it, and `activate` returns before it is done.
    /// - Parameter userInfo: What the callbacks get.
    public func activate(userInfo: UserInfo = [:]) {
        core.activate(Call(self, userInfo))
    }
}
