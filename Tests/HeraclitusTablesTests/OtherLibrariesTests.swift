import Heraclitus
import HeraclitusTables
import Synchronization
import Testing

/// Examples from the READMEs of libraries with named states, with their names.
@Suite("Examples of other libraries")
struct OtherLibrariesTests {
    @Test("TransitionKit: a message in an inbox")
    func transitionKit() throws {
        let unreadCount = Mutex(0)
        let trash = Mutex(0)
        let inbox = try DataWorkflow(
            TransitionTable(
                "Inbox",
                states: ["Unread", "Read", "Deleted"],
                initial: "Unread",
                events: [
                    .init("View Message", from: "Unread", to: "Read"),
                    .init("Delete Message", from: "Read", "Unread", to: "Deleted"),
                    .init("Mark as Unread", from: "Read", "Deleted", to: "Unread"),
                ]
            )
        )
        .didEnter("Unread") { _, _ in unreadCount.withLock { $0 += 1 } }
        .didExit("Read") { _, _ in unreadCount.withLock { $0 -= 1 } }
        .didEnter("Deleted") { _, _ in trash.withLock { $0 += 1 } }

        let message = try StateMachine(inbox)
        message.activate()
        #expect(message.isIn(named: "Unread"))

        try message.fire[named: "View Message"]()
        try message.fire[named: "Delete Message"]()
        try message.fire[named: "Mark as Unread"]()

        #expect(!message.can[named: "Mark as Unread"])
        let error = #expect(throws: InvalidTransition.self) { try message.fire[named: "Mark as Unread"]() }
        #expect(error?.reason == .notAllowed)
        #expect(
            error?.errorDescription
                == #"Inbox cannot fire "Mark as Unread" in Unread: no transition to Unread."#
        )
        #expect(unreadCount.withLock { $0 } == 1)
        #expect(trash.withLock { $0 } == 1)
    }

    @Test("iState: a light whose states declare their destinations and methods")
    func iState() throws {
        let light = try StateMachine(
            try DataWorkflow(
                TransitionTable(
                    "light",
                    states: ["blue", "red", "green"],
                    initial: "blue",
                    events: [
                        .init("blue", [.init(from: "blue", to: "red")]),
                        .init("red", [.init(from: "red", to: "green")]),
                        .init("green", [.init(from: "green", to: "red")]),
                    ]
                )
            )
        )
        let heard = Mutex<[String]>([])
        light.observe { occurrence in
            heard.withLock {
                $0.append("\(occurrence.kind) \(occurrence.source) \(occurrence.destination ?? "")")
            }
        }
        func goGreen() throws {
            guard light.isIn(named: "red") else { throw NotAllowed() }
            try light.enter(named: "green")
        }
        #expect(throws: NotAllowed.self) { try goGreen() }
        try light.enter(named: "red")
        try goGreen()
        #expect(throws: InvalidTransition.self) { try light.enter(named: "blue") }
        try light.enter(DataState("red"))
        light.announce("foo")
        #expect(
            heard.withLock { $0 } == [
                "transitioned blue red", "transitioned red green", "rejected green blue", "transitioned green red",
                "announced red ",
            ]
        )
    }

    private struct NotAllowed: Error {}
}
