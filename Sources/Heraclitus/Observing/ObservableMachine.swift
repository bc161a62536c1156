public import Observation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

/// A machine for views: what they read of it is observed, and they are told when it changes.
///
/// ```swift
/// struct DownloadView: View {
///     let download: ObservableMachine<Download>      // or @State, where the view makes it
///
///     var body: some View {
///         Text(download.stateName)
///         Button("Cancel") { try? download.fire.cancel() }.disabled(!download.can.cancel)
///     }
/// }
/// ```
///
/// The machine may be used from any thread, through this or without it. What is read is always what the machine is now. That it
/// has changed is told after the change: at once by a transition on the main thread of Apple's platforms, and else on the main actor
/// soon after; several that come fast may be told once.
@MainActor
public final class ObservableMachine<W: Workflow> {
    /// The machine.
    public nonisolated let machine: StateMachine<W>

    private nonisolated let registrar = ObservationRegistrar()
    private let registrations = Registrations()

    /// Observes a machine for as long as this lives.
    /// - Parameter machine: The machine; a new one unless said otherwise.
    public init(_ machine: StateMachine<W> = StateMachine<W>()) {
        self.machine = machine
        let isToldSoon = Flag()
        machine.onTransition { [weak self] _ in
            if isOnMainThread {
                self?.tell()
            } else if isToldSoon.raise() {
                // From another thread it might come between a view's reading and its beginning to observe.
                Task { @MainActor [weak self] in
                    isToldSoon.lower()
                    self?.tell()
                }
            }
        }.store(in: registrations)
    }

    private nonisolated func tell() { registrar.withMutation(of: self, keyPath: \.state) {} }
}

extension ObservableMachine: Observable {}

extension ObservableMachine: Stateful {
    /// The current state object; observed.
    public nonisolated var state: W.AnyState {
        registrar.access(self, keyPath: \.state)
        return machine.state
    }

    /// Whether an event would be accepted by the table; observed.
    public nonisolated var can: Can<W> {
        registrar.access(self, keyPath: \.state)
        return machine.can
    }

    /// The name of the current state; observed.
    public nonisolated var stateName: String {
        registrar.access(self, keyPath: \.state)
        return machine.stateName
    }

    /// Answers what a fire would do, guards included; observed.
    public nonisolated var rehearse: Fire<W> {
        registrar.access(self, keyPath: \.state)
        return machine.rehearse
    }

    /// Every event with what would become of it now; observed.
    /// - Parameter userInfo: What guards and errors get.
    /// - Returns: An offer for each event.
    public nonisolated func offers(userInfo: UserInfo = [:]) -> [Offer] {
        registrar.access(self, keyPath: \.state)
        return machine.offers(userInfo: userInfo)
    }

    /// The names of the events that lead from the current state; observed.
    public nonisolated var allowedEvents: [String] {
        registrar.access(self, keyPath: \.state)
        return machine.allowedEvents
    }

    /// Whether the current state is an object of a class or of a subclass of it, or conforms to a protocol; observed.
    /// - Parameter type: The class, or the protocol.
    /// - Returns: `true` for an object of a subclass, too.
    public nonisolated func isIn<S>(_ type: S.Type) -> Bool { state is S }
}

/// Whether this is certainly the main actor's thread; elsewhere than on Apple's platforms it has none of its own.
private var isOnMainThread: Bool {
    #if canImport(Darwin)
        pthread_main_np() != 0
    #else
        false
    #endif
}

private final class Flag: Sendable {
    private let isRaised = Atomic(false)

    /// Whether it was not raised before.
    func raise() -> Bool { !isRaised.exchange(true, ordering: .acquiringAndReleasing) }

    func lower() { isRaised.store(false, ordering: .releasing) }
}
