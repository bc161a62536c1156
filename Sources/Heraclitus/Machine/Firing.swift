import Synchronization

// The way of one fire: begin it (take the turn, activate, ask the table), make the state in the caller's code, complete it
// (ask the guards, carry out, and carry out what callbacks have fired). Each step is in a file of its own: TakingTurns,
// Activation, Accepting, CarryingOut; who is called is in Listening, the errors in Refusing, who hears of them in Telling.

extension StateMachine {
    /// How many fires of callbacks are carried out before the outermost fire returns: 10,000.
    ///
    /// The one that exceeds it throws `.endlessChain`; those before it happen, and the outermost fire succeeds.
    public static var chainLimit: Int { MachineCore.chainLimit }

    /// Fires an event.
    ///
    /// Only this much is compiled for each workflow and each call. `build` makes the object to enter, which becomes the
    /// machine's.
    @inlinable
    func attempt(
        _ trigger: Trigger,
        userInfo: UserInfo,
        building build: (Offer) throws -> Unmanaged<AnyObject>
    ) throws(InvalidTransition) {
        var run = Run()
        try withUnsafeMutablePointer(to: &run) { run throws(InvalidTransition) in
            guard let offer = try core.begin(trigger, userInfo: userInfo, of: self, on: run) else { return }
            let object: Unmanaged<AnyObject>
            do {
                object = try build(offer)
            } catch {
                throw core.abandon(offer, because: error, userInfo: userInfo, of: self)
            }
            try core.complete(offer, with: object, userInfo: userInfo, of: self)
        }
    }
}

extension MachineCore {
    /// Takes the turn, activates if that is due, and asks the table.
    ///
    /// What is needed to make the state comes back, or `nil` if the event is ignored. The turn's run is kept on `stack`
    /// until ``complete(_:with:userInfo:of:)`` or ``abandon(_:because:userInfo:of:)``.
    @usableFromInline
    func begin(
        _ trigger: Trigger,
        userInfo: UserInfo,
        of machine: any TurnHolder,
        on stack: UnsafeMutablePointer<Run>
    ) throws(InvalidTransition) -> Offer? {
        let thread = FiringThread.current
        if !turn.tryTake(by: thread) {
            if turn.isOwned(by: thread), let run = run.load(ordering: .relaxed) {
                return try beginAgain(trigger, userInfo: userInfo, in: run)
            }
            try takeTurn(of: machine, as: thread, for: trigger, userInfo: userInfo)
        }
        open(stack, by: thread)
        do throws(InvalidTransition) {
            if !now.isActive { completeActivation(of: machine, userInfo: [:], in: stack) }
            if let offer = try offer(trigger, userInfo: userInfo, in: stack, isPutOff: false) { return offer }
        } catch {
            tellRejection(error, in: stack)
            close(stack, of: machine)
            throw error
        }
        close(stack, of: machine)
        return nil
    }

    /// Begins a callback's fire: now or never is decided now, the rest comes when everyone has been called.
    private func beginAgain(
        _ trigger: Trigger,
        userInfo: UserInfo,
        in run: UnsafeMutablePointer<Run>
    ) throws(InvalidTransition) -> Offer? {
        func refusal(_ reason: InvalidTransition.Reason) -> InvalidTransition {
            let refusal = self.refusal(reason, trigger, from: run.pointee.expected, userInfo: userInfo)
            tellRejection(refusal, in: run)
            return refusal
        }
        guard run.pointee.phase == .announcing else { throw refusal(.transitionInProgress) }
        guard run.pointee.putOffPassages < Self.chainLimit else { throw refusal(.endlessChain) }
        do throws(InvalidTransition) {
            if let offer = try offer(trigger, userInfo: userInfo, in: run, isPutOff: true) { return offer }
        } catch {
            run.pointee.phase = .announcing
            tellRejection(error, in: run)
            throw error
        }
        run.pointee.phase = .announcing
        return nil
    }

    static var chainLimit: Int { 10_000 }

    /// Ends a fire for which no state could be made.
    @usableFromInline
    func abandon(
        _ offer: Offer,
        because error: any Error,
        userInfo: UserInfo,
        of machine: any TurnHolder
    ) -> InvalidTransition {
        let refusal = refusal(of: offer, because: error, userInfo: userInfo)
        tellRejection(refusal, in: offer.run)
        leave(offer, of: machine)
        return refusal
    }

    /// Asks the guards, and makes the transition or puts it off; `object` becomes the machine's.
    @usableFromInline
    func complete(
        _ offer: Offer,
        with object: Unmanaged<AnyObject>,
        userInfo: UserInfo,
        of machine: any TurnHolder
    ) throws(InvalidTransition) {
        // The record refers to it without counting; the machine is the caller's.
        defer { withExtendedLifetime(userInfo) {} }
        let passage: Passage
        do throws(InvalidTransition) {
            passage = try accept(offer, object, userInfo: userInfo, of: machine)
        } catch {
            tellRejection(error, in: offer.run)
            leave(offer, of: machine)
            throw error
        }
        if offer.isPutOff {
            offer.run.pointee.putOff(passage)
        } else if passage.record != nil {
            carryOut(passage, in: offer.run)
        } else {
            commit(passage, in: offer.run)
            if hasOwnHooks { callThoseWhoCame(passage.step, userInfo: userInfo, of: machine, in: offer.run) }
        }
        leave(offer, of: machine)
    }

    private func leave(_ offer: Offer, of machine: any TurnHolder) {
        if offer.isPutOff {
            offer.run.pointee.phase = .announcing
        } else {
            close(offer.run, of: machine)
        }
    }
}
