import Foundation
import Heraclitus

// Figures of workflows of different sizes.

extension Figure {
    static var growing: [Figure] {
        [
            Figure(
                name: "first use, a state of 100 against a state of 10",
                unit: "ns",
                goal: 1.2,
                ours: { _ in FirstUse.hundred.nanosecondsAStateInANewProcess() },
                limit: { _ in FirstUse.ten.nanosecondsAStateInANewProcess() },
                remark: "in a new process each"
            ),
            Figure(
                name: "a transition among 100 states and 1,000 pairs",
                unit: "ns",
                goal: withinNoise,
                ours: perOperation(of: 5) { rounds in
                    let machine = StateMachine<Hundred>()
                    do {
                        for _ in 0..<rounds { try machine.goAround() }
                    } catch {
                        preconditionFailure("\(error)")
                    }
                },
                limit: perOperation(of: 5) { rounds in
                    let machine = StateMachine<Five>()
                    do {
                        for _ in 0..<rounds { try machine.goAround() }
                    } catch {
                        preconditionFailure("\(error)")
                    }
                },
                remark: "against 5 states and 25 pairs"
            ),
        ]
    }
}

/// A workflow whose first use is measured, which there is but once a process.
enum FirstUse: String {
    case ten
    case hundred

    private var states: Int {
        switch self {
        case .ten: 10
        case .hundred: 100
        }
    }

    func nanosecondsOfFirstUse() -> Double {
        nanoseconds {
            switch self {
            case .ten: keep(StateMachine<Ten>())
            case .hundred: keep(StateMachine<Hundred>())
            }
        }
    }

    func nanosecondsAStateInANewProcess() -> Double {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["--first-use", rawValue]
        process.standardOutput = output
        do { try process.run() } catch { preconditionFailure("\(error)") }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard let time = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            preconditionFailure("It printed \(text)")
        }
        return time / Double(states)
    }
}
