import Foundation
import Heraclitus

@testable import Fixtures

/// An order that lapses, has reminders, and closes by itself.
struct Bill: Workflow {
    static var initial: any WorkflowState { DraftState() }

    let send = Event(from: DraftState.self, to: SentState.self)
    let lapse = Event(from: SentState.self, to: LapsedState.self).due(\.deadline).enters {
        LapsedState(number: $0.number)
    }
    let forget = Event(from: LapsedState.self, to: ClosedState.self).due(after: .seconds(60))
        .guarded { lapsed, _, _ in if lapsed.number == 13 { throw Objection() } }

    final class DraftState: WorkflowState, EmptyState {}
    final class SentState: WorkflowState {
        let number: Int
        let deadline: Date?
        init(_ number: Int, by deadline: Date?) {
            self.number = number
            self.deadline = deadline
        }
    }
    final class LapsedState: WorkflowState {
        let number: Int
        init(number: Int) { self.number = number }
    }
    final class ClosedState: WorkflowState, EmptyState {}
}
