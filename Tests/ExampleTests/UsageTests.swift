import Foundation
import Testing

@Suite("Usage of examples") struct UsageTests {
    static let programs = [
        "approval", "benchmark", "download", "dpkg-replay", "first-program", "inbox", "operations", "orders", "session",
        "session-server", "subscription", "traffic-light", "workflow-diagram",
    ]

    @Test("`--help` prints the usage", arguments: programs)
    func help(of program: String) throws {
        let folder = try TemporaryDirectory()
        let run = try run(program, ["--help"], in: folder.path)
        #expect(run.status == 0 && run.errors == "")
        #expect(run.output.hasPrefix("usage: heraclitus-\(program)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("An unknown option is refused with the usage", arguments: programs)
    func unknownOption(of program: String) throws {
        let folder = try TemporaryDirectory()
        let run = try run(program, ["--unknown"], in: folder.path)
        #expect(run.status == 64 && run.output == "")
        #expect(run.errors.contains("usage: heraclitus-\(program)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("Names of examples' targets and products are free for users, because SwiftPM builds all packages together")
    func names() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Package.swift")
        let products = try String(contentsOf: package, encoding: .utf8)
            .matches(of: /\.(?:executable|library)\(name: "([^"]+)", targets: \["(\w+)"\]\)/)
        #expect(products.count > Self.programs.count)
        for product in products {
            let target = product.2
            #expect(target.hasPrefix("Heraclitus") || target.hasSuffix("Example"), "\(product.1)")
            #expect(product.1.lowercased().hasPrefix("heraclitus"), "\(product.1)")
        }
    }
}
