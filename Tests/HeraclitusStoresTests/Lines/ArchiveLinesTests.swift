import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("JSON lines") struct ArchiveLinesTests {
    private final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }
        func file(_ name: String) -> URL { url.appendingPathComponent(name) }
        var files: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
    }

    private static func machine(_ number: Int) -> StateMachine<Ticket> {
        StateMachine(resumingIn: QueuedState(["https://example.org/\(number)"]))
    }

    private static func numbers(
        _ lines: some AsyncSequence<(number: Int, result: Result<StateMachine<Ticket>, ArchiveError>), any Error>
    ) async throws
        -> [String]
    {
        var found: [String] = []
        for try await line in lines {
            switch line.result {
            case .success(let machine):
                found.append("\(line.number): \((machine.state as? QueuedState)?.urls.first ?? "")")
            case .failure(let error): found.append("\(line.number): \(error)")
            }
        }
        return found
    }

    @Test("Machines are read in their order")
    func roundTrip() async throws {
        let folder = try Folder()
        let file = folder.file("tickets.jsonl")
        let written = Lock<[(lines: Int, bytes: Int)]>([])
        try Archive.write((1...2_500).lazy.map(Self.machine), to: file) { lines, bytes in
            written.withLock { $0.append((lines, bytes)) }
        }
        #expect(folder.files == ["tickets.jsonl"])
        let size = try Data(contentsOf: file).count
        #expect(written.withLock { $0.map(\.lines) } == [1_000, 2_000, 2_500])
        #expect(written.withLock { $0.last?.bytes } == size)

        let read = Lock<[(lines: Int, bytes: Int)]>([])
        var number = 0
        for try await line in Archive.lines(
            of: Ticket.self,
            in: file,
            progress: { lines, bytes in read.withLock { $0.append((lines, bytes)) } }
        ) {
            number += 1
            #expect(line.number == number)
            #expect((try line.result.get().state as? QueuedState)?.urls == ["https://example.org/\(number)"])
        }
        #expect(number == 2_500)
        let last = try #require(read.withLock { $0.last })
        #expect(last.lines == 2_500 && last.bytes == size)
        #expect(read.withLock { $0.count } > 2)
    }

    @Test("A file may have the longest possible name, and drafts of killed processes are removed")
    func longName() throws {
        let folder = try Folder()
        let name = String(repeating: "ü", count: 127) + "x"
        let other = String(repeating: "ü", count: 127) + "y"
        let left = Lock<String?>(nil)
        for name in [name, other] {
            try Archive.write(
                [Self.machine(1)].lazy.map { machine in
                    left.withLock { $0 = folder.files.first { $0.hasSuffix(".tmp") } }
                    return machine
                },
                to: folder.file(name)
            )
        }
        #expect(folder.files == [name, other])
        let draft = try #require(left.withLock { $0 })
        #expect(draft.utf8.count <= 255)
        try Data("torn".utf8).write(to: folder.file(draft))
        // A file whose name begins the same keeps its draft.
        try Archive.write([Self.machine(2)], to: folder.file(name))
        #expect(folder.files.sorted() == [draft, name, other].sorted())
        try Archive.write([Self.machine(2)], to: folder.file(other))
        #expect(folder.files == [name, other])
    }

    @Test("A broken line is reported with its number, and the others are read")
    func broken() async throws {
        let good = String(decoding: try Self.machine(1).archive(), as: UTF8.self)
        let old =
            #"{"activated":true,"data":{"url":"old"},"format":1,"revision":4,"state":"Waiting","version":1,"workflow":"Ticket"}"#
        let text = "\(good)\n\nno json\r\n\(old)\r\n  \t\n{}\n\(good.dropLast(3))\n\u{FF}\n\(good)"
        let folder = try Folder()
        let file = folder.file("lines")
        try Data(text.utf8).write(to: file)
        let found = try await Self.numbers(Archive.lines(of: Ticket.self, in: file))
        #expect(found.count == 7)
        #expect(found[0] == "1: https://example.org/1")
        #expect(found[1].hasPrefix("3: Invalid JSON"))
        #expect(found[2] == "4: old")
        #expect(found[3].hasPrefix("6: The content is malformed"))
        #expect(found[4].hasPrefix("7: Invalid JSON"))
        #expect(found[5].hasPrefix("8: Invalid JSON"))
        #expect(found[6] == "9: https://example.org/1")
    }

    @Test("Chunks may end anywhere", arguments: [1, 2, 7, 64, 1_000])
    func chunks(size: Int) async throws {
        let lines = try (1...5).map { String(decoding: try Self.machine($0).archive(), as: UTF8.self) + "\n" }
        let bytes = Data(lines.joined().utf8)
        let chunks = stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<min($0 + size, bytes.count)]) }
        let stream = AsyncStream { continuation in
            for chunk in chunks + [Data()] { continuation.yield(chunk) }
            continuation.finish()
        }
        let found = try await Self.numbers(Archive.lines(of: Ticket.self, in: stream))
        #expect(found == (1...5).map { "\($0): https://example.org/\($0)" })
    }

    @Test("A line beyond the limit is broken and takes no memory")
    func limit() async throws {
        let good = try Self.machine(1).archive()
        let newline = Data("\n".utf8)
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(good + newline)
            for _ in 0..<100 { continuation.yield(Data(repeating: UInt8(ascii: "x"), count: 100_000)) }
            continuation.yield(newline + good + newline + Data(repeating: UInt8(ascii: "y"), count: 300))
            continuation.finish()
        }
        let found = try await Self.numbers(Archive.lines(of: Ticket.self, in: stream, limit: 200))
        #expect(
            found == [
                "1: https://example.org/1",
                "2: The content has 10000000 bytes; the limit is 200.",
                "3: https://example.org/1",
                "4: The content has 300 bytes; the limit is 200.",
            ]
        )
    }

    private final class GreetingState: EmptyState, Restoring {
        func didRestore(_ transition: StateTransition) {
            let revision = transition.machine(as: Greeter.self)?.revision
            transition.context(as: Greeter.self).write("restored \(revision ?? -1)")
        }
    }

    private struct Greeter: Workflow {
        typealias Context = CallLog
        static var initial: any WorkflowState { GreetingState() }
        let greet = Event(from: GreetingState.self, to: GreetingState.self)
    }

    @Test("Machines with a context get it from the reader, from a file and from chunks")
    func context() async throws {
        let folder = try Folder()
        let file = folder.file("greeters")
        let machines = try (0..<3).map { count in
            let machine = StateMachine<Greeter>(context: CallLog())
            machine.activate()
            for _ in 0..<count { try machine.fire.greet() }
            return machine
        }
        try Archive.write(machines, to: file)
        let bytes = try Data(contentsOf: file)
        let journal = CallLog()
        for try await line in Archive.lines(of: Greeter.self, in: file, context: journal) {
            let machine = try line.result.get()
            #expect(machine.context === journal)
            machine.activate()
        }
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            for start in stride(from: 0, to: bytes.count, by: 7) {
                continuation.yield(bytes[start..<min(start + 7, bytes.count)])
            }
            continuation.yield(Data("broken".utf8))
            continuation.finish()
        }
        var broken = 0
        for try await line in Archive.lines(of: Greeter.self, in: chunks, context: journal) {
            if let machine = try? line.result.get() { try machine.fire.greet() } else { broken += 1 }
        }
        let restored = (0..<3).map { "restored \($0)" }
        #expect(journal.entries == restored + restored)
        #expect(broken == 1)
        // Without a context, machines are read but stay inactive.
        for try await line in Archive.lines(of: Greeter.self, in: file) {
            let error = #expect(throws: InvalidTransition.self) { try line.result.get().fire.greet() }
            #expect(error?.reason == .missingContext)
        }
    }

    @Test("Empty data has no lines")
    func empty() async throws {
        let folder = try Folder()
        try Archive.write([StateMachine<Ticket>](), to: folder.file("none"))
        #expect(try await Self.numbers(Archive.lines(of: Ticket.self, in: folder.file("none"))).isEmpty)
    }

    @Test("An unusable file is a typed error with its path, and leaves nothing behind")
    func files() async throws {
        let folder = try Folder()
        do {
            _ = try await Self.numbers(Archive.lines(of: Ticket.self, in: folder.file("missing")))
            Issue.record("It was read.")
        } catch ArchiveError.inaccessibleFile(let path, let explanation) {
            #expect(path == folder.file("missing").path && !explanation.isEmpty)
        }
        #expect(throws: ArchiveError.self) { try Archive.write([Self.machine(1)], to: folder.file("no/such/folder")) }
        let directory = folder.file("directory")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        #expect(throws: ArchiveError.self) { try Archive.write([Self.machine(1)], to: directory) }
        #expect(folder.files == ["directory"])
    }

    @Test("A machine that cannot be written leaves the old file unchanged")
    func unwritable() async throws {
        let folder = try Folder()
        let file = folder.file("machines")
        try Archive.write([StateMachine<Brittle>()], to: file)
        let old = try Data(contentsOf: file)
        let bad = StateMachine<Brittle>(resumingIn: BrittleState(.infinity))
        let error = #expect(throws: ArchiveError.self) { try Archive.write([StateMachine(), bad], to: file) }
        guard case .unwritableState = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try Data(contentsOf: file) == old)
        let stream = AsyncThrowingStream<StateMachine<Brittle>, any Error> { continuation in
            continuation.yield(StateMachine())
            continuation.finish(throwing: CancellationError())
        }
        await #expect(throws: CancellationError.self) { try await Archive.write(stream, to: file) }
        #expect(try Data(contentsOf: file) == old)
        #expect(folder.files == ["machines"])
    }

    private final class BrittleState: WorkflowState {
        let number: Double
        init(_ number: Double) { self.number = number }
    }

    private struct Brittle: Workflow {
        static var initial: any WorkflowState { BrittleState(1) }
        let set = Event(updating: BrittleState.self)
    }
}
