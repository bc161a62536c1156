import Foundation
import Heraclitus

// Figures of two threads.

extension Figure {
    static var threads: [Figure] {
        [
            Figure(
                name: "two threads on one machine, a call",
                unit: "ns",
                goal: 1.3,
                ours: perOperation(of: 2) { rounds in
                    let machine = StateMachine<Download>(resumingIn: LoadingState(url: Content.shared.url))
                    onTwoThreads { _ in reload(machine, rounds) }
                },
                limit: perOperation(of: 2) { rounds in
                    let machine = HandMachine(in: HandLoading(url: Content.shared.url))
                    onTwoThreads { _ in reload(machine, rounds) }
                }
            ),
            Figure(
                name: "two machines on two threads, against one on one",
                unit: "ns",
                goal: 1 / 1.8,
                ours: perOperation(of: 2) { rounds in
                    onTwoThreads { _ in
                        reload(StateMachine<Download>(resumingIn: LoadingState(url: ownURL())), rounds)
                    }
                },
                limit: perOperation { rounds in
                    reload(StateMachine<Download>(resumingIn: LoadingState(url: ownURL())), rounds)
                },
                remark: "0.56 is 1.8 times the throughput"
            ),
            Figure(
                name: "for scale: the same by hand",
                unit: "ns",
                goal: nil,
                ours: perOperation(of: 2) { rounds in
                    onTwoThreads { _ in reload(HandMachine(in: HandLoading(url: ownURL())), rounds) }
                },
                limit: perOperation { rounds in reload(HandMachine(in: HandLoading(url: ownURL())), rounds) },
                remark: "two machines on two threads, against one on one"
            ),
        ]
    }

    /// A string whose count of references no other thread writes.
    private static func ownURL() -> String { String(decoding: Array(Content.shared.url.utf8), as: UTF8.self) }

    private static func onTwoThreads(_ body: @escaping @Sendable (Int) -> Void) {
        let done = DispatchGroup()
        for number in 0..<2 {
            done.enter()
            Thread.detachNewThread {
                body(number)
                done.leave()
            }
        }
        done.wait()
    }

    private static func reload(_ machine: StateMachine<Download>, _ rounds: Int) {
        do {
            for _ in 0..<rounds { try machine.fire.reload { loading in LoadingState(url: loading.url) } }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func reload(_ machine: HandMachine, _ rounds: Int) {
        do {
            for _ in 0..<rounds {
                try machine.fire(.reload) { loading in HandLoading(url: (loading as? HandLoading)?.url ?? "") }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
