import Synchronization

extension MachineCore {
    /// Makes a transition that is certain: calls who wants to know before, commits, calls who wants to know after.
    func carryOut(_ passage: Passage, in run: UnsafeMutablePointer<Run>) {
        guard let record = passage.record else { return commit(passage, in: run) }
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
                callObservers(occurrence)
            }
        }
    }

    /// Shows the destination to readers, from now on and all at once.
    private func commit(_ passage: Passage, in run: UnsafeMutablePointer<Run>) {
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
