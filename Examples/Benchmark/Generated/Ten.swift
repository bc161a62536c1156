// Written by generate.py.

import Heraclitus

protocol TenState: WorkflowState {}
final class TenState0: TenState, EmptyState {}
final class TenState1: TenState, EmptyState {}
final class TenState2: TenState, EmptyState {}
final class TenState3: TenState, EmptyState {}
final class TenState4: TenState, EmptyState {}
final class TenState5: TenState, EmptyState {}
final class TenState6: TenState, EmptyState {}
final class TenState7: TenState, EmptyState {}
final class TenState8: TenState, EmptyState {}
final class TenState9: TenState, EmptyState {}

struct Ten: Workflow {
    static var initial: any TenState { TenState0() }

    let leave0 = Event(
        from: TenState0.self,
        to: TenState6.self,
        TenState7.self,
        TenState8.self,
        TenState9.self,
        TenState0.self,
        TenState1.self,
        TenState2.self,
        TenState3.self,
        TenState4.self,
        TenState5.self
    )
    let leave1 = Event(
        from: TenState1.self,
        to: TenState7.self,
        TenState8.self,
        TenState9.self,
        TenState0.self,
        TenState1.self,
        TenState2.self,
        TenState3.self,
        TenState4.self,
        TenState5.self,
        TenState6.self
    )
    let leave2 = Event(
        from: TenState2.self,
        to: TenState8.self,
        TenState9.self,
        TenState0.self,
        TenState1.self,
        TenState2.self,
        TenState3.self,
        TenState4.self,
        TenState5.self,
        TenState6.self,
        TenState7.self
    )
    let leave3 = Event(
        from: TenState3.self,
        to: TenState9.self,
        TenState0.self,
        TenState1.self,
        TenState2.self,
        TenState3.self,
        TenState4.self,
        TenState5.self,
        TenState6.self,
        TenState7.self,
        TenState8.self
    )
    let leave4 = Event(
        from: TenState4.self,
        to: TenState0.self,
        TenState1.self,
        TenState2.self,
        TenState3.self,
        TenState4.self,
        TenState5.self,
        TenState6.self,
        TenState7.self,
        TenState8.self,
        TenState9.self
    )
    let leave5 = Event(
        from: TenState5.self,
        to: TenState1.self,
        TenState2.self,
        TenState3.self,
        TenState4.self,
        TenState5.self,
        TenState6.self,
        TenState7.self,
        TenState8.self,
        TenState9.self,
        TenState0.self
    )
    let leave6 = Event(
        from: TenState6.self,
        to: TenState2.self,
        TenState3.self,
        TenState4.self,
        TenState5.self,
        TenState6.self,
        TenState7.self,
        TenState8.self,
        TenState9.self,
        TenState0.self,
        TenState1.self
    )
    let leave7 = Event(
        from: TenState7.self,
        to: TenState3.self,
        TenState4.self,
        TenState5.self,
        TenState6.self,
        TenState7.self,
        TenState8.self,
        TenState9.self,
        TenState0.self,
        TenState1.self,
        TenState2.self
    )
    let leave8 = Event(
        from: TenState8.self,
        to: TenState4.self,
        TenState5.self,
        TenState6.self,
        TenState7.self,
        TenState8.self,
        TenState9.self,
        TenState0.self,
        TenState1.self,
        TenState2.self,
        TenState3.self
    )
    let leave9 = Event(
        from: TenState9.self,
        to: TenState5.self,
        TenState6.self,
        TenState7.self,
        TenState8.self,
        TenState9.self,
        TenState0.self,
        TenState1.self,
        TenState2.self,
        TenState3.self,
        TenState4.self
    )
}

extension StateMachine<Ten> {
    /// Makes five transitions and ends where it began.
    func goAround() throws(InvalidTransition) {
        try fire.leave0(TenState1())
        try fire.leave1(TenState2())
        try fire.leave2(TenState3())
        try fire.leave3(TenState4())
        try fire.leave4(TenState0())
    }
}
