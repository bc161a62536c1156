// What does a fire do that is only to say whether it would be a transition?

extension MachineCore {
    /// Does all of a fire that decides whether it would be a transition, and drops what was decided.
    /// - Parameters:
    ///   - selector: Which event.
    ///   - machine: The machine that this is the core of.
    ///   - userInfo: What the caller passes along.
    ///   - unmet: Gets the errors of all guards that decline; `nil` to ask none after the first that does.
    ///   - build: Builds the destination.
    /// - Throws: Why there would be no transition.
    @usableFromInline @inline(never)
    func rehearse(
        _ selector: EventSelector,
        of machine: AnyObject,
        userInfo: UserInfo,
        collecting unmet: UnmetGuards?,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) {
        try run(.rehearsal(unmet), selector, Call(machine, userInfo), building: build)
    }

    /// Ends the turn of a rehearsal, which does not activate the machine.
    ///
    /// But its guards may have announced something, and observers who hear of it may fire: for them it has to be active.
    @inline(never)
    func finishRehearsal(_ role: TurnRole, _ call: borrowing Call) {
        if role != .nested, !now.isActive, call.turn({ $0.hasQueue }) {
            // What cannot be activated has ended its turn.
            do { try activate(call, for: .fire, in: role) } catch { return }
        }
        finish(role, call)
    }
}
