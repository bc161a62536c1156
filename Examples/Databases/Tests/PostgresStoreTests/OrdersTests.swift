import Foundation
import StoreTesting
import Testing

@Suite("Orders in databases") struct OrdersTests {
    private let program = products.appending(path: "store-orders").path

    private func work(_ database: String) async throws {
        func orders(_ words: String...) async throws -> String {
            let (status, output) = try await run(program, ["--database", database] + words)
            #expect(status == 0, "\(words): \(output)")
            return output
        }
        #expect(try await orders("add", "42", "tea", "4.50", "2") == "42 is cart, 1 items\n")
        #expect(try await orders("place", "42", "--to", "1 Main St").contains("42 is placed"))
        #expect(try await orders("pay", "42", "--amount", "9.00").contains("42 is paid"))
        #expect(try await orders("list", "paid").contains("42"))
        #expect(try await orders("run", "--once").hasSuffix("to 1 Main St: Thank you for 9.00.\n"))
        #expect(try await orders("run", "--once") == "")
        let output = try await orders("bench", "--workers", "3", "--seconds", "\(rounds(2))")
        #expect(output.contains("the books agree"), "\(output)")
        print("\(database): \(output)")
    }

    @Test("All processes share the orders of an SQLite file", .timeLimit(.minutes(30)))
    func sqlite() async throws {
        let folder = try TemporaryFolder()
        try await work(folder.url.appending(path: "shop.sqlite").path)
    }

    @Test(
        "All processes share the orders of a PostgreSQL database",
        .enabled(
            if: Server.isExpected,
            "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
        ),
        .timeLimit(.minutes(30))
    )
    func postgres() async throws {
        let server = try await Server.shared.value
        let name = try await server.database().split(separator: "dbname=")[1]
        let folder = server.folder.url.path
        try await work("postgres:///\(name)?host=\(folder)&user=owner")
    }
}
