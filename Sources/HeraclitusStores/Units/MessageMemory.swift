import Heraclitus
import HeraclitusEssentials

/// The messages that a machine remembers as handled.
public enum MessageMemory: Sendable, Hashable {
    /// The last messages, up to a number.
    case last(Int)

    /// The messages of the latest period.
    case within(Duration)
}

/// The messages that a machine has handled, in their stored form.
struct HandledMessages {
    private struct Message: Codable {
        let id: String
        let date: Double
    }

    /// The messages, in the order of arrival.
    private var messages: [Message]

    /// Reads the stored messages of a machine.
    init(_ data: Data?, of id: String) throws(StoreError) {
        do { messages = try data.map { try ArchiveDecoder(text: $0).decode([Message].self) } ?? [] } catch {
            let explanation = ArchiveError.explanation(of: error)
            throw .damaged(id: id, explanation: "Its handled messages cannot be read. \(explanation)")
        }
    }

    /// Whether a remembered message has the id.
    func contains(_ id: String, _ memory: MessageMemory, at date: Date) -> Bool {
        kept(messages, memory, at: date).contains { ExactID($0.id) == ExactID(id) }
    }

    /// The stored form after handling another message.
    func adding(_ id: String, _ memory: MessageMemory, at date: Date) throws -> Data {
        let message = Message(id: id, date: date.timeIntervalSinceReferenceDate)
        return try ArchiveEncoder.data(of: kept(messages + [message], memory, at: date))
    }

    private func kept(_ messages: [Message], _ memory: MessageMemory, at date: Date) -> [Message] {
        switch memory {
        case .last(let count): messages.suffix(max(1, count))
        case .within(let time): messages.filter { $0.date >= date.timeIntervalSinceReferenceDate - time.inSeconds }
        }
    }
}
