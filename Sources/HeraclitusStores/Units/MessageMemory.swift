import Heraclitus
import HeraclitusEssentials

/// The messages that a machine remembers as handled.
public enum MessageMemory: Sendable, Hashable {
    /// The last messages: at least this number, and more if calls with another memory come between.
    case last(Int)

    /// The messages of the latest period.
    case within(Duration)
}

/// The messages that a machine has handled, in their stored form.
struct HandledMessages {
    private struct Message: Codable {
        let id: String
        let date: Double

        /// The memory of the call that has handled the message: a number or seconds; neither in messages of earlier
        /// releases.
        var last: Int?
        var seconds: Double?
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
        Self.kept(messages, memory, at: date).contains { ExactID($0.id) == ExactID(id) }
    }

    /// The stored form after handling another message.
    func adding(_ id: String, _ memory: MessageMemory, at date: Date) throws -> Data {
        let (last, seconds) = Self.limits(of: memory)
        let message = Message(id: id, date: date.timeIntervalSinceReferenceDate, last: last, seconds: seconds)
        return try ArchiveEncoder.data(of: Self.kept(messages + [message], memory, at: date))
    }

    /// The messages that a call remembers: by its own memory, and by those of the calls that have handled them.
    ///
    /// Other calls, perhaps of another release, may remember their messages longer.
    private static func kept(_ messages: [Message], _ memory: MessageMemory, at date: Date) -> [Message] {
        let (last, seconds) = limits(of: memory)
        return messages.enumerated().filter { place, message in
            let (later, now) = (messages.count - 1 - place, date.timeIntervalSinceReferenceDate)
            return [(last, seconds), (message.last, message.seconds)].contains { last, seconds in
                last.map { later < max(1, $0) } ?? seconds.map { message.date >= now - $0 } ?? false
            }
        }.map(\.element)
    }

    private static func limits(of memory: MessageMemory) -> (last: Int?, seconds: Double?) {
        switch memory {
        case .last(let count): (count, nil)
        case .within(let time): (nil, time.inSeconds)
        }
    }
}
