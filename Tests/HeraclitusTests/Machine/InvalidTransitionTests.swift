import Foundation
import Heraclitus
import Testing

@testable import Fixtures

@Suite("Errors") struct InvalidTransitionTests {
    @Test("The texts have the attempt, the place, the reason and the allowed events")
    func texts() throws {
        let machine = StateMachine<Download>()
        let rejected = try #require(throws: InvalidTransition.self) {
            try machine.fire.finish(CompletedState(byteCount: 1))
        }
        #expect(
            rejected.description
                == "Download cannot fire \"finish\" in IdleState: no transition to CompletedState. "
                + "Allowed: \"load\", \"cancel\"."
        )
        #expect(
            rejected.errorDescription
                == "Download cannot fire \"finish\" in IdleState: no transition to CompletedState."
        )
        #expect(rejected.failureReason == "\"finish\" has no transition from IdleState to CompletedState.")
        #expect(rejected.recoverySuggestion == "Allowed: \"load\", \"cancel\".")
        #expect((rejected as any Error).localizedDescription == rejected.errorDescription)

        let unknown = try #require(throws: InvalidTransition.self) { try machine.fire[named: "go"]() }
        #expect(
            unknown.description == "Download cannot fire \"go\" in IdleState: the workflow has no such event. "
                + "Its events are \"load\", \"fail\", \"finish\", \"cancel\"."
        )
        let nowhere = try #require(throws: InvalidTransition.self) { try machine.enter(CompletedState(byteCount: 1)) }
        #expect(
            nowhere.description == "Download cannot enter CompletedState in IdleState: "
                + "no event leads there from IdleState. Allowed: \"load\", \"cancel\"."
        )
        let declined = try #require(throws: InvalidTransition.self) {
            try machine.fire.load { _ in throw Objection(text: "busy") }
        }
        #expect(
            declined.description
                == "Download cannot fire \"load\" in IdleState: declined: Objection(text: \"busy\")"
        )
        try machine.fire.cancel()
        let final = try #require(throws: InvalidTransition.self) { try machine.fire.cancel() }
        #expect(final.recoverySuggestion == "CancelledState is final.")
    }

    struct Busy: LocalizedError, CustomStringConvertible {
        var errorDescription: String?
        var failureReason: String?
        var description: String { "Busy()" }
    }

    @Test(
        "A guard's own words are in the reason, and in `localizedDescription`",
        arguments: [
            (Busy(errorDescription: "The line is busy.", failureReason: "Somebody talks."), "The line is busy."),
            (Busy(failureReason: "Somebody talks."), "Somebody talks."), (Busy(), "Busy()"),
        ]
    )
    func ownWords(_ guardsError: Busy, _ words: String) throws {
        let machine = StateMachine<Download>()
        machine.guarded(\.load) { _, _, _ in throw guardsError }
        let error = try #require(throws: InvalidTransition.self) {
            try machine.fire.load(LoadingState(request: Request(url: "")))
        }
        let isLocalized = guardsError.errorDescription != nil || guardsError.failureReason != nil
        #expect(error.failureReason == (isLocalized ? words : "declined: \(words)"))
        let text = (error as any Error).localizedDescription
        #expect(text == "Download cannot fire \"load\" in IdleState: declined: \(words)")
        #expect(error.description == text && error.recoverySuggestion == nil)
        let action = #expect(throws: Busy.self) {
            try machine.perform(action: "dial", in: IdleState.self) { _ in throw guardsError }
        }
        #expect(action != nil)
    }

    private struct Ladder: Workflow {
        static var initial: any WorkflowState { LowState() }
        let climb = Event(from: LowState.self, to: HighState.self).or(from: HighState.self, to: TopState.self)
        let rest = Event(updating: HighState.self)
        final class LowState: EmptyState {}
        class HighState: EmptyState, @unchecked Sendable { required init() {} }
        final class TopState: HighState, @unchecked Sendable {}
    }

    @Test("If an event leads from the state to other objects, the error has the needed ones")
    func wrongDestination() throws {
        let low = StateMachine<Ladder>()
        let first = try #require(throws: InvalidTransition.self) { try low.fire.climb(Ladder.LowState()) }
        let start = "Ladder cannot fire \"climb\" in LowState: "
        #expect(first.description == start + "the event leads to HighState or TopState, not to LowState.")
        #expect(first.failureReason == "the event leads to HighState or TopState, not to LowState.")
        let high = StateMachine<Ladder>(resumingIn: Ladder.HighState())
        let second = try #require(throws: InvalidTransition.self) { try high.fire.rest(Ladder.TopState()) }
        #expect(
            second.description
                == "Ladder cannot fire \"rest\" in HighState: the event leads to HighState, not to TopState."
        )
    }

    @Test("Nested errors are one sentence, which ends with the way out of the innermost one")
    func chain() throws {
        let door = StateMachine<Door>()
        let download = StateMachine<Download>()
        let outer = StateMachine<Heard>.active(CallLog())
        download.guarded(\.load) { _, _, _ in try door.fire.lock(LockedState(1)) }
        outer.guarded(\.again) { _, _, _ in try download.fire.load(LoadingState(request: Request(url: ""))) }
        try door.fire.open(OpenState())
        let error = try #require(throws: InvalidTransition.self) { try outer.fire.again(AState()) }
        let inner =
            #"Download cannot fire "load" in IdleState, because Door cannot fire "lock" in OpenState: "#
            + "no transition to LockedState."
        #expect(error.errorDescription == #"Heard cannot fire "again" in A, because "# + inner)
        #expect(error.failureReason == inner)
        #expect(error.recoverySuggestion == #"Allowed: "close", "swing", "smash"."#)
        #expect(
            error.description == #"Heard cannot fire "again" in A, because "# + inner
                + #" Allowed: "close", "swing", "smash"."#
        )
        // Observers get a failed action with the same chain.
        let journal = CallLog()
        outer.observe { journal.write($0.message) }
        #expect(throws: InvalidTransition.self) {
            try outer.perform(action: "shut", in: AState.self) { _ in try door.fire.open(OpenState()) }
        }
        #expect(
            journal.entries == [
                #"Heard cannot perform "shut" in A, because Door cannot fire "open" in OpenState: "#
                    + #"no transition to OpenState. Allowed: "close", "swing", "smash"."#
            ]
        )
    }

    @Test(
        "A misspelt name gets the existing names, the nearest first",
        arguments: [
            ("laod", "load"), ("CANCEL", "cancel"), ("cancle", "cancel"), ("finished", "finish"), ("fial", "fail"),
            ("cancelDownload", "cancel"),
        ]
    )
    func nearest(_ misspelt: String, _ meant: String) throws {
        let machine = StateMachine<Download>()
        let error = try #require(throws: InvalidTransition.self) { try machine.fire[named: misspelt]() }
        #expect(error.reason == .unknownEvent && error.candidates.first == meant)
        #expect(error.candidates.sorted() == ["cancel", "fail", "finish", "load"])
        #expect(!machine.can[named: misspelt])
    }

    @Test("A misspelt state gets suggestions, too, and a name of any length ends")
    func nearestState() throws {
        let machine = StateMachine<Download>()
        let error = try #require(throws: InvalidTransition.self) { try machine.enter(named: "Cancelled") }
        #expect(
            error.description
                == #"Download cannot enter Cancelled in IdleState: the workflow has no state "Cancelled". "#
                + #"Its states are "CancelledState", "IdleState", "LoadingState", "FailureState", "CompletedState"."#
        )
        for name in ["", String(repeating: "e\u{301}x", count: 1 << 18), "\0"] {
            let error = try #require(throws: InvalidTransition.self) { try machine.enter(named: name) }
            #expect(error.reason == .unknownState && error.candidates.count == 5)
            #expect((try? machine.fire[named: name]()) == nil)
        }
    }
}
