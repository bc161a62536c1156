import Heraclitus

// A workflow whose machines keep a journal, with earlier and later versions of it.

final class PackedState: WorkflowState, EmptyState {
    static var name: String { "Packed" }
}

final class SentState: WorkflowState {
    static var name: String { "Sent" }
    let carrier: String
    init(_ carrier: String) { self.carrier = carrier }
}

final class LostState: WorkflowState, EmptyState {
    static var name: String { "Lost" }
}

struct Parcel: Workflow {
    static var initial: any WorkflowState { PackedState() }
    static var journal: Int { 5 }

    let send = Event(from: PackedState.self, to: SentState.self)
        .guarded { _, sent, _ in if sent.carrier.isEmpty { throw Objection(text: "no carrier") } }
    let track = Event(updating: SentState.self)
    let bounce = Event(from: SentState.self, to: PackedState.self).ignored(in: PackedState.self)
    let lose = Event(from: SentState.self, to: LostState.self)
}

/// The workflow without a journal.
struct SilentParcel: Workflow {
    static var initial: any WorkflowState { PackedState() }
    static var name: String { "Parcel" }

    let send = Event(from: PackedState.self, to: SentState.self)
    let track = Event(updating: SentState.self)
    let bounce = Event(from: SentState.self, to: PackedState.self)
    let lose = Event(from: SentState.self, to: LostState.self)
}

/// A later version without returns and without `Sent`.
struct LaterParcel: Workflow {
    final class ShippedState: WorkflowState {
        static var name: String { "Shipped" }
        let carrier: String
        init(_ carrier: String) { self.carrier = carrier }
    }

    static var initial: any WorkflowState { PackedState() }
    static var name: String { "Parcel" }
    static var version: Int { 2 }
    static var journal: Int { 8 }
    static var migrations: [Migration] { [.state("Sent", becomes: "Shipped", in: 2)] }

    let send = Event(from: PackedState.self, to: ShippedState.self)
    let track = Event(updating: ShippedState.self)
    let lose = Event(from: ShippedState.self, to: LostState.self)
    let bounce = Event(from: LostState.self, to: PackedState.self).ignored(in: ShippedState.self)
}
