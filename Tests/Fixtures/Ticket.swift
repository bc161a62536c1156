import Foundation
import Heraclitus

// A workflow with three versions. In version 1 tickets were `Waiting`, with one `url`, or `Paused`. In version 2
// waiting tickets are `Queued`, with a list of `urls`. Version 3 has no pause.

protocol TicketState: WorkflowState {}

final class QueuedState: TicketState, Restoring, Copying {
    static var name: String { "Queued" }
    let urls: [String]
    let due: Date?
    let lamp: StateMachine<TicketLamp>?

    init(_ urls: [String], due: Date? = nil, lamp: StateMachine<TicketLamp>? = nil) {
        self.urls = urls
        self.due = due
        self.lamp = lamp
    }

    func copied() -> QueuedState { QueuedState(urls, due: due, lamp: lamp?.copy()) }
    func didRestore(_ transition: StateTransition) {}
}

final class DoneState: TicketState, EmptyState {
    static var name: String { "Done" }
}

struct Ticket: Workflow {
    static var initial: any TicketState { QueuedState([]) }
    static var version: Int { 3 }
    static var migrations: [Migration] {
        [
            .state("Waiting", becomes: "Queued", in: 2),
            .step("one url becomes a list", in: 2) { archive in
                guard archive.state != "Done" else { return }
                guard let url = archive.data["url"] else { throw NoURL(state: archive.state) }
                archive.data["urls"] = [url]
                archive.data["url"] = nil
            },
            .state("Paused", becomes: "Queued", in: 3) { data in data["since"] = nil },
        ]
    }

    let add = Event(updating: QueuedState.self)
    let finish = Event(from: QueuedState.self, to: DoneState.self)
}

struct NoURL: Error, Equatable {
    let state: String
}

final class TicketDarkState: WorkflowState, EmptyState {
    static var name: String { "Off" }
}

final class TicketLitState: WorkflowState, EmptyState {
    static var name: String { "On" }
}

/// A machine in the data of a ticket, with its own versions.
struct TicketLamp: Workflow {
    static var initial: any WorkflowState { TicketDarkState() }
    static var version: Int { 2 }
    static var migrations: [Migration] { [.state("Dark", becomes: "Off", in: 2)] }

    let toggle = Event(from: TicketDarkState.self, to: TicketLitState.self)
        .or(from: TicketLitState.self, to: TicketDarkState.self)
}
