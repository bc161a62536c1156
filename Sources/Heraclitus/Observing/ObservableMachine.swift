public import Observation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

/// A machine for views.
///
/// Observation updates the views when the state changes.
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
/// Any thread may use the machine, through this object or directly. Properties always have the machine's current
/// values.
///
/// Observers of a property are notified after transitions of the machine and of its regions. A transition on the main
/// thread of an Apple platform notifies them at once. Other transitions notify them soon afterwards on the main actor,
/// and several may share one notification.
@MainActor
public final class ObservableMachine<W: Workflow> {
    /// The machine.
    public nonisolated let machine: StateMachine<W>

    private nonisolated let registrar = ObservationRegistrar()
    private let registrations = Registrations()

    /// Observes a machine until this object is released.
    /// - Parameter machine: The machine.
    public init(_ machine: StateMachine<W>) {
        self.machine = machine
        let isToldSoon = Flag()
        let tell: @Sendable () -> Void = { [weak self] in
            if isOnMainThread {
                self?.tell()
            } else if isToldSoon.raise() {
                // A notification from another thread might come between a view's reading and its start of observing.
                Task { @MainActor [weak self] in
                    isToldSoon.lower()
                    self?.tell()
                }
            }
        }
        let registration =
            if machine.definition.hasComposites {
                machine.observeTree { if $0.kind == .transitioned { tell() } }
            } else {
                machine.onTransition { _ in tell() }
            }
        registration.store(in: registrations)
    }

    /// Makes a machine in the workflow's initial state and observes it.
    public convenience init() where W.Context == Void, W.Initial == W.AnyState { self.init(StateMachine<W>()) }

    private nonisolated func tell() { registrar.withMutation(of: self, keyPath: \.state) {} }
}

extension ObservableMachine: Observable {}

extension ObservableMachine: Stateful {
    /// The current state object; observed.
    public nonisolated var state: W.AnyState {
        registrar.access(self, keyPath: \.state)
        return machine.state
    }

    /// Whether the table allows an event; observed.
    public nonisolated var can: Can<W> {
        registrar.access(self, keyPath: \.state)
        return machine.can
    }

    /// The name of the current state; observed.
    public nonisolated var stateName: String {
        registrar.access(self, keyPath: \.state)
        return machine.stateName
    }

    /// Reports the result of a fire without firing, including guards; observed.
    public nonisolated var rehearse: Fire<W> {
        registrar.access(self, keyPath: \.state)
        return machine.rehearse
    }

    /// Every event with the result of firing it now; observed.
    /// - Parameter userInfo: Values passed to guards and carried by errors.
    /// - Returns: An offer for each event.
    public nonisolated func offers(userInfo: UserInfo = [:]) -> [Offer] {
        registrar.access(self, keyPath: \.state)
        return machine.offers(userInfo: userInfo)
    }

    /// The names of the actions that the current state allows; observed.
    public nonisolated var allowedActions: [String] {
        registrar.access(self, keyPath: \.state)
        return machine.allowedActions
    }

    /// Whether the current state is in one of the groups that the workflow declares as static properties; observed.
    public nonisolated var `is`: StateQuery<W> {
        registrar.access(self, keyPath: \.state)
        return machine.is
    }

    /// The names of the events that lead from the current state; observed.
    public nonisolated var allowedEvents: [String] {
        registrar.access(self, keyPath: \.state)
        return machine.allowedEvents
    }

    /// Whether the current state is an object of a class or of a subclass of it, or conforms to a protocol; observed.
    ///
    /// A machine is also in the states of its regions: see ``Composite``.
    /// - Parameter type: The class, or the protocol.
    /// - Returns: `true` for an object of a subclass, too.
    public nonisolated func isIn<S>(_ type: S.Type) -> Bool {
        registrar.access(self, keyPath: \.state)
        return machine.isIn(type)
    }

    /// Whether the current state, or a registered superclass of it, has a name; observed.
    /// - Parameter name: The name.
    /// - Returns: `false` for an unknown name, too.
    public nonisolated func isIn(named name: String) -> Bool {
        registrar.access(self, keyPath: \.state)
        return machine.isIn(named: name)
    }
}

/// Whether this is certainly the main thread.
///
/// Only Apple's platforms tie the main actor to a thread.
private var isOnMainThread: Bool {
    #if canImport(Darwin)
        pthread_main_np() != 0
    #else
        false
    #endif
}

private final class Flag: Sendable {
    private let isRaised = Atomic(false)

    /// Raises the flag, and returns whether it was lowered before.
    func raise() -> Bool { !isRaised.exchange(true, ordering: .acquiringAndReleasing) }

    func lower() { isRaised.store(false, ordering: .releasing) }
}
