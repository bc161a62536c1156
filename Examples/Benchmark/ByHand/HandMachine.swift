import Synchronization

/// The limit: the code of an expert who needs only thread safety and hooks.
///
/// The lock is free while hooks run, so hooks may fire again. Their fires, and those of other threads, interleave with the hooks of the current
/// transition.
final class HandMachine: Sendable {
    typealias Observer = @Sendable (HandEvent, any HandState, any HandState) -> Void

    private struct Storage {
        var state: any HandState
        var revision = 0
        var observers: [Observer] = []
    }

    private let storage: Mutex<Storage>

    init(in state: any HandState = HandIdle()) { storage = Mutex(Storage(state: state)) }

    var state: any HandState { storage.withLock { $0.state } }

    func can(_ event: HandEvent) -> Bool {
        storage.withLock { event.leads(from: type(of: $0.state).kind) }
    }

    func observe(_ observer: @escaping Observer) { storage.withLock { $0.observers.append(observer) } }

    /// Fires with an object, which is made only for an allowed event.
    func fire(_ event: HandEvent, _ state: @autoclosure () -> any HandState) throws(HandInvalidTransition) {
        try fire(event) { (_: any HandState) in state() }
    }

    /// Fires with a closure that makes the new object from the current state.
    func fire(
        _ event: HandEvent,
        building build: (any HandState) -> any HandState
    ) throws(HandInvalidTransition) {
        let (source, destination, observers) = try storage.withLock { storage throws(HandInvalidTransition) in
            let source = storage.state
            let kind = type(of: source).kind
            guard event.leads(from: kind) else { throw HandInvalidTransition(event: event, source: kind) }
            let destination = build(source)
            storage.state = destination
            storage.revision += 1
            return (source, destination, storage.observers)
        }
        source.didExit(to: destination, by: event)
        destination.didEnter(from: source, by: event)
        for observer in observers { observer(event, source, destination) }
    }
}

extension HandMachine {
    func goAround(_ content: Content) throws(HandInvalidTransition) {
        try fire(.load, HandLoading(url: content.url))
        try fire(.fail, HandFailure(content.error, url: content.url))
        try fire(.retry) { failure in HandLoading(url: (failure as? HandFailure)?.url ?? "") }
        try fire(.finish, HandCompleted(byteCount: 1024))
        try fire(.reset, HandIdle())
    }
}
