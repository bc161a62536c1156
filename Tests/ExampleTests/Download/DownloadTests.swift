import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Download

@Suite("download", .serialized, .timeLimit(.minutes(2)), .enabled(if: Server.isThere)) struct DownloadTests {
    private let directory: TemporaryDirectory
    private let server: Server

    init() throws {
        directory = try TemporaryDirectory()
        server = try Server(in: directory)
    }

    private var target: String { directory.file("target") }

    /// Runs the program to its end.
    private func download(_ path: String, from server: Server? = nil) throws -> Run {
        try run("download", [(server ?? self.server).url(path), "--to", target])
    }

    /// Starts the program and waits until so many bytes have come.
    private func start(_ path: String, until byteCount: Int) throws -> Process {
        let process = Process()
        process.executableURL = executable("download")
        process.arguments = [server.url(path), "--to", target]
        let output = directory.file(UUID().uuidString)
        try Data().write(to: URL(fileURLWithPath: output))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<10_000 where size(of: target + ".part") < byteCount { usleep(1_000) }
        try #require(size(of: target + ".part") >= byteCount)
        return process
    }

    private func size(of path: String) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.intValue ?? 0
    }

    private func content(_ size: Int, seed: Int = 0) -> Data {
        Data((0..<size).map { UInt8(($0 % 4016 * 31 + seed) % 251) })
    }

    private func expectComplete(_ size: Int, seed: Int = 0) throws {
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == content(size, seed: seed))
        for rest in [".part", ".download"] { #expect(!FileManager.default.fileExists(atPath: target + rest)) }
    }

    private var archived: StateMachine<Download>? {
        FileManager.default.contents(atPath: target + ".download").flatMap { try? StateMachine<Download>(archive: $0) }
    }

    @Test("A file is loaded byte for byte, and nothing else is left behind")
    func whole() throws {
        for path in ["/f?size=300000", "/f?size=0", "/f?size=70000&chunked=1", "/f?redirect=/f%3Fsize%3D300000"] {
            let run = try download(path)
            #expect(run.status == 0, "\(run.errors)")
            let size = path.contains("=0") ? 0 : path.contains("=7") ? 70_000 : 300_000
            #expect(run.output == "\(target): completed, \(size) bytes\n")
            try expectComplete(size)
        }
    }

    @Test("A download that is interrupted goes on where it was, and asks for no more than the rest")
    func interrupted() throws {
        let path = "/f?size=2000000&chunk=20000&pause=0.01&ranges=1&tag=%22a%22"
        let process = try start(path, until: 200_000)
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        let cancelled = try #require(archived)
        let part = try #require(cancelled.state.part)
        #expect(cancelled.state is CancelledState && part.tag == "\"a\"" && part.total == 2_000_000)
        #expect(part.byteCount >= 100_000 && part.byteCount < 2_000_000)
        #expect(!FileManager.default.fileExists(atPath: target))

        let run = try download(path)
        #expect(run.status == 0)
        #expect(
            run.output
                == "going on at \(part.byteCount) of 2000000 bytes\n\(target): completed, 2000000 bytes\n"
        )
        #expect(server.requests.last?.hasSuffix("bytes=\(part.byteCount)- \"a\"") == true)
        try expectComplete(2_000_000)
    }

    @Test("A program that is killed in the middle goes on from what it has kept")
    func killed() throws {
        let path = "/f?size=6000000&chunk=100000&pause=0.01&ranges=1&tag=%22a%22"
        let process = try start(path, until: 3_000_000)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let kept = try #require(archived)
        #expect(kept.state is LoadingState)
        let byteCount = try #require(kept.state.part?.byteCount)
        #expect(byteCount > 1_000_000)
        let run = try download(path)
        #expect(run.status == 0)
        #expect(server.requests.last?.hasSuffix("bytes=\(byteCount)- \"a\"") == true)
        try expectComplete(6_000_000)
    }

    @Test("A server that is killed in the middle is a failure, and what came is kept")
    func serverKilled() throws {
        let path = "/f?size=2000000&chunk=20000&pause=0.01&ranges=1&tag=%22a%22"
        let process = try start(path, until: 200_000)
        server.kill()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        let part = try #require(archived?.state.part)
        #expect(archived?.state is WrappedFailureState && part.byteCount >= 100_000)
        let refused = try download(path)
        #expect(refused.status == 1 && refused.output.contains("failed: "))
        #expect(archived?.state.part == part)

        let again = try Server(in: directory, port: server.port)
        let run = try download(path, from: again)
        #expect(run.status == 0, "\(run.output)")
        #expect(again.requests.last?.hasSuffix("bytes=\(part.byteCount)- \"a\"") == true)
        try expectComplete(2_000_000)
    }

    @Test("A file that has changed meanwhile, or that nobody can go on with, is loaded from its beginning")
    func changed() throws {
        for (first, second) in [
            ("&ranges=1&tag=%22a%22", "&ranges=1&tag=%22b%22&seed=5"), ("", "&seed=5"),
            ("&ranges=1&tag=W/%22a%22", "&ranges=1&tag=W/%22a%22&seed=5"), ("&tag=%22a%22", "&tag=%22a%22&seed=5"),
        ] {
            // The same address says something else later: the server looks at what follows the sign, the program does not.
            let path = "/f?size=400000"
            #expect(try download("\(path)\(first)&cut=150000").status == 1)
            let url = server.url("\(path)\(first)&cut=150000")
            let text = try String(contentsOfFile: target + ".download", encoding: .utf8)
            let changed = server.url("\(path)\(second)")
            try text.replacingOccurrences(
                of: url.replacingOccurrences(of: "\"", with: "\\\""),
                with: changed
            ).write(toFile: target + ".download", atomically: true, encoding: .utf8)
            let run = try download("\(path)\(second)")
            #expect(run.status == 0, "\(first): \(run.output) \(run.errors)")
            try expectComplete(400_000, seed: 5)
        }
    }

    @Test("What fails says why, with the status that the program ends with")
    func failures() throws {
        for (path, text) in [
            ("/f?status=404", "failed: the server says 404, not found"),
            ("/f?status=500", "failed: the server says 500, internal server error"),
            ("/f?size=9000&stall=4000&chunk=1000", "failed: nothing came for 1 seconds"),
            ("/f?size=9000&cut=4000&chunk=1000", "failed: "),
        ] {
            setenv("DOWNLOAD_PATIENCE", "1", 1)
            let run = try download(path)
            unsetenv("DOWNLOAD_PATIENCE")
            #expect(run.status == 1)
            #expect(run.output.contains(text), "\(path): \(run.output)")
            #expect(!FileManager.default.fileExists(atPath: target))
        }
        let nobody = try run("download", ["http://127.0.0.1:1/f", "--to", target])
        #expect(nobody.status == 1 && nobody.output.contains("failed: "))
        let noFolder = try run("download", [server.url("/f"), "--to", directory.file("no/such/folder")])
        #expect(noFolder.status == 1 && noFolder.output.contains("failed: "))
        for words in [[], ["--to"], ["a", "b"], ["--fast", "a"], ["a", "--to"]] {
            #expect(try run("download", words).status == 64, "\(words)")
        }
    }

    @Test("A part other than the one that was asked for is refused, and nothing is spoilt")
    func wrongPart() throws {
        let path = "/f?size=400000&ranges=1&tag=%22a%22&shift=10&cut=150000"
        #expect(try download(path).status == 1)
        let part = try #require(archived?.state.part)
        let run = try download(path)
        #expect(run.status == 1 && run.output.contains("another part"))
        #expect(archived?.state.part == part)
    }

    @Test("A file is copied, its copy goes on where it was, and is not its own")
    func file() throws {
        let source = directory.file("source")
        try content(1_500_000).write(to: URL(fileURLWithPath: source))
        #expect(try run("download", [source, "--to", target]).output == "\(target): completed, 1500000 bytes\n")
        try expectComplete(1_500_000)
        try FileManager.default.removeItem(atPath: target)

        let url = URL(fileURLWithPath: source).absoluteString
        let attributes = try FileManager.default.attributesOfItem(atPath: source)
        let changed = try #require(attributes[.modificationDate] as? Date).timeIntervalSinceReferenceDate
        let origin = try Origin(url, to: target)
        let part = Part(origin: origin, byteCount: 1_000_000, total: 1_500_000, tag: "1500000-\(changed)")
        try content(1_000_000).write(to: URL(fileURLWithPath: origin.partPath))
        try StateMachine<Download>(in: CancelledState(part)).archive().write(
            to: URL(fileURLWithPath: origin.archivePath)
        )
        let run = try run("download", [url, "--to", target])
        #expect(run.output == "going on at 1000000 of 1500000 bytes\n\(target): completed, 1500000 bytes\n")
        try expectComplete(1_500_000)
        #expect(try ExampleTests.run("download", [source, "--to", source]).status == 1)
    }

    @Test("An archive that is broken is said to be, and the download begins anew")
    func broken() throws {
        try Data("{".utf8).write(to: URL(fileURLWithPath: target + ".download"))
        let run = try download("/f?size=5000")
        #expect(run.status == 0 && run.errors.contains("cannot be read, and is replaced"))
        try expectComplete(5_000)
    }

    @Test("Its states keep their data in archives, all but the live request")
    func states() throws {
        #expect(Download.diagnostics.isEmpty)
        let part = Part(origin: try Origin("http://localhost/f", to: "f"), byteCount: 7, total: 9, tag: "\"a\"")
        try expectArchives(LoadingState(part), except: ["request"])
        try expectArchives(CompletedState(byteCount: 9))
        try expectArchives(CancelledState(part))
        try expectArchives(TimedOutState(part))
        try expectArchives(StatusFailureState(404, part))
        let failed = WrappedFailureState(Refusal("no"), part)
        try expectArchives(failed, except: ["error"])
        let machine = try StateMachine<Download>(archive: StateMachine<Download>(in: failed).archive())
        #expect((machine.state as? FailureState)?.reason == "no")
    }
}

/// A server on loopback, which is gone with its last reference.
final class Server: Sendable {
    private static let python = ["/usr/bin/python3", "/usr/local/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static let isThere = python != nil

    let port: Int
    private let log: String
    private let process = Process()

    init(in directory: TemporaryDirectory, port: Int = 0) throws {
        log = directory.file("server-\(UUID().uuidString)")
        try Data().write(to: URL(fileURLWithPath: log))
        process.executableURL = URL(fileURLWithPath: try #require(Self.python))
        process.arguments = [packageFolder + "/Tests/ExampleTests/Download/server.py", "\(port)"]
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        try process.run()
        var found: Int?
        for _ in 0..<5_000 where found == nil {
            found = (try? String(contentsOfFile: log, encoding: .utf8))?.split(separator: "\n").first.flatMap {
                Int($0)
            }
            usleep(1_000)
        }
        self.port = try #require(found)
    }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Each request: its path, its Range and its If-Range.
    var requests: [String] {
        ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").dropFirst().map(String.init)
    }

    func kill() {
        guard process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit { kill() }
}
