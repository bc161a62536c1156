// How does a fire become a transition?
//
// This file tells it from top to bottom; every call in it is to a room that the reader may skip. A rehearsal is the same fire with
// another end. An activation, an action and an announcement are the same turn with another beginning. One thread owns the machine from `acquire` to `finish`; no lock is held
// while user code runs.

extension MachineCore {
    /// Fires an event.
    /// - Parameters:
    ///   - selector: Which event.
    ///   - machine: The machine that this is the core of.
    ///   - userInfo: What the caller passes along.
    ///   - build: Builds the destination.
    /// - Throws: Why there is no transition. Then nothing has changed.
    @usableFromInline
    func fire(
        _ selector: EventSelector,
        of machine: AnyObject,
        userInfo: UserInfo,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) {
        try run(.fire, selector, Call(machine, userInfo), building: build)
    }

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

    // Inlined into each of the two, so that a fire does not ask at every step whether it is one.
    @inline(__always)
    private func run(
        _ purpose: CallPurpose,
        _ selector: EventSelector,
        _ call: borrowing Call,
        building build: (CandidateTransition) throws -> OwnedObject
    ) throws(InvalidTransition) {
        let role: TurnRole
        do { role = try acquire(call, for: purpose) } catch { throw deadlock(selector, error, purpose, call) }
        defer { if purpose.endsWithGuards { finishRehearsal(role, call) } else { finish(role, call) } }
        do throws(InvalidTransition) {
            let source = try begin(selector, call)
            // An outermost call ends its turn, and so its phase, in `finish`.
            defer { if role == .nested { call.turn { $0.endFire() } } }
            let event = definition.events.element(try select(selector, in: source, call))
            guard try validate(event, from: source, call) else {
                if purpose.isToldToObservers { post(ignored(event, in: source, call), call) }
                return
            }
            let candidate = CandidateTransition(
                event: event,
                source: source,
                queuedSource: role == .nested ? call.turn { $0.lastQueued?.state } : nil
            )
            let state = try object(of: candidate, building: build, call)
            let plan = try validate(candidate, leadingTo: state, call)
            var loan = try askGuards(of: plan, from: candidate, to: state, role, purpose, call)
            if purpose.endsWithGuards { return drop(state, &loan, call) }
            // From here the loan goes one of two ways: what waits keeps its objects, what is carried out gives it back.
            switch call.turn({ $0.accept(leadingTo: plan.destination) }) {
            case .enqueue:
                let objects = call.takeBackKept(&loan)
                call.turn { $0.enqueue(AcceptedTransition(plan: plan, state: state.object, objects: objects)) }
            case .carryOut:
                carryOut(plan, to: state, loan, call)
            }
        } catch {
            if purpose.isToldToObservers { post(.rejected(error), call) }
            throw error
        }
    }

    /// Makes a transition that is certain: before, commit, after.
    /// - Parameters:
    ///   - plan: What happens.
    ///   - state: The destination, which the machine takes over.
    ///   - loan: What callbacks get; nothing if nobody was to be called when the transition was accepted.
    ///   - call: The call that it happens for.
    private func carryOut(
        _ plan: TransitionPlan,
        to state: consuming OwnedObject,
        _ loan: consuming TransitionLoan,
        _ call: borrowing Call
    ) {
        notify(.before, of: plan, loan)
        commit(plan, to: state, call)
        // Whoever begins to listen and then reads the state either reads the new one or is called here: both take its lock.
        if loan.isEmpty, hasListeners(in: .after, of: plan) { loan = lendCurrent(plan, call) }
        notify(.after, of: plan, loan)
        call.takeBack(&loan)
    }

    /// Shows the destination, and lets the machine be fired from callbacks.
    private func commit(_ plan: TransitionPlan, to state: consuming OwnedObject, _ call: borrowing Call) {
        let old = show(state, of: plan.destination)
        call.turn { $0.commit() }
        if let old { call.retire(old) }
    }

    /// Carries out what callbacks have fired, and tells what is to be told, in order.
    private func drain(_ call: borrowing Call) {
        while let next = call.turn({ $0.next() }) {
            switch next {
            case .carryOut(let accepted):
                carryOut(accepted.plan, to: OwnedObject(accepted.state), TransitionLoan(accepted.objects), call)
            case .tell(let occurrence): tellObservers(occurrence)
            }
        }
    }
}

