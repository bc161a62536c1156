import Heraclitus
import HeraclitusEssentials

/// For how long a machine remembers the messages that it has handled.
public enum MessageMemory: Sendable, Hashable {
    /// The last messages, up to a number.
    case last(Int)

    /// Those that came within a time.
    case within(Duration)
}

/// The messages that a machine has handled, as a store keeps them.
struct HandledMessages {
    private struct Message: Codable {
        let id: String
        let date: Double
    }

    /// In the order in which they came.
    private var messages: [Message]

    /// Reads what a store has kept; what cannot be read counts as nothing.
    init(_ data: Data?) {
        messages = data.flatMap { try? JSONValue(text: [UInt8]($0)).decoded(as: [Message].self) } ?? []
    }

    /// Whether a message was handled, and is still remembered.
    func contains(_ id: String, _ memory: MessageMemory, at date: Date) -> Bool {
        kept(messages, memory, at: date).contains { ExactID($0.id) == ExactID(id) }
    }

    /// What a store keeps when another message was handled.
    func adding(_ id: String, _ memory: MessageMemory, at date: Date) throws -> Data {
        let message = Message(id: id, date: date.timeIntervalSinceReferenceDate)
        return Data(try ArchiveEncoder.bytes(of: kept(messages + [message], memory, at: date)))
    }

    private func kept(_ messages: [Message], _ memory: MessageMemory, at date: Date) -> [Message] {
        switch memory {
        case .last(let count): messages.suffix(max(1, count))
        case .within(let time): messages.filter { $0.date >= date.timeIntervalSinceReferenceDate - time.inSeconds }
        }
    }
}
