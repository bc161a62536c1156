public import Synchronization

extension StateMachine {
    /// Makes a transition that is certain: calls who wants to know before, commits, calls who wants to know after.
    @inlinable
    func carryOut(_ passage: Passage, in run: UnsafeMutablePointer<Run>) {
        guard let transition = passage.transition else { return commit(passage, in: run) }
        run.pointee.phase = .preparing
        core.callBefore(passage.step, transition)
        commit(passage, in: run)
        run.pointee.phase = .announcing
        core.callAfter(passage.step, transition)
        run.pointee.thread.finish(transition)
    }

    /// Makes the transitions that callbacks have fired, and those that their callbacks fire.
    @usableFromInline
    func carryOutBacklog(in run: UnsafeMutablePointer<Run>) {
        while let backlog = run.pointee.backlog, backlog.done < backlog.passages.count {
            let passage = backlog.passages[backlog.done]
            backlog.done += 1
            carryOut(passage, in: run)
        }
    }

    /// Shows the destination to readers, from now on and all at once.
    @inlinable
    func commit(_ passage: Passage, in run: UnsafeMutablePointer<Run>) {
        let leftBehind = core.lock.withLock { _ in
            let source = object(of: shown)
            // Not assigned, which would release the source: that goes on to be the previous state.
            withUnsafeMutablePointer(to: &shown) { $0.initialize(to: passage.state) }
            return core.move(to: passage.index, leaving: source)
        }
        if let leftBehind { run.pointee.keepUntilPassed(leftBehind) }
    }
}
