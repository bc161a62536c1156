public import Foundation
public import Heraclitus

extension StateMachine {
    /// Adds an observer that posts a notification for each occurrence.
    ///
    /// The name is the prefix followed by `transitioned`, `rejected`, `ignored`, `performed`, `refused`, `failed`, or the name of an
    /// announcement: with the prefix `"Download."`, for example `Download.transitioned`. The object is the machine. The user info
    /// is that of the event, the action or the announcement, with the keys of ``StateMachineNotification``. Notifications are
    /// posted on the thread that fired, in the order of `observe(_:)`.
    ///
    /// Observers should leave the operation queue `nil`, and reach other threads with `async`: the notification center waits for a queue, and so
    /// does the machine. On a queue whose thread fires the same machine, such as the main queue, both wait for ever.
    /// - Parameters:
    ///   - center: The notification center, by default `default`.
    ///   - prefix: The beginning of the names, by default the workflow's name and a point.
    /// - Returns: A registration, with which the notifications can be cancelled.
    @discardableResult
    public func postNotifications(to center: NotificationCenter = .default, prefix: String? = nil) -> Registration {
        let prefix = prefix ?? definition.workflow + "."
        return observe { [weak self] occurrence in
            guard let self else { return }
            center.post(
                name: Notification.Name(prefix + (occurrence.announcement ?? occurrence.kind.rawValue)),
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

    /// The key of the event's name; an action, an announcement and failed work have none.
    public static let eventKey = "HeraclitusEvent"

    /// The key of the source, a state object.
    public static let sourceKey = "HeraclitusSource"

    /// The key of the destination, a state object; of another occurrence, the key of its state.
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
    /// The occurrence; `nil` for a notification from elsewhere.
    public var occurrence: Occurrence? { userInfo?[StateMachineNotification.occurrenceKey] as? Occurrence }
}
