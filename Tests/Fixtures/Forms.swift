import Heraclitus

// States without data for the forms of events, with a hierarchy: Solid has the subclass Ice, which has the subclass
// Snow.
final class GasState: WorkflowState, EmptyState {}
final class FluidState: WorkflowState, EmptyState {}
final class PlasmaState: WorkflowState, EmptyState {}
class SolidState: WorkflowState, EmptyState, @unchecked Sendable { required init() {} }
class IceState: SolidState, @unchecked Sendable {}
final class SnowState: IceState, @unchecked Sendable {}
/// An unregistered subclass.
final class SecretState: SolidState, @unchecked Sendable {}

struct Forms: Workflow {
    static var initial: any WorkflowState { FluidState() }
    static var states: [any WorkflowState.Type] { [SnowState.self, IceState.self] }

    let boil = Event(from: FluidState.self, to: GasState.self)
    let heat = Event(from: SolidState.self, FluidState.self, to: GasState.self)
    let split = Event(from: FluidState.self, to: GasState.self, SolidState.self)
    let many = Event(from: [FluidState.self, GasState.self], to: [SolidState.self, PlasmaState.self])
    let ionize = Event(to: PlasmaState.self)
    let anything = Event(to: [GasState.self, SolidState.self])
    let toggle = Event(from: FluidState.self, to: GasState.self).or(from: GasState.self, to: FluidState.self)
    let sublime = Event(from: SolidState.self, to: GasState.self).or(from: FluidState.self, to: GasState.self)
    let fork = Event(from: GasState.self, to: FluidState.self)
        .or(from: FluidState.self, to: GasState.self, SolidState.self)
    let stir = Event(updating: FluidState.self)
    let pack = Event(updating: [SolidState.self, FluidState.self])
    let named = Event("Vent the Gas", from: GasState.self, to: PlasmaState.self)
    let listed = Event(from: [GasState.self, FluidState.self], to: [PlasmaState.self])
    let thaw = Event(from: SolidState.self, to: FluidState.self).ignored(in: SnowState.self, GasState.self)
    let except = Event(to: FluidState.self).ignored(in: PlasmaState.self)
    let lists = Event(from: [GasState.self], to: PlasmaState.self).or(from: PlasmaState.self, to: GasState.self)
        .ignored(in: FluidState.self)
    let toList = Event(from: GasState.self, to: [FluidState.self, PlasmaState.self])
    let anyToList = Event(to: [PlasmaState.self])
}
