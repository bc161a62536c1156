import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import OrdersDeskExample

@Suite("orders: notices and books") struct NoticesTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.file("orders") }

    init() throws { directory = try TemporaryDirectory() }

    private func orders(_ words: String...) throws -> Run { try run("orders", ["--database", folder] + words) }

    @Test("Buyers get the notices of their orders once, in order")
    func notices() throws {
        for id in ["1", "2"] {
            _ = try orders("add", id, "tea", "4.50")
            _ = try orders("place", id, "--to", "\(id) Main St")
            _ = try orders("pay", id, "--amount", "4.50")
        }
        _ = try orders("ship", "1", "--tracking", "T1")
        let lines = try orders("run", "--once").output.split(separator: "\n").map {
            // Without the key, whose numbers are the store's.
            String($0.drop { $0 != " " }.dropFirst())
        }
        #expect(
            lines.filter { $0.hasPrefix("to 1") } == [
                "to 1 Main St: Thank you for 4.50.", "to 1 Main St: Your parcel is T1.",
            ]
        )
        #expect(lines.filter { $0.hasPrefix("to 2") } == ["to 2 Main St: Thank you for 4.50."])
        #expect(try orders("run", "--once").output == "")
        _ = try orders("return", "1", "--reason", "cold tea")
        #expect(try orders("run", "--once").output.hasSuffix("to 1 Main St: You get 4.50 back.\n"))
    }

    @Test(
        "Books agree with a directory that several processes change, and leave out other orders, whose notices are sent",
        .timeLimit(.minutes(20))
    )
    func bench() throws {
        _ = try orders("add", "1", "tea", "4.50")
        _ = try orders("place", "1", "--to", "1 Main St")
        _ = try orders("pay", "1", "--amount", "4.50")
        _ = try orders("add", "2", "tea", "4.50")
        _ = try orders("place", "2", "--to", "x", "--within", "0")
        let run = try orders("bench", "--workers", "2", "--seconds", "2")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("to 1 Main St: Thank you for 4.50.\n"))
        #expect(run.output.contains("2 is cancelled, 4.50 due\n"))
        #expect(run.output.contains("the books agree"))
        #expect(!run.output.contains("2 workers made 0 transitions"))
    }

    @Test("A damaged order holds up no other, and goes on after its repair", .timeLimit(.minutes(20)))
    func damaged() async throws {
        for id in ["1", "2"] {
            _ = try orders("add", id, "tea", "4.50")
            _ = try orders("place", id, "--to", "\(id) Main St")
            _ = try orders("pay", id, "--amount", "4.50")
        }
        let file = folder + "/1.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing("\"activated\":true", with: "\"activated\":tru").write(
            toFile: file,
            atomically: true,
            encoding: .utf8
        )
        let program = try RunningProgram("orders", [folder, "run"], in: directory)
        try await program.tells("to 2 Main St: Thank you for 4.50.")
        _ = try orders("ship", "2", "--tracking", "T1")
        try await program.tells("to 2 Main St: Your parcel is T1.")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try await program.tells("to 1 Main St: Thank you for 4.50.")
        try await program.stop(SIGKILL)
    }

    @Test("Books report each difference from the store")
    func differences() async throws {
        _ = try orders("add", "bench-1", "tea", "4.50")
        _ = try orders("place", "bench-1", "--to", "x")
        _ = try orders("pay", "bench-1", "--amount", "4.50")
        let file = URL(fileURLWithPath: directory.file("books"))
        try Data().write(to: file)
        let store = try Archive.directory(at: URL(fileURLWithPath: folder))
        let differences = try await Books(reading: [file], prefix: "bench-").differences(from: store)
        #expect(differences.contains("money: 4.5 are stored, 0 are in the books"), "\(differences)")
        #expect(differences.contains("orders that are paid: 1 are stored, 0 are in the books"))
        #expect(differences.contains { $0.contains("was not sent") })
    }

    @Test("An error about a database names the package that opens it")
    func databases() throws {
        for database in ["shop.sqlite", "postgres:///shop"] {
            let run = try run("orders", ["--database", database, "list"])
            #expect(run.status == 1 && run.errors.contains("Examples/Databases"), "\(run.errors)")
        }
        #expect(try orders("bench", "--workers", "0").status == 64)
    }
}
