import Heraclitus
import Synchronization

// Figures of one thread that reads.

extension Figure {
    static var asking: [Figure] {
        [
            Figure(
                name: "machine.can.load",
                unit: "ns",
                goal: 0.5,
                ours: can(StateMachine()),
                limit: can(HandMachine())
            ),
            Figure(
                name: "machine.state",
                unit: "ns",
                goal: 1.1,
                ours: state(of: StateMachine()),
                limit: state(of: HandMachine())
            ),
            Figure(
                name: "machine.isIn(IdleState.self)",
                unit: "ns",
                goal: 1.2,
                ours: isIn(StateMachine()),
                limit: isIn(HandMachine()),
                remark: "against `machine.state is IdleState`"
            ),
        ]
    }

    private static func can(_ machine: StateMachine<Download>) -> Side {
        perOperation { rounds in for _ in 0..<rounds { keep(machine.can.load) } }
    }

    private static func can(_ machine: HandMachine) -> Side {
        perOperation { rounds in for _ in 0..<rounds { keep(machine.can(.load)) } }
    }

    private static func state(of machine: StateMachine<Download>) -> Side {
        perOperation { rounds in for _ in 0..<rounds { keep(machine.state) } }
    }

    private static func state(of machine: HandMachine) -> Side {
        perOperation { rounds in for _ in 0..<rounds { keep(machine.state) } }
    }

    private static func isIn(_ machine: StateMachine<Download>) -> Side {
        perOperation { rounds in for _ in 0..<rounds { keep(machine.isIn(IdleState.self)) } }
    }

    private static func isIn(_ machine: HandMachine) -> Side {
        perOperation { rounds in for _ in 0..<rounds { keep(machine.state is HandIdle) } }
    }
}
