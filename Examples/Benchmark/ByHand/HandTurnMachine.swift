import Foundation
import Synchronization

/// A handwritten machine with the library's guarantees on order and threads.
///
/// The hooks of two transitions never interleave, a hook's fire is validated at once and carried out later, and reads
/// never wait for hooks.
///
/// The machine lacks firing builders, deadlock detection, removable closures, guards, user info and activation.
final class HandTurnMachine: @unchecked Sendable {
    private struct Shown {
        var state: any HandState
        var revision = 0
    }

    private struct Step {
        let event: HandEvent
        let source: any HandState
        let destination: any HandState
    }

    /// The thread that has the turn; 0 for none.
    private let owner = Atomic<UInt>(0)
    private let shown = Mutex(Shown(state: HandIdle()))

    // Accessed by the owner only.
    private var isPreparing = false
    private var expected: any HandState
    private var queue: [Step] = []

    init() { expected = shown.withLock { $0.state } }

    var state: any HandState { shown.withLock { $0.state } }

    func fire(_ event: HandEvent, _ state: @autoclosure () -> any HandState) throws(HandInvalidTransition) {
        try fire(event) { (_: any HandState) in state() }
    }

    func fire(
        _ event: HandEvent,
        building build: (any HandState) -> any HandState
    ) throws(HandInvalidTransition) {
        let me = Self.thisThread
        if owner.load(ordering: .relaxed) == me {
            queue.append(try accepted(event, build))
            return
        }
        while !owner.compareExchange(expected: 0, desired: me, ordering: .acquiring).exchanged { sched_yield() }
        defer { owner.store(0, ordering: .releasing) }
        carryOut(try accepted(event, build))
        guard !queue.isEmpty else { return }
        var done = 0
        while done < queue.count {
            carryOut(queue[done])
            done += 1
        }
        queue = []
    }

    private func accepted(
        _ event: HandEvent,
        _ build: (any HandState) -> any HandState
    ) throws(HandInvalidTransition) -> Step {
        let source = expected
        let kind = type(of: source).kind
        guard !isPreparing, event.leads(from: kind) else { throw HandInvalidTransition(event: event, source: kind) }
        isPreparing = true
        let destination = build(source)
        isPreparing = false
        expected = destination
        return Step(event: event, source: source, destination: destination)
    }

    private func carryOut(_ step: Step) {
        shown.withLock {
            $0.state = step.destination
            $0.revision += 1
        }
        step.source.didExit(to: step.destination, by: step.event)
        step.destination.didEnter(from: step.source, by: step.event)
    }

    private static var thisThread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }
}

extension HandTurnMachine {
    func goAround(_ content: Content) throws(HandInvalidTransition) {
        try fire(.load, HandLoading(url: content.url))
        try fire(.fail, HandFailure(content.error, url: content.url))
        try fire(.retry) { failure in HandLoading(url: (failure as? HandFailure)?.url ?? "") }
        try fire(.finish, HandCompleted(byteCount: 1024))
        try fire(.reset, HandIdle())
    }
}
