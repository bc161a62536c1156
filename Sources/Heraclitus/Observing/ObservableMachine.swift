public import Observation
import Synchronization

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
    private nonisolated let observed: StateMachine<W>
    private nonisolated let registrar = ObservationRegistrar()
    private var registration: Registration?

    /// Observes a machine until this object is released.
    /// - Parameter machine: The machine.
    public init(_ machine: StateMachine<W>) {
        observed = machine
        let isToldSoon = Box(Atomic(false))
        let tell: @Sendable () -> Void = { [weak self] in
            if isOnMainThread {
                self?.tell()
            } else if !isToldSoon.value.exchange(true, ordering: .acquiringAndReleasing) {
                // A notification from another thread might come between a view's reading and its start of observing.
                Task { @MainActor [weak self] in
                    // Acquires, because the views read what the firing thread has changed before.
                    _ = isToldSoon.value.exchange(false, ordering: .acquiringAndReleasing)
                    self?.tell()
                }
            }
        }
        registration =
            if machine.definition.hasComposites {
                machine.observe(regions: true) { if $0.kind == .transitioned { tell() } }
            } else {
                machine.onTransition { _ in tell() }
            }
    }

    deinit { registration?.cancel() }

    private nonisolated func tell() { registrar.withMutation(of: self, keyPath: \.machine) {} }
}

extension ObservableMachine: Observable {}

extension ObservableMachine: MachineOwner {
    /// The observed machine; its properties are observed, too.
    public nonisolated var machine: StateMachine<W> {
        registrar.access(self, keyPath: \.machine)
        return observed
    }
}
