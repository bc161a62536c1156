public import Foundation
public import Heraclitus

extension StateMachine {
    /// Adds an observer that posts a notification of everything that happens.
    ///
    /// The name is the prefix followed by `transitioned`, `rejected`, `ignored`, `performed`, `refused`, `failed`, or the name of an
    /// announcement: with the prefix `"Download."`, for example `Download.transitioned`. The object is the machine. The user info
    /// is that of the event, the action or the announcement, with the keys of ``StateMachineNotification``. Notifications are
    /// posted on the thread that fired, in the order of `observe(_:)`.
    ///
    /// If an observer names an operation queue, the notification center waits for it, and so does the machine. On a queue whose
    /// thread fires the same machine, such as the main queue, both wait for ever. Name no queue, and use `async` to get there.
    /// - Parameters:
    ///   - center: The notification center, by default `default`.
    ///   - prefix: The beginning of the names, by default the workflow's name and a point.
    /// - Returns: A registration, with which the notifications can be cancelled.
    @discardableResult
    public func postNotifications(to center: NotificationCenter = .default, prefix: String? = nil) -> Registration {
        let prefix = prefix ?? workflowName + "."
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

/// The keys of the user info of a machine's notifications.
public enum StateMachineNotification {
    /// The key of the `Occurrence`; `notification.occurrence` reads it.
    public static let occurrenceKey = "HeraclitusOccurrence"

    /// The key of the name of the event, if there was one.
    public static let eventKey = "HeraclitusEvent"

    /// The key of the state object that was left.
    public static let sourceKey = "HeraclitusSource"

    /// The key of the state object that was entered, or in which something was ignored, performed or announced, or whose work has failed.
    public static let destinationKey = "HeraclitusDestination"

    /// The key of the error of a rejected fire or action, or of failed work.
    public static let errorKey = "HeraclitusError"

    fileprivate static func userInfo(of occurrence: Occurrence) -> [AnyHashable: Any] {
        var userInfo: [AnyHashable: Any] = [:]
        for key in occurrence.userInfo.keys { userInfo[key] = occurrence.userInfo[key] }
        userInfo[eventKey] = occurrence.event
        userInfo[sourceKey] = occurrence.transition?.source
        userInfo[destinationKey] = occurrence.state
        userInfo[errorKey] = occurrence.error
        userInfo[occurrenceKey] = occurrence
        return userInfo
    }
}

extension Notification {
    /// What happened to the machine; `nil` for a notification that no machine has posted.
    public var occurrence: Occurrence? { userInfo?[StateMachineNotification.occurrenceKey] as? Occurrence }
}

extension Occurrence {
    fileprivate var notificationName: String { announcement ?? kind.rawValue }
}
