// Assigns machines to the machine whose state holds them.

extension Definition {
    /// The machines that a state object holds.
    func regions(of state: AnyObject, in index: Int) -> [any TreeMachine] {
        states[index].hooks.regions(of: state).compactMap { $0 as? any TreeMachine }
    }

    /// The machines of an object that is to become the state.
    ///
    /// Stops the program if the object lists them wrongly.
    fileprivate func newRegions(of state: AnyObject, in index: Int) -> [any TreeMachine] {
        let regions = regions(of: state, in: index)
        let problem = RegionProblems.problem(
            ofRegions: regions,
            of: state,
            states[index].hooks,
            awaitedBy: states[index].conditions.lazy.map { (name: events[$0.event].name, trigger: $0.trigger) },
            in: workflow
        )
        if let problem { fatalError("\(problem)") }
        return regions
    }
}

extension MachineCore {
    /// The way in which a machine was claimed, to undo the claim.
    private enum Claim {
        /// The machine already belonged to its holder.
        case none

        /// The machine stood alone, and the thread owns it now.
        case acquired

        /// The machine had no holder any more, and got this one.
        case given
    }

    /// Claims all machines of a state object for this machine, or none, when the object is certain to become the state.
    ///
    /// A rehearsal claims them, and gives them back.
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
        let regions = definition.newRegions(of: state, in: index)
        for region in regions {
            do throws(NoTurn) {
                let claim = try region.withCore { core throws(NoTurn) in
                    try core.claim(for: machine, call.thread.content.id, region)
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

    /// Claims this machine for another one.
    ///
    /// `region` is the machine of this core.
    private func claim(
        for holder: any TreeMachine,
        _ thread: ThreadID,
        _ region: any TreeMachine
    ) throws(NoTurn) -> Claim {
        let names = [region.workflowName]
        while !ownership.belongsToHolder {
            if ownership.isOwned(by: thread) { throw NoTurn(.regionInUse, machines: names) }
            if ownership.tryAcquire(by: thread) { return .acquired }
            if let circle = ParkingLot.shared.acquire(region, by: thread) { throw NoTurn(.deadlock, machines: circle) }
            if ownership.isOwned(by: thread) { return .acquired }
        }
        switch madePlace.give(to: holder) {
        case nil: return .given
        case let other? where other === holder: return .none
        case let other?: throw NoTurn(.regionInUse, machines: names + [other.workflowName])
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
        if ownership.giveToHolder() { ParkingLot.shared.wake(for: region, all: true) }
    }

    /// Assigns the machines of the first state to a new machine.
    ///
    /// A machine with a turn under way on any thread is assigned when the new machine is activated.
    func takeFirstRegions(of machine: any TreeMachine) {
        let state = snapshot.state
        let regions = definition.newRegions(of: state, in: now.index)
        guard !regions.isEmpty else { return }
        let thread = ThreadState.ofThreads.current.content.id
        // Owned meanwhile, because other threads reach the new machine through a region that is already assigned.
        let isOwned = ownership.tryAcquire(by: thread)
        defer { if isOwned, ownership.release() { ParkingLot.shared.wake(for: machine) } }
        for region in regions {
            region.withCore { core in
                guard core.ownership.belongsToHolder || core.ownership.tryAcquire(by: thread) else { return }
                if core.ownership.belongsToHolder {
                    core.expectNoOther(core.madePlace.give(to: machine), than: machine, region)
                } else {
                    core.settle(.acquired, of: region, for: machine)
                }
                core.place?.setCurrentHolder(machine)
            }
        }
        _ = madePlace.replaceRegions(by: regions)
    }

    /// Stops the program if a machine belongs to another holder than the one whose state holds it.
    func expectNoOther(_ other: (any TreeMachine)?, than machine: any TreeMachine, _ region: any TreeMachine) {
        guard let other, other !== machine else { return }
        fatalError(
            "A machine of \(region.workflowName) in a state of \(machine.workflowName) belongs to a machine of "
                + "\(other.workflowName) already: give each state its own machine, such as a copy."
        )
    }
}
