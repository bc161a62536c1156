import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

@Suite("Secrets in journals") struct JournalSecretsTests {
    private struct Discreet: Workflow {
        static var initial: any WorkflowState { PackedState() }
        static var journal: Int { 10 }
        static var secretUserInfoKeys: Set<String> { ["password", "pin"] }

        let send = Event(from: PackedState.self, to: SentState.self)
    }

    @Test("A journal leaves out the secret values of its workflow in all occurrences, and observers get them")
    func leftOut() throws {
        let machine = StateMachine<Discreet>()
        let seen = Mutex<[String?]>([])
        machine.observe { occurrence in
            let password = occurrence.userInfo["password", as: String.self]
            seen.withLock { $0.append(password) }
        }
        let userInfo: UserInfo = ["password": "hidden", "pin": 1234, "by": "me"]
        try machine.fire.send(SentState("a"), userInfo: userInfo)
        #expect(throws: InvalidTransition.self) { try machine.fire.send(SentState("b"), userInfo: userInfo) }
        machine.announce("late", userInfo: userInfo)
        #expect(seen.withLock { $0 } == ["hidden", "hidden", "hidden"])
        #expect(machine.journal.map(\.kind) == [.transitioned, .rejected, .announced])
        #expect(machine.journal.allSatisfy { $0.userInfo.keys == ["by"] })
        let archive = String(decoding: try machine.archive(), as: UTF8.self)
        #expect(!archive.contains("hidden") && !archive.contains("1234") && archive.contains(#""by":"me""#))
    }
}
