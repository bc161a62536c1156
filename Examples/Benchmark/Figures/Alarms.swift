import Foundation
import Heraclitus
import HeraclitusTesting

// Figures of events that fire by themselves when their time has come.

extension Figure {
    static var alarms: [Figure] {
        let crowd = Crowd<Alarm>()
        let quietCrowd = Crowd<QuietAlarm>()
        return [
            Figure(
                name: "arming a deadline among a million, and disarming it",
                unit: "ns",
                goal: 1,
                ours: toAndFro { StateMachine<Alarm>(scheduler: crowd.asleep(for: $0).clock.scheduler) },
                limit: adding(300, to: toAndFro { _ in StateMachine<QuietAlarm>() }),
                remark: "against a state without a deadline, and 300 ns"
            ),
            Figure(
                name: "a million events that are due, each",
                unit: "ns",
                goal: 2,
                ours: { crowd.asleep(for: $0).nanosecondsOfAlarms() },
                limit: { quietCrowd.asleep(for: $0).nanosecondsOfFires() },
                remark: "against firing them"
            ),
        ]
    }

    /// A side that lets one machine fall asleep and wake again.
    private static func toAndFro<W: AlarmWorkflow>(_ make: @escaping (Duration) -> StateMachine<W>) -> Side {
        var made: StateMachine<W>?
        return { time in
            let machine = made ?? make(time)
            made = machine
            return perOperation { rounds in
                do {
                    for _ in 0..<rounds {
                        try W.fall(asleep: machine, until: .distantFuture)
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

/// Two workflows, of which one wakes by itself.
private protocol AlarmWorkflow: Workflow where Context == Void, Initial == AnyState {
    static func fall(asleep machine: StateMachine<Self>, until date: Date) throws(InvalidTransition)
    static func wake(_ machine: StateMachine<Self>) throws(InvalidTransition)
}

private final class AwakeState: WorkflowState, EmptyState {}

private final class AsleepState: WorkflowState {
    let until: Date
    init(until: Date) { self.until = until }
}

private struct Alarm: AlarmWorkflow {
    static var initial: any WorkflowState { AwakeState() }
    let sleep = Event(from: AwakeState.self, to: AsleepState.self)
    let wake = Event(from: AsleepState.self, to: AwakeState.self).due(\.until)

    static func fall(asleep machine: StateMachine<Alarm>, until date: Date) throws(InvalidTransition) {
        try machine.fire.sleep(AsleepState(until: date))
    }

    static func wake(_ machine: StateMachine<Alarm>) throws(InvalidTransition) { try machine.fire.wake() }
}

private struct QuietAlarm: AlarmWorkflow {
    static var initial: any WorkflowState { AwakeState() }
    let sleep = Event(from: AwakeState.self, to: AsleepState.self)
    let wake = Event(from: AsleepState.self, to: AwakeState.self)

    static func fall(asleep machine: StateMachine<QuietAlarm>, until date: Date) throws(InvalidTransition) {
        try machine.fire.sleep(AsleepState(until: date))
    }

    static func wake(_ machine: StateMachine<QuietAlarm>) throws(InvalidTransition) { try machine.fire.wake() }
}

/// A million machines that are asleep, or ten thousand if samples are to be short.
///
/// They fell asleep in an order that has nothing to do with where they are in memory.
private final class Crowd<W: AlarmWorkflow> {
    let clock = ManualClock()
    private var machines: [StateMachine<W>] = []

    /// The same, made when it is first needed.
    func asleep(for time: Duration) -> Crowd {
        guard machines.isEmpty else { return self }
        let count = time < .milliseconds(5) ? 10_000 : 1_000_000
        machines = (0..<count).map { _ in StateMachine<W>(scheduler: clock.scheduler) }.shuffled()
        fallAsleep()
        return self
    }

    /// Lets each sleep a millisecond longer than the one before.
    private func fallAsleep() {
        let start = clock.date
        succeeding {
            for (index, machine) in machines.enumerated() {
                try W.fall(asleep: machine, until: start.addingTimeInterval(1 + Double(index) / 1_000))
            }
        }
    }

    /// Lets the time of all come at once.
    func nanosecondsOfAlarms() -> Double {
        let end = clock.date.addingTimeInterval(2 + Double(machines.count) / 1_000)
        return nanosecondsOfWaking { clock.setDate(to: end) }
    }

    func nanosecondsOfFires() -> Double {
        nanosecondsOfWaking { succeeding { for machine in machines { try W.wake(machine) } } }
    }

    private func nanosecondsOfWaking(_ wake: () -> Void) -> Double {
        let time = nanoseconds(wake)
        precondition(machines.allSatisfy { $0.isIn(AwakeState.self) }, "Each is awake.")
        fallAsleep()
        return time / Double(machines.count)
    }
}
