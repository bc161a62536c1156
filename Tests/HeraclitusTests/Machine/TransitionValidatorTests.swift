import Heraclitus
import Testing

@testable import Fixtures

@Suite("Transition validator") struct TransitionValidatorTests {
    let validator = TransitionValidator<Download>()

    @Test("The validator accepts the table's transitions, by key path, class and name")
    func allowed() throws {
        try validator.validate(\.load, from: IdleState.self, to: LoadingState.self)
        try validator.validate(\.load, from: FailureState.self)
        try validator.validate(named: "finish", from: "LoadingState", to: "CompletedState")
    }

    static let rejections:
        [(event: String, source: String, destination: String?, reason: InvalidTransition.Reason, allowed: [String])] = [
            ("load", "LoadingState", "LoadingState", .notAllowed, ["finish", "fail", "cancel"]),
            ("load", "LoadingState", nil, .notAllowed, ["finish", "fail", "cancel"]),
            ("load", "IdleState", "CompletedState", .notAllowed, ["load", "cancel"]),
            ("lood", "IdleState", "LoadingState", .unknownEvent, ["load", "cancel"]),
            ("load", "NoState", "LoadingState", .unknownState, []),
            ("load", "IdleState", "NoState", .unknownState, ["load", "cancel"]),
            ("", "", "", .unknownEvent, []),
        ]

    @Test("The validator rejects everything else, with the reason", arguments: rejections)
    func rejected(
        _ event: String,
        _ source: String,
        _ destination: String?,
        _ reason: InvalidTransition.Reason,
        _ allowed: [String]
    ) {
        let error = #expect(throws: InvalidTransition.self) {
            try validator.validate(named: event, from: source, to: destination, userInfo: ["key": 1])
        }
        #expect(error?.reason == reason)
        #expect(error?.workflow == "Download")
        #expect(error?.event == event)
        #expect(error?.source == source)
        // "load" has no other destination.
        #expect(error?.destination == destination ?? "LoadingState")
        #expect(error?.allowedEvents == allowed)
        #expect(error?.userInfo["key", as: Int.self] == 1)
    }

    @Test("An unknown name gets the existing names, the nearest first")
    func misspelt() {
        let source = #expect(throws: InvalidTransition.self) {
            try validator.validate(named: "load", from: "FailState", to: "LoadingState")
        }
        #expect(
            source?.description
                == "Download cannot fire \"load\" in FailState: the workflow has no state \"FailState\". Its states are "
                + #""FailureState", "IdleState", "LoadingState", "CancelledState", "CompletedState"."#
        )
        let destination = #expect(throws: InvalidTransition.self) {
            try validator.validate(named: "load", from: "IdleState", to: "Laoding")
        }
        #expect(destination?.candidates.first == "LoadingState" && destination?.candidates.count == 5)
    }

    @Test("The error of an unregistered state names it")
    func unregistered() {
        let source = #expect(throws: InvalidTransition.self) {
            try validator.validate(\.load, from: GasState.self)
        }
        #expect(
            source?.description
                == "Download cannot fire \"load\" in GasState: the state GasState is not registered with "
                + "the workflow. Name it in an event or list it in the workflow's `states`."
        )
        let destination = #expect(throws: InvalidTransition.self) {
            try validator.validate(\.load, from: IdleState.self, to: GasState.self)
        }
        #expect(destination?.candidates == ["GasState"])
    }

    struct Bound: Workflow {
        static var initial: any WorkflowState { IdleState() }
        let go = Event(from: IdleState.self, to: CancelledState.self)
        let other = Event(from: CancelledState.self, to: GasState.self)
        var computed: Event<IdleState, CancelledState> { Event(from: IdleState.self, to: CancelledState.self) }
    }

    @Test("Errors of the validator equal those of a machine")
    func sameWords() {
        let (validator, machine) = (TransitionValidator<Bound>(), StateMachine<Bound>())
        let errors = [
            (
                #expect(throws: InvalidTransition.self) {
                    try validator.validate(\.go, from: IdleState.self, to: GasState.self)
                },
                #expect(throws: InvalidTransition.self) { try machine.fire[named: "go"](GasState()) }
            ),
            (
                #expect(throws: InvalidTransition.self) { try validator.validate(\.other, from: IdleState.self) },
                #expect(throws: InvalidTransition.self) { try machine.fire.other(GasState()) }
            ),
            (
                #expect(throws: InvalidTransition.self) { try validator.validate(\.computed, from: IdleState.self) },
                #expect(throws: InvalidTransition.self) { try machine.fire.computed(CancelledState()) }
            ),
        ]
        for (one, other) in errors {
            #expect(one != nil && one?.description == other?.description)
            #expect(one?.event == other?.event && one?.candidates == other?.candidates)
        }
    }
}
