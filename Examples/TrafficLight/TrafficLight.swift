import Heraclitus

/// A light whose methods are allowed in some states only.
class TrafficLight: MachineOwner, @unchecked Sendable {
    // Unchecked for its subclasses' sake, which have nothing that changes.

    let machine = StateMachine<Light>()

    /// Only a light that does not work yet is switched on.
    func switchOn() throws {
        try inState(BlueState.self) { _ in
            print("  click")
            try machine.enter(named: "red")
        }
    }

    func goGreen(seconds: Int) throws {
        try inState(RedState.self, userInfo: ["seconds": seconds]) { _ in
            try machine.enter(GreenState(seconds: seconds))
        }
    }

    func goRed() throws {
        try inState(GreenState.self) { green in
            print("  it was green for \(green.seconds) seconds")
            try machine.enter(RedState())
        }
    }
}

/// A subclass's methods are guarded alike.
final class CountingLight: TrafficLight, @unchecked Sendable {
    func count() throws -> [Int] {
        try inState(GreenState.self) { green in Array(stride(from: green.seconds, to: 0, by: -1)) }
    }
}
