import Foundation
import Heraclitus

// A figure of an event that fires when it is due.

extension Figure {
    static var alarms: [Figure] {
        [
            Figure(
                name: "arming a deadline among many, and disarming it",
                unit: "ns",
                goal: 1,
                ours: toAndFro(Alarm(), among: Crowd()),
                limit: adding(300, to: toAndFro(QuietAlarm(), among: nil)),
                remark: "against a state without a deadline, and 300 ns"
            )
        ]
    }

    /// A side that lets one machine sleep and wake again.
    private static func toAndFro<W: AlarmWorkflow>(_ workflow: W, among crowd: Crowd?) -> Side {
        var made: StateMachine<W>?
        return { time in
            let scheduler = crowd?.asleep(for: time).scheduler
            let machine = made ?? scheduler.map { StateMachine(scheduler: $0) } ?? StateMachine()
            made = machine
            return perOperation { rounds in
                do {
                    for _ in 0..<rounds {
                        try W.fall(asleep: machine)
                        try W.wake(machine)
                    }
                } catch {
                    preconditionFailure("\(error)")
                }
            }(time)
        }
    }

    private static func adding(_ nanoseconds: Double, to side: @escaping Side) -> Side {
        { time in side(time) + nanoseconds }
    }
}

/// A workflow with or without a deadline.
private protocol AlarmWorkflow: Workflow where Initial == AnyState {
    static func fall(asleep machine: StateMachine<Self>) throws(InvalidTransition)
    static func wake(_ machine: StateMachine<Self>) throws(InvalidTransition)
}

private final class AwakeState: WorkflowState, EmptyState {}

private final class AsleepState: WorkflowState {
    let until: Date
    init(until: Date = .distantFuture) { self.until = until }
}

private struct Alarm: AlarmWorkflow {
    static var initial: any WorkflowState { AwakeState() }
    let sleep = Event(from: AwakeState.self, to: AsleepState.self)
    let wake = Event(from: AsleepState.self, to: AwakeState.self).due(\.until)

    static func fall(asleep machine: StateMachine<Alarm>) throws(InvalidTransition) {
        try machine.fire.sleep(AsleepState())
    }

    static func wake(_ machine: StateMachine<Alarm>) throws(InvalidTransition) { try machine.fire.wake() }
}

private struct QuietAlarm: AlarmWorkflow {
    static var initial: any WorkflowState { AwakeState() }
    let sleep = Event(from: AwakeState.self, to: AsleepState.self)
    let wake = Event(from: AsleepState.self, to: AwakeState.self)

    static func fall(asleep machine: StateMachine<QuietAlarm>) throws(InvalidTransition) {
        try machine.fire.sleep(AsleepState())
    }

    static func wake(_ machine: StateMachine<QuietAlarm>) throws(InvalidTransition) { try machine.fire.wake() }
}

/// A million sleeping machines, or ten thousand for short samples.
private final class Crowd {
    /// Its date stands still, so that no deadline ever fires.
    let scheduler = Scheduler(ContinuousClock()) { Date(timeIntervalSinceReferenceDate: 0) }
    private var machines: [StateMachine<Alarm>] = []

    /// The machines, made at the first call.
    func asleep(for time: Duration) -> Crowd {
        guard machines.isEmpty else { return self }
        machines = (0..<(time < .milliseconds(5) ? 10_000 : 1_000_000)).map { _ in
            StateMachine<Alarm>(scheduler: scheduler)
        }
        do {
            for (index, machine) in machines.shuffled().enumerated() {
                let until = Date(timeIntervalSinceReferenceDate: 1_000_000_000 + Double(index) / 1_000)
                try machine.fire.sleep(AsleepState(until: until))
            }
        } catch {
            preconditionFailure("\(error)")
        }
        return self
    }
}
