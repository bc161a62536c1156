import Foundation
import Heraclitus
import Testing

@Suite("Errors") struct InvalidTransitionTests {
    @Test("The texts say what was tried, where, why not, and what would be allowed")
    func texts() throws {
        let machine = StateMachine<Download>()
        let refused = try #require(throws: InvalidTransition.self) {
            try machine.fire.finish(CompletedState(byteCount: 1))
        }
        #expect(
            refused.description
                == "Download cannot fire \"finish\" in IdleState: it does not lead from there to CompletedState. "
                + "Allowed in IdleState: \"load\", \"cancel\"."
        )
        #expect(refused.errorDescription == "Download cannot fire \"finish\" in IdleState.")
        #expect(refused.failureReason == "it does not lead from there to CompletedState.")
        #expect(refused.recoverySuggestion == "Allowed in IdleState: \"load\", \"cancel\".")
        #expect((refused as any Error).localizedDescription == "Download cannot fire \"finish\" in IdleState.")

        let unknown = try #require(throws: InvalidTransition.self) { try machine.fire(named: "go") }
        #expect(
            unknown.description == "Download cannot fire \"go\" in IdleState: the workflow has no such event. "
                + "Its events are \"load\", \"fail\", \"finish\", \"cancel\"."
        )
        let nowhere = try #require(throws: InvalidTransition.self) { try machine.enter(CompletedState(byteCount: 1)) }
        #expect(
            nowhere.description == "Download cannot enter CompletedState in IdleState: no event leads there. "
                + "Allowed in IdleState: \"load\", \"cancel\"."
        )
        let declined = try #require(throws: InvalidTransition.self) {
            try machine.fire.load { _ in throw Refusal(text: "busy") }
        }
        #expect(
            declined.description
                == "Download cannot fire \"load\" in IdleState: it was declined: Refusal(text: \"busy\")"
        )
        try machine.fire.cancel()
        let final = try #require(throws: InvalidTransition.self) { try machine.fire.cancel() }
        #expect(final.recoverySuggestion == "CancelledState is not left by any event.")
    }
}
