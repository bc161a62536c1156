// Written by generate.py.

import Heraclitus

protocol FiveState: WorkflowState {}
final class FiveState0: FiveState, EmptyState {}
final class FiveState1: FiveState, EmptyState {}
final class FiveState2: FiveState, EmptyState {}
final class FiveState3: FiveState, EmptyState {}
final class FiveState4: FiveState, EmptyState {}

struct Five: Workflow {
    static var initial: any FiveState { FiveState0() }

    let leave0 = Event(
        from: FiveState0.self,
        to: FiveState1.self,
        FiveState2.self,
        FiveState3.self,
        FiveState4.self,
        FiveState0.self
    )
    let leave1 = Event(
        from: FiveState1.self,
        to: FiveState2.self,
        FiveState3.self,
        FiveState4.self,
        FiveState0.self,
        FiveState1.self
    )
    let leave2 = Event(
        from: FiveState2.self,
        to: FiveState3.self,
        FiveState4.self,
        FiveState0.self,
        FiveState1.self,
        FiveState2.self
    )
    let leave3 = Event(
        from: FiveState3.self,
        to: FiveState4.self,
        FiveState0.self,
        FiveState1.self,
        FiveState2.self,
        FiveState3.self
    )
    let leave4 = Event(
        from: FiveState4.self,
        to: FiveState0.self,
        FiveState1.self,
        FiveState2.self,
        FiveState3.self,
        FiveState4.self
    )
}

extension StateMachine<Five> {
    /// Makes five transitions and ends where it began.
    func goAround() throws(InvalidTransition) {
        try fire.leave0(FiveState1())
        try fire.leave1(FiveState2())
        try fire.leave2(FiveState3())
        try fire.leave3(FiveState4())
        try fire.leave4(FiveState0())
    }
}
