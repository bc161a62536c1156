import Heraclitus

// Figures of one thread that fires one machine.

extension Figure {
    static var firing: [Figure] {
        [
            Figure(
                name: "a transition",
                unit: "ns",
                goal: 1.3,
                ours: transition(of: StateMachine()),
                limit: transition(of: HandMachine())
            ),
            Figure(
                name: "a transition, by hand with turns and run to completion",
                unit: "ns",
                goal: 1,
                ours: transition(of: StateMachine()),
                limit: transition(of: HandTurnMachine())
            ),
            Figure(
                name: "a transition with one observer",
                unit: "ns",
                goal: 1.3,
                ours: transition(of: observedMachine()),
                limit: transition(of: observedByHand())
            ),
            Figure(
                name: "a rejected event, with an object",
                unit: "ns",
                goal: 1.2,
                ours: rejectionOfObject(StateMachine()),
                limit: rejectionOfObject(HandMachine())
            ),
            Figure(
                name: "a rejected event, with a builder",
                unit: "ns",
                goal: 1.2,
                ours: rejectionOfBuilder(StateMachine()),
                limit: rejectionOfBuilder(HandMachine())
            ),
        ]
    }

    static func transition(of machine: StateMachine<Download>) -> Side {
        perOperation(of: StateMachine<Download>.transitionsACycle) { rounds in
            let content = Content.shared
            do {
                for _ in 0..<rounds { try machine.goAround(content) }
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }

    static func transition(of machine: HandMachine) -> Side {
        perOperation(of: StateMachine<Download>.transitionsACycle) { rounds in
            let content = Content.shared
            do {
                for _ in 0..<rounds { try machine.goAround(content) }
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }

    private static func transition(of machine: HandTurnMachine) -> Side {
        perOperation(of: StateMachine<Download>.transitionsACycle) { rounds in
            let content = Content.shared
            do {
                for _ in 0..<rounds { try machine.goAround(content) }
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }

    private static func observedMachine() -> StateMachine<Download> {
        let machine = StateMachine<Download>()
        machine.onTransition { keep($0.isUpdate) }
        return machine
    }

    private static func observedByHand() -> HandMachine {
        let machine = HandMachine()
        machine.observe { event, _, _ in keep(event == .reset) }
        return machine
    }

    private static func rejectionOfObject(_ machine: StateMachine<Download>) -> Side {
        perOperation { rounds in
            let content = Content.shared
            for _ in 0..<rounds {
                do throws(InvalidTransition) {
                    try machine.fire.fail(FailureState(content.error, url: content.url))
                } catch {
                    keep(error.reason == .notAllowed)
                }
            }
        }
    }

    private static func rejectionOfObject(_ machine: HandMachine) -> Side {
        perOperation { rounds in
            let content = Content.shared
            for _ in 0..<rounds {
                do throws(HandInvalidTransition) {
                    try machine.fire(.fail, HandFailure(content.error, url: content.url))
                } catch {
                    keep(error.source == .idle)
                }
            }
        }
    }

    private static func rejectionOfBuilder(_ machine: StateMachine<Download>) -> Side {
        perOperation { rounds in
            for _ in 0..<rounds {
                do throws(InvalidTransition) {
                    try machine.fire.retry { failure in LoadingState(url: failure.url) }
                } catch {
                    keep(error.reason == .notAllowed)
                }
            }
        }
    }

    private static func rejectionOfBuilder(_ machine: HandMachine) -> Side {
        perOperation { rounds in
            for _ in 0..<rounds {
                do throws(HandInvalidTransition) {
                    try machine.fire(.retry) { failure in HandLoading(url: (failure as? HandFailure)?.url ?? "") }
                } catch {
                    keep(error.source == .idle)
                }
            }
        }
    }
}
