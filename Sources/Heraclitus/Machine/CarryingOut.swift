import Synchronization

extension MachineCore {
    /// Makes a transition that is certain: calls who wants to know before, commits, calls who wants to know after.
    func carryOut(_ passage: Passage, in run: UnsafeMutablePointer<Run>) {
        guard let record = passage.record else { preconditionFailure("Nobody is to be called.") }
        run.pointee.phase = .preparing
        record._withUnsafeGuaranteedRef { callBefore(passage.step, StateTransition($0)) }
        commit(passage, in: run)
        run.pointee.phase = .announcing
        record._withUnsafeGuaranteedRef { callAfter(passage.step, StateTransition($0)) }
        run.pointee.thread?.finish(record, in: run)
    }

    /// Makes the transitions that callbacks have fired, and those that their callbacks fire, and tells what is to be told.
    func carryOutBacklog(in run: UnsafeMutablePointer<Run>) {
        while let backlog = run.pointee.backlog?.takeUnretainedValue(), backlog.done < backlog.errands.count {
            let errand = backlog.errands[backlog.done]
            backlog.done += 1
            switch errand {
            case .passage(let passage): carryOut(passage, in: run)
            case .telling(let occurrence):
                run.pointee.phase = .announcing
                backlog.isTelling = true
                callObservers(occurrence)
                backlog.isTelling = false
            }
        }
    }

    /// Calls who came while a transition was made that nobody was to hear of when it began.
    ///
    /// Whoever begins to listen and then looks at the state either sees the new one, or is called here: both are in the lock.
    func callThoseWhoCame(
        _ step: Step,
        userInfo: UserInfo,
        of machine: any TurnHolder,
        in run: UnsafeMutablePointer<Run>
    ) {
        guard let thread = run.pointee.thread else { return }
        let record = thread.record(
            TransitionRecord.Content(
                event: step.event,
                isUpdate: step.isUpdate,
                userInfo: userInfo.storage.map { Unmanaged.passUnretained($0) },
                source: previous.load(ordering: .relaxed),
                sourceState: step.source,
                destination: state.load(ordering: .relaxed),
                destinationState: step.destination,
                machine: Unmanaged.passUnretained(machine)
            )
        )
        run.pointee.phase = .announcing
        record._withUnsafeGuaranteedRef { callAfter(step, StateTransition($0)) }
        thread.finish(record, in: run)
    }

    /// Shows the destination to readers, from now on and all at once.
    func commit(_ passage: Passage, in run: UnsafeMutablePointer<Run>) {
        let following = definition.tail(passage.step.index)
        let leftBehind = lock.withLock { _ in
            let leftBehind = previous.load(ordering: .relaxed)
            previous.store(state.load(ordering: .relaxed), ordering: .relaxed)
            state.store(passage.state, ordering: .relaxed)
            tail.store(following, ordering: .relaxed)
            standing.store(Standing(passage.step.index, .done).bits, ordering: .relaxed)
            let revision = revision.load(ordering: .relaxed)
            if revision < Self.largestRevision { self.revision.store(revision + 1, ordering: .relaxed) }
            return UInt(bitPattern: leftBehind?.toOpaque())
        }
        if let leftBehind = UnsafeRawPointer(bitPattern: leftBehind) {
            run.pointee.keepUntilPassed(Unmanaged.fromOpaque(leftBehind))
        }
    }

    static var largestRevision: Int { 1 << 53 }
}
