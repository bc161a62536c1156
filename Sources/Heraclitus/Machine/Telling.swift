import Synchronization

// How observers hear of what is no transition: what was refused, performed or announced. In the machine's turn, when everyone
// has been called who hears of the transition under way; so they hear of everything in one order, and may fire.

extension MachineCore {
    /// Whether anybody wants to hear of it.
    var hasObservers: Bool { hasOwnHooks(at: .tell) }

    /// Lets observers hear of a refused fire before the turn is passed.
    func tellRejection(_ refusal: InvalidTransition, in run: UnsafeMutablePointer<Run>) {
        if hasObservers { putOff(.rejected(refusal), in: run) }
    }

    /// Takes the turn to tell observers something, or leaves it to the turn under way on this thread.
    /// - Parameters:
    ///   - occurrence: What they are told.
    ///   - machine: The machine.
    ///   - place: Before what else was put off in the turn under way; `nil` for last.
    func tell(_ occurrence: @autoclosure () -> Occurrence, of machine: any TurnHolder, at place: Int? = nil) {
        guard hasObservers else { return }
        let thread = FiringThread.current
        if turn.isOwned(by: thread), let run = run.load(ordering: .relaxed) {
            return putOff(occurrence(), in: run, at: place)
        }
        guard waitForTurn(of: machine, as: thread) == nil else { return tellAtOnce(occurrence(), as: thread) }
        var run = Run()
        withUnsafeMutablePointer(to: &run) { run in
            open(run, by: thread)
            putOff(occurrence(), in: run)
            close(run, of: machine)
        }
    }

    /// Tells observers without the turn, which would never come; nothing of what they cause by that themselves.
    func tellAtOnce(_ occurrence: Occurrence, as thread: FiringThread) {
        thread.tellingOnce { callObservers(occurrence) }
    }

    private func putOff(_ occurrence: Occurrence, in run: UnsafeMutablePointer<Run>, at place: Int? = nil) {
        run.pointee.putOff(occurrence, at: place, limit: Self.chainLimit)
    }
}
