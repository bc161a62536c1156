import Foundation
import Heraclitus
import Testing

private final class IdleState: EmptyState {}
private final class LoadingState: WorkflowState {
    let url: String
    init(url: String = "https://example.org") { self.url = url }
    static func prepared() async -> LoadingState { LoadingState() }
}
private struct NotSecure: LocalizedError {
    var errorDescription: String? { "only https is allowed" }
}

private struct Download: Workflow {
    static var initial: any WorkflowState { IdleState() }
    let load = Event(from: IdleState.self, to: LoadingState.self)
        .guarded { _, loading, _ in if !loading.url.hasPrefix("https:") { throw NotSecure() } }
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

private final class WrittenState: WorkflowState {
    let points: Int
    init(points: Int) { self.points = points }
}
private final class PassedState: EmptyState {}
private final class FailedState: EmptyState {}

private struct Exam: Workflow {
    typealias AnyState = any WorkflowState
    static var initial: WrittenState.Type { WrittenState.self }
    let grade = Event(from: WrittenState.self, to: PassedState.self, FailedState.self)
        .enters { written in if written.points < 50 { FailedState() } else { PassedState() } }
}

@Suite("Firing events") struct FiringArticleTests {
    @Test("A machine is fired with the state to enter")
    func fired() throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(url: "https://example.org"))
        #expect(machine.state is LoadingState)
    }

    @Test("An event chooses among several destinations", arguments: [49, 50])
    func several(points: Int) throws {
        let exam = StateMachine<Exam>(entering: WrittenState(points: points))
        try exam.fire.grade()
        #expect(exam.stateName == (points < 50 ? "FailedState" : "PassedState"))
    }

    @Test("An argument that needs await is computed before the fire")
    func prepared() async throws {
        let machine = StateMachine<Download>()
        let state = await LoadingState.prepared()
        try machine.fire.load(state)
        #expect(machine.state === state)
    }

    @Test("The events that a machine allows are listed and rehearsed")
    func offered() throws {
        let machine = StateMachine<Download>()
        for (event, rejection) in machine.eventAvailability() {
            print(event, rejection?.failureReason ?? "allowed")
        }
        do {
            try machine.rehearse.load(LoadingState(url: "ftp://example.org"))
        } catch {
            print(error.failureReason ?? "")  // the words of the guard
        }
        let load = machine.eventAvailability().first
        #expect(load?.event == "load" && load?.rejection?.reason == .destinationNeeded)
        #expect(load?.rejection?.candidates == ["LoadingState"])
        let error = #expect(throws: InvalidTransition.self) {
            try machine.rehearse.load(LoadingState(url: "ftp://example.org"))
        }
        #expect(error?.failureReason?.contains("only https is allowed") == true)
        #expect(machine.revision == 0)
    }

    @Test("A closure declares the type of the error")
    func typed() {
        let machine = StateMachine<Download>()
        let fire = {
            do throws(InvalidTransition) {
                try machine.fire.cancel()
            } catch {
                print(error.reason, error.allowedEvents)
            }
        }
        fire()
        #expect(machine.revision == 0)
    }
}
