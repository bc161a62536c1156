import Heraclitus

/// A light whose methods are allowed in some states only.
class TrafficLight: MachineOwner, @unchecked Sendable {
    // Unchecked because of subclasses, whose properties are constant.

    let machine = StateMachine<Light>()

    /// Only a light that is off can be switched on.
    func switchOn() throws {
        try machine.perform(in: BlueState.self) { _ in
            print("  click")
            try machine.enter(named: "red")
        }
    }

    func goGreen(seconds: Int) throws {
        try machine.perform(in: RedState.self, userInfo: ["seconds": seconds]) { _ in
            try machine.enter(GreenState(seconds: seconds))
        }
    }

    func goRed() throws {
        try machine.perform(in: GreenState.self) { green in
            print("  it was green for \(green.seconds) seconds")
            try machine.enter(RedState())
        }
    }
}

/// The methods of a subclass are guarded as well.
final class CountingLight: TrafficLight, @unchecked Sendable {
    func count() throws -> [Int] {
        try machine.perform(in: GreenState.self) { green in Array(stride(from: green.seconds, to: 0, by: -1)) }
    }
}
