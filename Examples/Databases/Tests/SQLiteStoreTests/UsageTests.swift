import Foundation
import StoreTesting
import Testing

@Suite("Usage of programs") struct UsageTests {
    @Test("`--help` prints the usage", arguments: ["store-orders", "store-benchmark"])
    func help(of program: String) async throws {
        let (status, output) = try await run(products.appending(path: program).path, ["--help"])
        #expect(status == 0 && output.hasPrefix("usage: "))
    }

    @Test("An unknown option is refused with the usage", arguments: ["store-orders", "store-benchmark"])
    func unknownOption(of program: String) async throws {
        let (status, output) = try await run(products.appending(path: program).path, ["--unknown"])
        #expect(status == 64 && output.contains("usage: "))
    }
}
