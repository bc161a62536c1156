// What does each step of a fire do?

extension MachineCore {
    /// Begins a fire in the turn of its call.
    /// - Returns: The state that it leaves.
    @inline(__always)
    func begin(_ selector: EventSelector, _ call: borrowing Call) throws(Rejection) -> Int {
        let source = call.turn { $0.expected }
        switch call.turn({ $0.beginFire() }) {
        case .decide: return source
        case .rejectInProgress:
            throw rejection(.transitionInProgress, of: selector, from: source)
        case .rejectEndlessChain:
            throw rejection(.endlessChain, of: selector, from: source)
        }
    }

    /// Asks the table whether an event leaves a state.
    /// - Returns: `false` if it is ignored there.
    @inline(__always)
    func validate(_ event: Immortal<CompiledEvent>, from source: Int) throws(Rejection) -> Bool {
        switch event.value.reach.verdict(from: source, to: nil) {
        case .allowed: return true
        case .ignored: return false
        case .notAllowed: throw Rejection(.notAllowed, event: event.value.index, from: source)
        }
    }

    /// Builds the destination.
    @inline(__always)
    func object(
        of candidate: CandidateTransition,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(Rejection) -> OwnedObject {
        do {
            return try build(candidate)
        } catch {
            throw rejection(of: candidate, because: error)
        }
    }

    /// Asks the table whether the event leads to the object that was built.
    @inline(__always)
    func validate(
        _ candidate: CandidateTransition,
        leadingTo state: borrowing OwnedObject,
        _ call: borrowing Call
    ) throws(Rejection) -> TransitionPlan {
        let destination = state.withObject { definition.destination(of: candidate.event, from: candidate.source, $0) }
        if let destination { return TransitionPlan(candidate, to: destination, in: definition) }
        call.retire(OwnedObject(state.object))
        throw rejection(of: candidate, to: state.object)
    }

    /// Asks the guards, if anybody is to hear of the transition at all.
    /// - Returns: What callbacks get; nothing if nobody is to be called.
    @inline(__always)
    func askGuards(
        of plan: TransitionPlan,
        from candidate: CandidateTransition,
        to state: borrowing OwnedObject,
        _ role: TurnRole,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(Rejection) -> TransitionLoan {
        guard role == .nested || hasListeners(in: plan.kind.phases, of: plan) else { return TransitionLoan() }
        var loan = lend(plan, from: candidate, to: state, call)
        if hasListeners(in: .guards, of: plan) { try askGuards(of: plan, to: state, &loan, purpose, call) }
        if plan.hooks.contains(.regions) { try claimRegions(of: plan, to: state, &loan, purpose, call) }
        return loan
    }

    @inline(never)
    private func askGuards(
        of plan: TransitionPlan,
        to state: borrowing OwnedObject,
        _ loan: inout TransitionLoan,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(Rejection) {
        do {
            try loan.withObjects { objects in try askGuards(of: plan, StateTransition(objects), purpose) }
        } catch {
            drop(state, &loan, call)
            throw rejection(of: plan, because: error)
        }
    }

    /// Lets the machines that the destination holds belong to this one: the last thing that may refuse the transition.
    @inline(never)
    private func claimRegions(
        of plan: TransitionPlan,
        to state: borrowing OwnedObject,
        _ loan: inout TransitionLoan,
        _ purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(Rejection) {
        do throws(NoTurn) {
            try claimRegions(of: state.object, in: plan.destination, for: purpose, call)
        } catch {
            drop(state, &loan, call)
            throw rejection(of: plan, because: error)
        }
    }

    /// Gives back what was lent for a transition that is not made, and keeps what was built until the machine is released.
    @inline(never)
    func drop(_ state: borrowing OwnedObject, _ loan: inout TransitionLoan, _ call: borrowing Call) {
        call.takeBack(&loan)
        call.retire(OwnedObject(state.object))
    }

    /// Lends the objects of a transition that is to be made.
    @inline(__always)
    private func lend(
        _ plan: TransitionPlan,
        from candidate: CandidateTransition,
        to state: borrowing OwnedObject,
        _ call: borrowing Call
    ) -> TransitionLoan {
        let terms = plan.terms(in: definition)
        let loan = call.takeLoan(terms)
        loan.withObjects { objects in
            state.withObject { objects.lend(terms, to: $0, by: call.lentMachine, call.lentUserInfo) }
            if let source = candidate.queuedSource {
                objects.lend(source: source)
            } else {
                self.state.withOwnersView { current, _ in objects.lend(source: current) }
            }
        }
        return loan
    }

    /// Lends the objects of an activation, or of a transition that was just committed and that nobody was to hear of before.
    func lendCurrent(_ plan: TransitionPlan, _ call: borrowing Call) -> TransitionLoan {
        let terms = plan.terms(in: definition)
        let loan = call.takeLoan(terms)
        loan.withObjects { objects in
            state.withOwnersView { state, previous in
                objects.lend(terms, to: state, by: call.lentMachine, call.lentUserInfo)
                if let previous, !plan.hasNoEvent { objects.lend(source: previous) }
            }
        }
        return loan
    }
}

// MARK: - Fires from callbacks

// Never inlined: most fires come from outside.
extension MachineCore {
    /// Queues a transition that is certain.
    @inline(never)
    func enqueue(
        _ plan: TransitionPlan,
        to state: borrowing OwnedObject,
        _ loan: inout TransitionLoan,
        _ call: borrowing Call
    ) {
        let objects = call.takeBackKept(&loan)
        call.turn { $0.enqueue(AcceptedTransition(plan: plan, state: state.object, objects: objects)) }
    }

    /// Lets callbacks fire again.
    @inline(never)
    func endNested(_ call: borrowing Call) { call.turn { $0.endFire() } }
}
