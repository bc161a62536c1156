// Keeps parts of an archive that another release of the program has added.

import HeraclitusEssentials

/// The parts of an archive that this release has left unread, and that another release may need.
package struct UnreadParts: Sendable {
    /// Members of the state's data.
    var members: [String: JSONValue] = [:]

    /// The date of entering the state, from which the deadlines of another release may count.
    var entered: Date?

    var isEmpty: Bool { members.isEmpty && entered == nil }
}

extension MachineCore {
    /// Keeps unread parts until the machine leaves the state.
    ///
    /// Updates keep them.
    func keep(_ unread: UnreadParts) {
        let place = madePlace
        place.note(unread: unread)
        // The hooks are added only here, because most machines have no unread parts. A machine is also told when its
        // holder's state is left, which changes no data of its own.
        _ = addClosures([
            .hook(.willExit) { transition in
                transition.treeMachine.withCore { core in
                    guard core.place === place else { return }
                    place.endUnread(at: min(core.currentRevision + 1, Self.largestRevision))
                }
            },
            .hook(.didExit) { transition in
                if transition.treeMachine.withCore({ $0.place === place }) { place.note(unread: UnreadParts()) }
            },
        ])
    }
}

extension Snapshot {
    /// Writes the unread members after the members of the state's class.
    func writeUnread(of state: any WorkflowState, to encoder: any Encoder) throws {
        let unread = unread.members
        if unread.isEmpty || encoder.userInfo[.leavesUnreadOut] != nil { return }
        // A class may write members that it does not read. Other encoders do not tell the members that they have.
        if let encoder = encoder as? ArchiveEncoder { return try encoder.complete(with: unread) }
        guard let own = try ArchiveEncoder.keys(of: state, userInfo: encoder.userInfo) else {
            throw EncodingError.invalidValue(
                state,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription: """
                        The state has members of another release, which this encoder cannot add to a single value. `archive()` can.
                        """
                )
            )
        }
        var container = encoder.container(keyedBy: JSONKey.self)
        for (key, value) in unread.sorted(by: { $0.key < $1.key }) where !own.contains(key) {
            try container.encode(value, forKey: JSONKey(key))
        }
    }
}

extension CodingUserInfoKey {
    /// The key that makes an encoder leave unread members out.
    package static let leavesUnreadOut = CodingUserInfoKey(rawValue: "heraclitus.leavesUnreadOut")!
}
