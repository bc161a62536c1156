import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// Every decoder gives a value or a typed error for any bytes, in little time and memory.
@Suite("Fuzzing of decoders") struct FuzzingTests {
    enum Decoder: String, Codable {
        case archives, lines, values, others, stores

        func fuzz() async throws {
            switch self {
            case .archives: try await FuzzingTests.fuzzArchives()
            case .lines: try await FuzzingTests.fuzzLines()
            case .values: try await FuzzingTests.fuzzValues()
            case .others: try await FuzzingTests.fuzzOthers()
            case .stores: try await FuzzingTests.fuzzStores()
            }
        }
    }

    /// Fuzzes a decoder in a process of its own.
    private static func fuzz(_ decoder: Decoder) async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) { [decoder] in
            // The alarm ends the process if a decoding hangs.
            _ = alarm(UInt32(Attack.seconds) + 300)
            try await decoder.fuzz()
        }
        guard let child else { return }
        let lines = String(decoding: child.standardOutputContent, as: UTF8.self).split(separator: "\n")
        for line in lines where line.hasPrefix("Fuzzing") { print(line) }
    }

    private static let lamp =
        #"{"activated":true,"data":{},"format":1,"revision":2,"state":"Dark","version":1,"workflow":"TicketLamp"}"#

    /// An archive of some version, with a machine and unknown members in its data.
    private static func archive(_ source: inout FuzzingSource) -> String {
        let version = 1 + source.below(3)
        let more = source.json()
        let data =
            version == 1
            ? #"{"url":"a","due":12.5,"lamp":\#(lamp),"more":\#(more)}"#
            : #"{"urls":["a","b"],"due":"2026-01-01T00:00:00.25Z","lamp":\#(lamp),"more":\#(more)}"#
        return
            #"{"activated":true,"data":\#(data),"format":1,"revision":4,"state":"\#(version == 1 ? "Waiting" : "Queued")","#
            + #""version":\#(version),"workflow":"Ticket"}"#
    }

    @Test("An archive is restored and survives another round, or is a typed error")
    func archives() async { await Self.fuzz(.archives) }

    fileprivate static func fuzzArchives() async throws {
        try await Fuzzing.run("archives") { source in
            let good = Self.archive(&source)
            _ = try StateMachine<Ticket>(archive: Data(good.utf8))
            for _ in 0..<20 {
                let bytes = source.damaged(good)
                let read = try await Self.unlessRefused {
                    try await Fuzzing.decoding(bytes) { try StateMachine<Ticket>(archive: bytes) }
                }
                guard let machine = read else { continue }
                // A date that was read as a number may be too large to be written.
                guard let again = try await Self.unlessRefused({ try machine.archive() }) else { continue }
                let restored = try StateMachine<Ticket>(archive: again)
                guard try restored.archive() == again else { throw Fuzzing.Fault("comes back changed", bytes) }
            }
        }
    }

    /// The result; `nil` for an `ArchiveError`.
    private static func unlessRefused<Result>(_ body: () async throws -> Result) async throws -> Result? {
        do {
            return try await body()
        } catch let error as ArchiveError {
            guard !error.description.isEmpty else { throw error }
            return nil
        }
    }

    @Test("Each JSON line is restored or is a typed error, wherever the chunks end")
    func lines() async { await Self.fuzz(.lines) }

    fileprivate static func fuzzLines() async throws {
        try await Fuzzing.run("lines") { source in
            let texts = (0..<5).map { _ in source.damaged(Self.archive(&source)).filter { $0 != 10 } }
            let bytes = Data(texts.joined(separator: [10]))
            let size = 1 + source.below(200)
            func stream() -> AsyncStream<Data> {
                AsyncStream { continuation in
                    for start in stride(from: 0, to: bytes.count, by: size) {
                        continuation.yield(Data(bytes[start..<min(start + size, bytes.count)]))
                    }
                    continuation.finish()
                }
            }
            let lines = try await Fuzzing.decoding(bytes) {
                var lines = 0
                for try await line in Archive.lines(of: Ticket.self, in: stream()) {
                    _ = try await Self.unlessRefused { try line.result.get() }
                    lines += 1
                }
                return lines
            }
            let blank: Set<UInt8> = [0x20, 0x09, 0x0D]
            guard lines == texts.count(where: { !blank.isSuperset(of: $0) }) else {
                throw Fuzzing.Fault("lines are lost", bytes)
            }
        }
    }

    @Test("Raw JSON reads like in Foundation, digit for digit, and survives writing")
    func values() async { await Self.fuzz(.values) }

    fileprivate static func fuzzValues() async throws {
        try await Fuzzing.run("raw JSON") { source in
            let text = source.json()
            let value = try JSONValue(json: Data(text.utf8))
            if let written = try? JSONEncoder().encode(value) {
                guard try JSONValue(json: written) == value else {
                    throw Fuzzing.Fault("comes back changed", Data(text.utf8))
                }
            }
            for _ in 0..<20 {
                let bytes = source.damaged(text)
                let read = try await Self.unlessRefused {
                    try await Fuzzing.decoding(bytes) { try JSONValue(json: bytes) }
                }
                guard let value = read else { continue }
                // Foundation's encoder rejects numbers beyond Decimal, and its decoder some that ours accepts.
                guard let plain = try? JSONDecoder().decode(JSONValue.self, from: bytes),
                    let ours = try? JSONEncoder().encode(value), let theirs = try? JSONEncoder().encode(plain)
                else { continue }
                let isSame = try JSONValue(json: ours).isAlike(JSONValue(json: theirs))
                guard isSame else { throw Fuzzing.Fault("Foundation reads another value", bytes) }
            }
        }
    }

    @Test("Events, user infos and tables are decoded from raw JSON, or are a decoding error")
    func others() async { await Self.fuzz(.others) }

    fileprivate static func fuzzOthers() async throws {
        let table = String(decoding: try JSONEncoder().encode(Ticket.table), as: UTF8.self)
        let event = String(decoding: try JSONEncoder().encode(Ticket.events.add), as: UTF8.self)
        try await Fuzzing.run("events, user infos and tables") { source in
            for text in [table, event, "{\"a\":\(source.json()),\"b\":1.50}"] {
                let bytes = source.damaged(text)
                let read = try await Self.unlessRefused {
                    try await Fuzzing.decoding(bytes) { try JSONValue(json: bytes) }
                }
                guard let value = read else { continue }
                func decode<T: Decodable>(_ type: T.Type) async throws {
                    do { _ = try await Fuzzing.decoding(bytes) { try value.decoded(as: type) } } catch is DecodingError
                    {}
                }
                try await decode(TransitionTable.self)
                try await decode(Ticket.Event<QueuedState, QueuedState>.self)
                try await decode(UserInfo.self)
                if let info = try? value.decoded(as: UserInfo.self) {
                    for key in info.keys {
                        _ = (info[key, as: Int.self], info[key, as: Decimal.self], info[key, as: Date.self])
                        _ = (info[key, as: [String: Double].self], info[key, as: URL.self], info[key, as: Data.self])
                    }
                }
            }
        }
    }

    @Test("A store's file is loaded or is a typed error, and can be deleted")
    func stores() async { await Self.fuzz(.stores) }

    fileprivate static func fuzzStores() async throws {
        let place = try StorePlace("directory")
        let file = try #require(place.folder).appendingPathComponent("1.json")
        try await Fuzzing.run("store files") { source in
            let header = #"{"id":"1","revision":3,"state":"Queued","workflow":"Ticket"}"#
            let bytes = source.damaged("\(header)\n\(Self.archive(&source))\n")
            try bytes.write(to: file)
            do {
                let found = try await Fuzzing.decoding(bytes) {
                    try await place.store.workflow(Ticket.self).machine("1")
                }
                if let found { try await place.store.save(found.machine, as: "1", expecting: found.revision) }
            } catch is StoreError {
            } catch is ArchiveError {}
            _ = try await place.store.workflow(Ticket.self).ids()
            do { try await place.store.delete("1", expecting: nil) } catch StoreError.ambiguousID {
                try FileManager.default.removeItem(at: file)
            }
        }
    }
}

extension JSONValue {
    /// Whether two values are equal apart from digits beyond a `Decimal`, which Foundation's decoder has rounded.
    fileprivate func isAlike(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.array(let ours), .array(let theirs)):
            ours.count == theirs.count && zip(ours, theirs).allSatisfy { $0.isAlike($1) }
        case (.object(let ours), .object(let theirs)):
            ours.count == theirs.count && ours.allSatisfy { key, value in theirs[key].map(value.isAlike) ?? false }
        default: self == other || (doubleValue != nil && doubleValue == other.doubleValue)
        }
    }
}
