// How does a machine come to belong to the one whose state holds it?

extension Definition {
    /// The machines that an object holds.
    func regions(of state: AnyObject, in index: Int) -> [any TreeMachine] {
        states[index].hooks.regions(of: state).map { region in
            guard let machine = region as? any TreeMachine else {
                fatalError(
                    "\(states[index].name) of \(workflow) lists in `regions` a \(type(of: region)), "
                        + "which is no StateMachine."
                )
            }
            return machine
        }
    }
}

extension MachineCore {
    /// How a machine came to belong to another one, for who has to undo it.
    private enum Claim {
        /// It did before.
        case none

        /// It was a machine of its own, which the thread owns now.
        case acquired

        /// It was left by the one to which it belonged before.
        case given
    }

    /// Lets the machines that an object holds belong to this one, all or none, when it is certain that it becomes the state.
    func claimRegions(
        of state: AnyObject,
        in index: Int,
        for purpose: CallPurpose,
        _ call: borrowing Call
    ) throws(NoTurn) {
        let machine = call.machine
        var claims: [(region: any TreeMachine, claim: Claim)] = []
        func undo() {
            for (region, claim) in claims.reversed() { region.withCore { $0.undo(claim, of: region) } }
        }
        let regions = newRegions(of: state, in: index)
        for region in regions {
            do throws(NoTurn) {
                let claim = try region.withCore { core throws(NoTurn) in
                    try core.claim(for: machine, call.thread.id, region)
                }
                claims.append((region, claim))
            } catch {
                undo()
                throw error
            }
        }
        if purpose.endsWithGuards { return undo() }
        for (region, claim) in claims { region.withCore { $0.settle(claim, of: region, for: machine) } }
    }

    /// Claims this machine, which `region` is the core of, for another one.
    private func claim(
        for holder: any TreeMachine,
        _ thread: ThreadID,
        _ region: any TreeMachine
    ) throws(NoTurn) -> Claim {
        let names = [region.workflowName]
        while !ownership.isHeld {
            if ownership.isOwned(by: thread) { throw .regionInUse(machines: names) }
            if ownership.tryAcquire(by: thread) { return .acquired }
            if let circle = ParkingLot.shared.acquire(region, by: thread) { throw .deadlock(machines: circle) }
            if ownership.isOwned(by: thread) { return .acquired }
        }
        switch madePlace.give(to: holder) {
        case nil: return .given
        case let other? where other === holder: return .none
        case let other?: throw .regionInUse(machines: names + [other.workflowName])
        }
    }

    private func undo(_ claim: Claim, of region: any TreeMachine) {
        switch claim {
        case .none: break
        case .acquired: if ownership.release() { ParkingLot.shared.wake(for: region) }
        case .given: place?.leaveHolder()
        }
    }

    private func settle(_ claim: Claim, of region: any TreeMachine, for holder: any TreeMachine) {
        guard case .acquired = claim else { return }
        _ = madePlace.give(to: holder)
        if ownership.hold() { ParkingLot.shared.wakeAll(for: region) }
    }

    /// Lets the machines that the first state holds belong to a machine that was just made.
    ///
    /// One whose own turn is under way, on whichever thread, belongs to it when it is activated.
    func takeFirstRegions(of machine: any TreeMachine) {
        let state = snapshot.state
        let regions = newRegions(of: state, in: now.index)
        guard !regions.isEmpty else { return }
        let thread = ThreadState.ofThreads.current.id
        // Nobody else has the machine yet. But another thread comes to it through one of them as soon as that belongs to it.
        let isOwned = ownership.tryAcquire(by: thread)
        defer { if isOwned, ownership.release() { ParkingLot.shared.wake(for: machine) } }
        for region in regions {
            region.withCore { core in
                guard core.ownership.isHeld || core.ownership.tryAcquire(by: thread) else { return }
                if core.ownership.isHeld {
                    core.expectNoOther(core.madePlace.give(to: machine), than: machine, region)
                } else {
                    core.settle(.acquired, of: region, for: machine)
                }
                core.place?.setCurrent(true)
            }
        }
        _ = madePlace.replaceRegions(by: regions)
    }

    /// The machines that an object holds which is to be the state; stops the program if it lists them wrongly.
    private func newRegions(of state: AnyObject, in index: Int) -> [any TreeMachine] {
        let regions = definition.regions(of: state, in: index)
        // Machines that are made at each call would be activated and then be lost, with all that goes on in them.
        if !regions.isEmpty, !regions.elementsEqual(definition.regions(of: state, in: index), by: { $0 === $1 }) {
            fatalError(
                "\(definition.states[index].name) of \(definition.workflow) lists other machines in `regions` each time it is asked: "
                    + "keep them in constants of the state."
            )
        }
        expectListed(regions, of: state, in: index)
        return regions
    }

    /// Stops the program if an event waits for the end of a machine that the state does not list.
    private func expectListed(_ regions: [any TreeMachine], of state: AnyObject, in index: Int) {
        let conditions = definition.states[index].conditions
        if conditions.isEmpty { return }
        let listed = Set(regions.lazy.map { ObjectIdentifier($0) })
        for condition in conditions {
            for case let waited as any TreeMachine in condition.rule.regions(state)
            where !listed.contains(ObjectIdentifier(waited)) {
                fatalError(
                    "\(definition.states[index].name) of \(definition.workflow) does not list in `regions` the machine of "
                        + "\(waited.workflowName) for whose end the event \"\(definition.events[condition.event].name)\" waits."
                )
            }
        }
    }

    /// Stops the program if a machine belongs to another one than the one whose state holds it.
    func expectNoOther(_ other: (any TreeMachine)?, than machine: any TreeMachine, _ region: any TreeMachine) {
        guard let other, other !== machine else { return }
        fatalError(
            "A machine of \(region.workflowName) in a state of \(machine.workflowName) belongs to a machine of "
                + "\(other.workflowName) already: give each state a machine of its own, such as a copy."
        )
    }
}
