public import Foundation
public import Heraclitus

extension StateMachine {
    /// Adds an observer that posts a notification of everything that happens.
    ///
    /// Its name is the prefix and what happened, `transitioned`, `rejected`, `ignored`, `performed`, `refused`, or the name of an
    /// announcement: with the prefix `"Download."` `Download.transitioned` and `Download.foo`. Its object is the machine. Its
    /// user info is that of the event, the action or the announcement, and under the keys of ``StateMachineNotification`` what
    /// happened. It is posted as ``observe(_:)`` says, on the thread that fired.
    ///
    /// An observer that names an operation queue is waited for by the centre, and so by the machine: on a queue whose thread fires
    /// the same machine, such as the main queue, both wait for ever. Name none, and go there with `async`.
    /// - Parameters:
    ///   - center: Where to post; the default center unless said otherwise.
    ///   - prefix: What the names begin with; the workflow's name and a point unless said otherwise.
    /// - Returns: A registration, with which the notifications can be ended.
    @discardableResult
    public func postNotifications(to center: NotificationCenter = .default, prefix: String? = nil) -> Registration {
        let prefix = prefix ?? W.name + "."
        return observe { [weak self] occurrence in
            guard let self else { return }
            center.post(
                name: Notification.Name(prefix + occurrence.notificationName),
                object: self,
                userInfo: StateMachineNotification.userInfo(of: occurrence)
            )
        }
    }
}

/// What the notifications of a machine carry beside the user info of what happened.
public enum StateMachineNotification {
    /// The key of the ``Occurrence``; `notification.occurrence` reads it.
    public static let occurrenceKey = "HeraclitusOccurrence"

    /// The key of the name of the event, if there was one.
    public static let eventKey = "HeraclitusEvent"

    /// The key of the state object that was left.
    public static let sourceKey = "HeraclitusSource"

    /// The key of the state object that was entered, or in which something was ignored, performed or announced.
    public static let destinationKey = "HeraclitusDestination"

    /// The key of the error of a refusal.
    public static let errorKey = "HeraclitusError"

    fileprivate static func userInfo(of occurrence: Occurrence) -> [AnyHashable: Any] {
        var userInfo: [AnyHashable: Any] = [:]
        func merge(_ other: UserInfo) {
            for key in other.keys { userInfo[key] = other[key] }
        }
        switch occurrence.outcome {
        case .transitioned(let transition):
            merge(transition.userInfo)
            userInfo[eventKey] = transition.event
            userInfo[sourceKey] = transition.source
            userInfo[destinationKey] = transition.destination
        case .rejected(let error):
            merge(error.userInfo)
            userInfo[eventKey] = error.event
            userInfo[errorKey] = error
        case .ignored(let event):
            merge(event.userInfo)
            userInfo[eventKey] = event.name
            userInfo[destinationKey] = event.state
        case .performed(let action):
            merge(action.userInfo)
            userInfo[destinationKey] = action.state
        case .refused(let error):
            merge(error.userInfo)
            userInfo[errorKey] = error
        case .announced(let announcement):
            merge(announcement.userInfo)
            userInfo[destinationKey] = announcement.state
        case nil: break
        }
        userInfo[occurrenceKey] = occurrence
        return userInfo
    }
}

extension Notification {
    /// What happened to the machine that has posted this; `nil` for a notification that is not a machine's.
    public var occurrence: Occurrence? { userInfo?[StateMachineNotification.occurrenceKey] as? Occurrence }
}

extension Occurrence {
    fileprivate var notificationName: String { announcement ?? kind.rawValue }
}
