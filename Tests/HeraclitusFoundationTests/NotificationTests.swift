import Foundation
import Heraclitus
import HeraclitusFoundation
import Synchronization
import Testing

@testable import Fixtures

@Suite("Notifications") struct NotificationTests {
    private static func happen(to door: StateMachine<Door>) throws {
        try door.fire.open(OpenState(), userInfo: ["by": "wind"])
        try? door.fire.lock(LockedState(1), userInfo: ["by": "me"])
        try door.perform(action: "paint", in: OpenState.self, userInfo: ["colour": "red"]) { _ in }
        try? door.perform(action: "knock", in: ClosedState.self) { _ in }
        door.announce("foo", userInfo: ["n": 1])
    }

    @Test("A notification centre gets the outcomes under a prefix of the caller, with the user info merged in")
    func notifications() throws {
        let center = NotificationCenter()
        let door = StateMachine<Door>()
        let heard = Lock<[(name: String, by: String?, occurrence: Occurrence?, isOfDoor: Bool)]>([])
        let names = ["transitioned", "rejected", "performed", "refused", "foo"]
        let tokens = names.map { name in
            center.addObserver(forName: Notification.Name("front." + name), object: nil, queue: nil) { notification in
                let by = ["by", "colour", "n"].compactMap { notification.userInfo?[$0].map { "\($0)" } }.first
                let entry = (name, by, notification.occurrence, notification.object as? StateMachine<Door> === door)
                heard.withLock { $0.append(entry) }
                if name == "transitioned" {
                    #expect(notification.userInfo?[StateMachineNotification.eventKey] as? String == "open")
                    #expect(notification.userInfo?[StateMachineNotification.sourceKey] is ClosedState)
                    #expect(notification.userInfo?[StateMachineNotification.destinationKey] is OpenState)
                }
                if name == "rejected" {
                    #expect(notification.userInfo?[StateMachineNotification.errorKey] is InvalidTransition)
                }
            }
        }
        let posting = door.postNotifications(to: center, prefix: "front.")
        try Self.happen(to: door)
        let entries = heard.withLock { $0 }
        #expect(entries.map(\.name) == names)
        #expect(entries.map(\.by) == ["wind", "me", "red", nil, "1"])
        #expect(entries.allSatisfy { $0.isOfDoor && $0.occurrence != nil })
        posting.cancel()
        door.announce("foo")
        #expect(heard.withLock { $0.count } == 5)
        for token in tokens { center.removeObserver(token) }
    }

    @Test("Without a prefix a notification is named after the workflow")
    func defaultPrefix() throws {
        let center = NotificationCenter()
        let door = StateMachine<Door>()
        let count = Atomic(0)
        let token = center.addObserver(forName: Notification.Name("Door.transitioned"), object: door, queue: nil) { _ in
            count.add(1, ordering: .relaxed)
        }
        door.postNotifications(to: center)
        try door.fire.open(OpenState())
        #expect(count.load(ordering: .relaxed) == 1)
        center.removeObserver(token)
    }
}
