// What happens to the members of a state's data that another release of the program has added?

extension MachineCore {
    /// Keeps members of the state's data that its class did not read, as long as the machine does not leave the state: updates keep them.
    func keep(_ unread: [String: JSONValue]) {
        let place = madePlace
        place.note(unread: unread)
        // Most machines have none, and so pay for no hook.
        _ = addCallbacks([.hook(.willExit) { _ in place.note(unread: [:]) }])
    }
}

extension Snapshot {
    /// Writes the members that the state's class did not read behind those that it has written.
    func writeUnread(of state: any WorkflowState, to encoder: any Encoder) throws {
        if unread.isEmpty || encoder.leavesUnreadOut { return }
        // A class may write what it does not read.
        let own = try JSONValue(encoding: AnyEncodableState(state: state), at: []).objectValue ?? [:]
        var container = encoder.container(keyedBy: JSONKey.self)
        for (key, value) in unread.sorted(by: { $0.key < $1.key }) where own[key] == nil {
            try container.encode(value, forKey: JSONKey(key))
        }
    }
}

/// A state's data, in a struct: of an object Foundation's coders ask the runtime at length what else it might be.
struct AnyEncodableState: Encodable {
    let state: any WorkflowState

    func encode(to encoder: any Encoder) throws { try state.encode(to: encoder) }
}

extension CodingUserInfoKey {
    /// Under which an encoder has a value if archives are to have nothing but what the states' classes write.
    package static let leavesUnreadOut = CodingUserInfoKey(rawValue: "heraclitus.leavesUnreadOut")
}

extension Encoder {
    fileprivate var leavesUnreadOut: Bool { CodingUserInfoKey.leavesUnreadOut.map { userInfo[$0] != nil } ?? false }
}
