public import Observation
import Synchronization

#if canImport(Darwin)
    import Darwin
#endif

/// A machine for views, which are updated when the state changes, by Observation.
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
/// Any thread may use the machine, through this object or directly. Properties are always those of the machine at that moment.
/// Observers of a property are notified after a transition of the machine, or of one of its regions: at once if it was made on the main
/// thread of an Apple platform, otherwise soon after on the main actor. Several transitions in a short time may cause one notification.
@MainActor
public final class ObservableMachine<W: Workflow> {
    private nonisolated let observed: StateMachine<W>
    private nonisolated let registrar = ObservationRegistrar()
    private let registrations = Registrations()

    /// Observes a machine until this object is released.
    /// - Parameter machine: The machine.
    public init(_ machine: StateMachine<W>) {
        observed = machine
        let isToldSoon = Flag()
        let tell: @Sendable () -> Void = { [weak self] in
            if isOnMainThread {
                self?.tell()
            } else if isToldSoon.raise() {
                // From another thread it might come between a view's reading and its beginning to observe.
                Task { @MainActor [weak self] in
                    isToldSoon.lower()
                    self?.tell()
                }
            }
        }
        let registration =
            if machine.definition.hasComposites {
                machine.observe(regions: true) { if $0.kind == .transitioned { tell() } }
            } else {
                machine.onTransition { _ in tell() }
            }
        registration.store(in: registrations)
    }

    /// Makes a machine in the workflow's initial state and observes it.
    public convenience init() where W.Context == Void, W.Initial == W.AnyState { self.init(StateMachine<W>()) }

    private nonisolated func tell() { registrar.withMutation(of: self, keyPath: \.machine) {} }
}

extension ObservableMachine: Observable {}

extension ObservableMachine: MachineOwner {
    /// The machine; whoever reads it, or a property that comes from it, is notified.
    public nonisolated var machine: StateMachine<W> {
        registrar.access(self, keyPath: \.machine)
        return observed
    }
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
