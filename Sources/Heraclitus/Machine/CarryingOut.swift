public import Synchronization

extension StateMachine {
    /// Makes a transition that is certain: calls who wants to know before, commits, calls who wants to know after.
    @inlinable
    func carryOut(_ step: Step, in run: UnsafeMutablePointer<Run>) {
        run.pointee.phase = .preparing
        call(.willFire, of: step)
        if !step.transition.isUpdate {
            call(.willExit, of: step)
            call(.willEnter, of: step)
        }
        commit(step, in: run)
        run.pointee.phase = .announcing
        if !step.transition.isUpdate {
            call(.didExit, of: step)
            call(.didEnter, of: step)
        }
        call(.didFire, of: step)
        call(.observe, of: step)
    }

    /// Makes the transitions that callbacks have fired, and those that their callbacks fire.
    @inlinable
    func carryOutQueue(in run: UnsafeMutablePointer<Run>) {
        while run.pointee.done < run.pointee.queue.count {
            let step = run.pointee.queue[run.pointee.done]
            run.pointee.done += 1
            carryOut(step, in: run)
        }
    }

    /// Shows the destination to readers, from now on and all at once.
    @inlinable
    func commit(_ step: Step, in run: UnsafeMutablePointer<Run>) {
        let leftBehind = position.withLock { position in
            let leftBehind = position.previous
            position.previous = position.standing.state
            position.standing = Standing(state: step.state, index: step.destination.index)
            if position.revision < Self.largestRevision { position.revision += 1 }
            return leftBehind
        }
        if let leftBehind { run.pointee.keepUntilPassed(object(of: leftBehind)) }
    }

    /// Calls the definition's hook at a place and then this machine's own.
    @inlinable
    func call(_ place: Place, of step: Step) {
        switch place {
        case .willFire: for hook in step.event.declaration.willFire { hook(step.transition) }
        case .willExit: step.source.willExit?(step.transition)
        case .willEnter: step.destination.willEnter?(step.transition)
        case .didExit: step.source.didExit?(step.transition)
        case .didEnter: step.destination.didEnter?(step.transition)
        case .didFire: for hook in step.event.declaration.didFire { hook(step.transition) }
        case .observe: break
        }
        hooksInUse?.call(place, step.transition)
    }
}
