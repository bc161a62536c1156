import Heraclitus
import HeraclitusStores

/// A workflow whose states declare effects.
struct Bell: Workflow {
    static var initial: any WorkflowState { SilentState() }
    static var effects: [any Effect.Type] { [Ring.self] }
    let ring = Event(from: SilentState.self, RingingState.self, to: RingingState.self)
    let stop = Event(from: RingingState.self, to: SilentState.self)
}

/// The workflow `Bell` in a program without its effects.
struct DumbBell: Workflow {
    static var name: String { Bell.name }
    static var initial: any WorkflowState { SilentState() }
    let ring = Event(from: SilentState.self, RingingState.self, to: RingingState.self)
}

final class SilentState: EmptyState {}

final class RingingState: WorkflowState, Effecting {
    let number: Int
    init(_ number: Int) { self.number = number }
    var effects: [any Effect] { [Ring(number: number, place: "hall"), Ring(number: number, place: "yard")] }
}

struct Ring: Effect, Hashable {
    let number: Int
    let place: String
}

/// Records the calls of handlers, in order.
final class Handled: Sendable {
    struct Call: Hashable {
        let ring: Ring
        let key: EffectKey
    }

    private let calls = Lock<[Call]>([])

    var all: [Call] { calls.withLock { $0 } }

    func add(_ effect: any Effect, _ key: EffectKey) {
        guard let ring = effect as? Ring else { return }
        calls.withLock { $0.append(Call(ring: ring, key: key)) }
    }
}

struct Broken: Error {}
