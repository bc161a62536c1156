// How does a turn begin that is no fire?

extension MachineCore {
    /// Activates the machine, unless it is active or a callback of its own calls.
    func activate(_ call: borrowing Call) {
        // An owner that waits for this thread carries it out.
        guard !now.isActive, let role = try? acquire(call, for: .activation) else { return }
        finish(role, call)
    }

    /// Calls a body that may fire, in turn with the transitions.
    ///
    /// The body gets the place in the queue at which observers are to hear of it. What it throws comes back; that there is no turn is a
    /// ``NoTurn``.
    func perform<Result>(_ call: borrowing Call, _ body: (TurnPlace) throws -> Result) throws -> Result {
        let role = try acquire(call)
        defer { finish(role, call) }
        return try body(call.turn { $0.beginAction() })
    }

    /// Tells observers something in turn with the transitions, if anybody observes.
    func announce(_ outcome: @autoclosure () -> Occurrence.Outcome, _ call: borrowing Call) {
        guard listens(to: .notices) else { return }
        guard let role = try? acquire(call) else { return tellOutsideTurn(outcome(), call) }
        post(outcome(), call)
        finish(role, call)
    }
}
