import Heraclitus

// The states of a subscription.

protocol SubscriptionState: WorkflowState {}

final class PendingState: SubscriptionState, EmptyState {}

final class ActiveState: SubscriptionState, EmptyState {}

final class WaitingOnSomethingState: SubscriptionState {
    let something: String

    init(_ something: String) { self.something = something }
}

final class SuspendedState: SubscriptionState {
    let reason: String

    init(because reason: String) { self.reason = reason }
}

final class TerminatedState: SubscriptionState, EmptyState {}

struct Life: Workflow {
    static var initial: any SubscriptionState { PendingState() }

    let activate = Event(from: PendingState.self, to: ActiveState.self)
    let wait = Event(from: ActiveState.self, to: WaitingOnSomethingState.self)

    // One event with different destinations for different sources.
    let resume = Event(from: WaitingOnSomethingState.self, to: ActiveState.self)
        .or(from: SuspendedState.self, to: PendingState.self)
    let suspend = Event(from: ActiveState.self, to: SuspendedState.self)
    let terminate = Event(
        from: PendingState.self,
        ActiveState.self,
        WaitingOnSomethingState.self,
        SuspendedState.self,
        to: TerminatedState.self
    )
}
