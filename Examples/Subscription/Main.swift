import ExampleUsage
import Foundation
import Heraclitus

@main
struct Main {
    static func main() async throws {
        readNoArguments(
            usage: "usage: heraclitus-subscription\n\nActivates, suspends and terminates a subscription, step by step."
        )
        let subscription = Subscription()
        let transitions = subscription.machine.transitions()

        print("The events are methods, and what may be fired can be asked.")
        print("  can activate: \(subscription.can.activate), can suspend: \(subscription.can.suspend)")
        let active = Task { try await subscription.machine.wait(for: ActiveState.self) }
        try subscription.activate()
        print("  is active: \(subscription.machine.isIn(ActiveState.self))")
        print("  who waited got the object: \(try await active.value === subscription.state)")

        print("A block of one's own runs in turn with the transitions; what it fires is carried out after it.")
        let before = try subscription.machine.perform { state in
            try subscription.wait(for: "the bank")
            print("  in the block it is \(type(of: state).name)")
            return type(of: subscription.state).name
        }
        print("  it was \(before), it is \(type(of: subscription.state).name)")

        print("Many threads may fire; each gets its own answer.")
        let accepted = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { (try? subscription.resume()) != nil } }
            var accepted = 0
            for await isAccepted in group where isAccepted { accepted += 1 }
            return accepted
        }
        print("  resumed \(accepted) time")

        print("One event leads to different states from different ones.")
        try subscription.missPayment(WaitingOnSomethingState("a payment"))
        try subscription.missPayment(SuspendedState(because: "the card has expired"))
        try subscription.unsuspend()
        print("  unsuspended, it is \(subscription.machine.stateName)")

        print("What is kept when it ends is the state's, with its date.")
        print("  terminated at: \(subscription.terminatedAt.map { $0.formatted(.iso8601) } ?? "not yet")")
        try subscription.terminate(TerminatedState(at: Date(timeIntervalSince1970: 123_123_123)))
        print("  terminated at: \(subscription.terminatedAt.map { $0.formatted(.iso8601) } ?? "not yet")")
        let restored = try StateMachine<Life>(archive: subscription.machine.archive())
        print(
            "  and in its archive: \((restored.state as? TerminatedState).map { $0.date.formatted(.iso8601) } ?? "lost")"
        )
        do throws(InvalidTransition) { try subscription.activate() } catch { print("  \(error)") }
        do {
            _ = try await subscription.machine.wait(for: ActiveState.self)
        } catch {
            print("  \(error)")
        }

        print("A reader gets all transitions:")
        for await transition in transitions {
            print("  \(transition)")
            if transition.destination is TerminatedState { break }
        }
    }
}
