import ExampleUsage
import Foundation
import Heraclitus
import HeraclitusFoundation
import HeraclitusInspecting

/// Shows the uses of a state machine with named states and events with block callbacks.
@main
struct Inbox {
    static func main() throws {
        readNoArguments(usage: "usage: heraclitus-inbox\n\nReads, marks and deletes a message, and prints each step.")
        let message = StateMachine<Message>()
        let unread = Counter()
        message.didEnter(UnreadState.self) { _, _ in unread.add() }
        message.didExit(UnreadState.self) { _, _ in unread.add(-1) }
        // Logs every occurrence, and posts a notification for observers without the machine.
        message.observe { print("  log    \($0.level): \($0)") }
        message.postNotifications(prefix: "Message.")
        let observer = NotificationCenter.default.addObserver(
            forName: Notification.Name("Message.transitioned"),
            object: message,
            queue: nil
        ) { notification in
            let event = notification.userInfo?[StateMachineNotification.eventKey] ?? ""
            print("  posted \(event), folder \(notification.userInfo?["folder"] ?? "none")")
        }

        print("A new message enters its initial state when it is activated.")
        print("  is in Unread: \(message.isIn(named: "Unread")), unread: \(unread.count)")
        message.activate()
        print("  unread: \(unread.count)")

        print("Events can be fired by the name that they have.")
        print("  can view: \(message.can[named: "View Message"]), can mark: \(message.can[named: "Mark as Unread"])")
        try message.fire[named: "View Message"](ReadState(by: "Ada"), userInfo: ["folder": "inbox"])
        print("  is in Read: \(message.isIn(ReadState.self)), unread: \(unread.count)")

        print("What is not allowed is an error that says why, and changes nothing.")
        do throws(InvalidTransition) {
            try message.fire[named: "View Message"](ReadState(by: "Bob"))
        } catch {
            print(
                "  \(error.errorDescription ?? "")\n  \(error.failureReason ?? "")\n  \(error.recoverySuggestion ?? "")"
            )
        }
        do throws(InvalidTransition) {
            try message.fire.delete(userInfo: ["isSure": false])
        } catch {
            print("  \(error.reason): \(error.underlyingError.map { "\($0)" } ?? "")")
        }

        print("A copy has the callbacks of the definition, and none of this message's own.")
        let copy = message.copy()
        try copy.fire.delete()
        print("  the copy is \(copy.stateName), in the trash: \(trash.count), the message is \(message.stateName)")

        print("An archive keeps the data of the state.")
        let restored = try StateMachine<Message>(archive: message.archive())
        print("  read by \((restored.state as? ReadState)?.reader ?? "nobody")")
        let untouched = try StateMachine<Message>(archive: StateMachine<Message>().archive())
        let entered = Counter()
        untouched.didEnter(UnreadState.self) { _, _ in entered.add() }
        untouched.activate()
        print("  one that was archived before it was activated enters its state now: \(entered.count)")

        print("The definition as a graph:")
        print(Message.table.diagram(.dot, current: message.stateName), terminator: "")

        NotificationCenter.default.removeObserver(observer)
    }
}