// MARK: - Turns

/// What a call wants of a machine.
enum CallPurpose {
    /// A transition, an action or an announcement.
    case fire

    /// To know whether a fire would be a transition; with what gets all guards that decline, if all are to be asked.
    case rehearsal(UnmetGuards?)

    /// To activate it.
    case activation

    /// Whether it changes nothing.
    @inline(__always)
    var endsWithGuards: Bool { if case .rehearsal = self { true } else { false } }

    /// Whether observers hear how it ends.
    @inline(__always)
    var isToldToObservers: Bool { !endsWithGuards }
}

/// What a call does that has acquired a machine.
enum TurnRole {
    /// It begins a turn, and ends it.
    case outermost

    /// It belongs to the turn under way on its thread, from a callback of which it comes.
    case nested
}

/// The error of a call that can never acquire its machine: the owners of these wait for one another.
struct Deadlock: Error {
    let machines: [String]
}

extension MachineCore {
    /// Acquires the machine for a call, waiting for another thread's turn, and activates it if that is due.
    ///
    /// An activation gets the user info of a call whose purpose it is; one that comes before a fire gets none.
    @inline(__always)
    func acquire(_ call: borrowing Call, for purpose: CallPurpose = .fire) throws(Deadlock) -> TurnRole {
        let thread = call.thread.id
        if !ownership.tryAcquire(by: thread) {
            if ownership.isOwned(by: thread) { return .nested }
            if let circle = ParkingLot.shared.acquire(call.parkable, by: thread) { throw Deadlock(machines: circle) }
        }
        call.thread.withContent { $0.open(call.lentMachine.id, in: now.index) }
        if !now.isActive {
            switch purpose {
            case .fire: carryOutActivation(Call(withoutUserInfo: call))
            case .activation: carryOutActivation(call)
            case .rehearsal: break
            }
        }
        return .outermost
    }

    /// Ends the turn of a call that has begun it: drains the queue, releases the machine, and lets go of what it kept.
    func finish(_ role: TurnRole, _ call: borrowing Call) {
        guard case .outermost = role else { return }
        drain(call)
        var retired = ThreadState.Retired()
        call.thread.withContent { $0.close(&retired) }
        if ownership.release() { ParkingLot.shared.wake(for: call.parkable) }
        // Not before, because a deinitializer is user code, which may take the next turn.
        withExtendedLifetime(retired) {}
    }

    /// Ends a rehearsal: gives back what was lent, and keeps what was built until the machine is released.
    @inline(never)
    private func drop(_ state: borrowing OwnedObject, _ loan: inout TransitionLoan, _ call: borrowing Call) {
        call.takeBack(&loan)
        call.retire(state.object)
    }

    /// Ends the turn of a rehearsal, which does not activate the machine.
    ///
    /// But its guards may have announced something, and observers who hear of it may fire: for them it has to be active.
    @inline(never)
    func finishRehearsal(_ role: TurnRole, _ call: borrowing Call) {
        if role == .outermost, !now.isActive, call.turn({ $0.hasQueue }) {
            carryOutActivation(Call(withoutUserInfo: call))
        }
        finish(role, call)
    }

    /// Enters the state in which a new machine begins, or tells that of a restored one: before, commit, after, and drain.
    @inline(never)
    private func carryOutActivation(_ call: borrowing Call) {
        let plan = TransitionPlan(now.activation, in: now.index, in: definition)
        _ = call.turn { $0.beginFire() }
        var loan = lendCurrent(plan, call)
        notify(.before, of: plan, loan)
        noteActivation()
        call.turn { $0.commit() }
        notify(.after, of: plan, loan)
        call.takeBack(&loan)
        drain(call)
    }
}

// MARK: - Other beginnings

extension MachineCore {
    /// Activates the machine, unless it is active or a callback of its own calls.
    func activate(_ call: borrowing Call) {
        // An owner that waits for this thread carries it out.
        guard !now.isActive, let role = try? acquire(call, for: .activation) else { return }
        finish(role, call)
    }

    /// Calls a body that may fire, in turn with the transitions.
    ///
    /// The body gets the place in the queue at which observers are to hear of it. What it throws comes back; a circle of waits is a
    /// ``Deadlock``.
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
