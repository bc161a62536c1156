import Heraclitus

// What is measured for scale.

extension Figure {
    static var scale: [Figure] {
        [
            Figure(
                name: "for scale: against an enum and a switch, no lock",
                unit: "ns",
                goal: nil,
                ours: transition(of: StateMachine()),
                limit: perOperation(of: StateMachine<Download>.transitionsACycle) { rounds in
                    var machine = HandSwitch()
                    let content = Content.shared
                    do {
                        for _ in 0..<rounds {
                            try machine.goAround(content)
                            keep(machine.isIdle)
                        }
                    } catch {
                        preconditionFailure("\(error)")
                    }
                }
            )
        ]
    }
}
