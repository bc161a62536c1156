import Foundation
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

final class TerminatedState: SubscriptionState {
    let date: Date

    init(at date: Date = Date()) { self.date = date }
}

struct Life: Workflow {
    static var initial: any SubscriptionState { PendingState() }

    let activate = Event(from: PendingState.self, to: ActiveState.self)
    let wait = Event(from: ActiveState.self, to: WaitingOnSomethingState.self)
    let resume = Event(from: WaitingOnSomethingState.self, to: ActiveState.self)
    let suspend = Event(from: ActiveState.self, to: SuspendedState.self)
    let unsuspend = Event(from: SuspendedState.self, to: ActiveState.self)

    // One event with different destinations for different sources: a missing payment starts a grace period, and then
    // suspends.
    let missPayment = Event(from: ActiveState.self, to: WaitingOnSomethingState.self)
        .or(from: WaitingOnSomethingState.self, to: SuspendedState.self)
    let terminate = Event(
        from: ActiveState.self,
        WaitingOnSomethingState.self,
        SuspendedState.self,
        to: TerminatedState.self
    )
}
