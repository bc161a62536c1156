import Heraclitus

// The states of a message in an inbox, each with only its own data.

protocol MessageState: WorkflowState {}

final class UnreadState: MessageState, EmptyState {
    static var name: String { "Unread" }
}

final class ReadState: MessageState {
    static var name: String { "Read" }
    let reader: String

    init(by reader: String) { self.reader = reader }
}

final class DeletedState: MessageState, EmptyState {
    static var name: String { "Deleted" }
}

struct Message: Workflow {
    static var initial: any MessageState { UnreadState() }

    let view = Event("View Message", from: UnreadState.self, to: ReadState.self)
    let delete = Event("Delete Message", to: DeletedState.self)  // from any state
        .guarded { source, _, transition in
            if source is DeletedState { throw Declined("it is deleted already") }
            if transition.userInfo["isSure", as: Bool.self] == false { throw Declined("somebody is not sure") }
        }
        .didFire { _, _, _ in trash.add() }
    let markAsUnread = Event("Mark as Unread", from: ReadState.self, DeletedState.self, to: UnreadState.self)
}

struct Declined: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
