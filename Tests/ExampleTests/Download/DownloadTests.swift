import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import Synchronization
import Testing

@testable import DownloadExample

@Suite("download", .serialized, .timeLimit(.minutes(20)), .enabled(if: Server.isThere)) struct DownloadTests {
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
        // As long as the server holds back the rest, even on a busy computer.
        process.environment = ProcessInfo.processInfo.environment.merging(["DOWNLOAD_PATIENCE": "600"]) { $1 }
        let output = directory.file(UUID().uuidString)
        try Data().write(to: URL(fileURLWithPath: output))
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<300_000 {
            if size(of: target + ".part") >= byteCount { break }
            usleep(1_000)
        }
        if size(of: target + ".part") < byteCount { process.terminate() }
        try #require(size(of: target + ".part") >= byteCount)
        return process
    }

    private func size(of path: String) -> Int {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.intValue ?? 0
    }

    private func content(_ size: Int, seed: Int = 0) -> Data {
        let period = Data((0..<4016).map { UInt8(($0 * 31 + seed) % 251) })
        return Data(repeatElement(period, count: size / period.count + 1).joined().prefix(size))
    }

    private func expectComplete(_ size: Int, seed: Int = 0) throws {
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == content(size, seed: seed))
        for rest in [".part", ".download"] { #expect(!FileManager.default.fileExists(atPath: target + rest)) }
    }

    private var archived: StateMachine<Download>? {
        FileManager.default.contents(atPath: target + ".download").flatMap { try? StateMachine<Download>(archive: $0) }
    }

    @Test("A download copies a file byte for byte, and leaves no other file")
    func whole() throws {
        for path in ["/f?size=300000", "/f?size=0", "/f?size=70000&chunked=1", "/f?redirect=/f%3Fsize%3D300000"] {
            let run = try download(path)
            #expect(run.status == 0, "\(run.errors)")
            let size = path.contains("=0") ? 0 : path.contains("=7") ? 70_000 : 300_000
            #expect(run.output == "\(target): completed, \(size) bytes\n")
            try expectComplete(size)
        }
    }

    /// Holds the first request after so many bytes, and lets those for the rest pass.
    private func held(_ size: Int, at byteCount: Int) -> String {
        "/f?size=\(size)&chunk=50000&ranges=1&tag=%22a%22&hold=\(byteCount)"
    }

    @Test("An interrupted download asks for the rest alone")
    func interrupted() throws {
        let path = held(2_000_000, at: 1_000_000)
        let process = try start(path, until: 1_000_000)
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
        let cancelled = try #require(archived)
        let part = try #require(cancelled.state.part)
        #expect(cancelled.state is CancelledState && part.tag == "\"a\"" && part.total == 2_000_000)
        // The last piece may have been written when the machine had not heard of it yet.
        #expect(part.byteCount >= 900_000 && part.byteCount <= 1_000_000)
        #expect(!FileManager.default.fileExists(atPath: target))

        let run = try download(path)
        #expect(run.status == 0 && run.errors == "")
        #expect(
            run.output
                == "going on at \(part.byteCount) of 2000000 bytes\n\(target): completed, 2000000 bytes\n"
        )
        #expect(server.requests.last?.hasSuffix("bytes=\(part.byteCount)- \"a\"") == true)
        try expectComplete(2_000_000)
    }

    @Test("A killed download resumes from its archive")
    func killed() throws {
        let path = held(6_000_000, at: 4_000_000)
        let process = try start(path, until: 4_000_000)
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

    @Test("A killed server is a failure, and the received part stays")
    func serverKilled() throws {
        let path = held(2_000_000, at: 1_000_000)
        let process = try start(path, until: 1_000_000)
        server.kill()
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        let part = try #require(archived?.state.part)
        #expect(archived?.state is WrappedFailureState && part.byteCount == 1_000_000)
        let refused = try download(path)
        #expect(refused.status == 1 && refused.output.contains("failed: "))
        #expect(archived?.state.part == part)

        let again = try Server(in: directory, port: server.port)
        let run = try download(path, from: again)
        #expect(run.status == 0, "\(run.output)")
        #expect(again.requests.last?.hasSuffix("bytes=1000000- \"a\"") == true)
        try expectComplete(2_000_000)
    }

    @Test("A download resumes after a timeout, through a redirection, and with moved files")
    func goesOn() throws {
        let path = held(900_000, at: 400_000)
        let escaped = try #require(path.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let redirected = server.url("/r?redirect=\(escaped)")
        let first = try run("download", [redirected, "--to", target], environment: ["DOWNLOAD_PATIENCE": "1"])
        #expect(first.status == 1 && first.output.contains("nothing came for 1 seconds"))
        #expect(archived?.state is TimedOutState)
        let folder = directory.file("elsewhere")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for rest in [".part", ".download"] {
            try FileManager.default.moveItem(atPath: target + rest, toPath: "\(folder)/moved\(rest)")
        }
        let second = try run("download", [redirected, "--to", "moved"], in: folder)
        #expect(second.output == "going on at 400000 of 900000 bytes\nmoved: completed, 900000 bytes\n")
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder + "/moved")) == content(900_000))
    }

    @Test("A slow download that keeps receiving does not time out")
    func slow() throws {
        let run = try run(
            "download",
            [server.url("/f?size=20000&chunk=1000&pause=0.2"), "--to", target],
            environment: ["DOWNLOAD_PATIENCE": "3"]
        )
        #expect(run.status == 0, "\(run.output)")
        try expectComplete(20_000)
    }

    /// Lets what the program has kept be of another address, as if the server said something else there now.
    private func pretend(_ old: String, is new: String) throws {
        let text = try String(contentsOfFile: target + ".download", encoding: .utf8)
        try #require(text.contains("\"\(server.url(old))\""))
        try text.replacingOccurrences(of: "\"\(server.url(old))\"", with: "\"\(server.url(new))\"")
            .write(toFile: target + ".download", atomically: true, encoding: .utf8)
    }

    @Test(
        "A changed file, or one without ranges, is loaded from its beginning",
        arguments: [
            ("&ranges=1&tag=%22a%22", "&ranges=1&tag=%22b%22&seed=5", true), ("", "&seed=5", false),
            ("&ranges=1&tag=W/%22a%22", "&ranges=1&tag=W/%22a%22&seed=5", false),
            ("&tag=%22a%22", "&tag=%22a%22&seed=5", false), ("&ranges=1", "&ranges=1&seed=5", false),
        ]
    )
    func changed(first: String, second: String, asks: Bool) throws {
        let path = "/f?size=400000"
        #expect(try download("\(path)\(first)&cut=150000").status == 1)
        try pretend("\(path)\(first)&cut=150000", is: "\(path)\(second)")
        let run = try download("\(path)\(second)")
        #expect(run.status == 0 && !run.output.contains("going on"), "\(run.output) \(run.errors)")
        #expect(server.requests.last?.hasSuffix(asks ? "bytes=150000- \"a\"" : "None None") == true)
        try expectComplete(400_000, seed: 5)
    }

    @Test(
        "A wrong range is refused, and the next run loads the file",
        arguments: [
            ("&size=400000&shift=10", "another part than was asked for", true),
            ("&size=400000&other=%22b%22", "the file has changed", false),
            ("&size=300000", "the file has changed", false),
        ]
    )
    func wrongPart(change: String, text: String, isKept: Bool) throws {
        let path = "/f?ranges=1&tag=%22a%22&size=400000"
        #expect(try download(path + "&cut=150000").status == 1)
        let changed = "/f?ranges=1&tag=%22a%22\(change)"
        try pretend(path + "&cut=150000", is: changed)
        let run = try download(changed)
        #expect(run.status == 1 && run.output.contains(text), "\(run.output)")
        #expect(archived?.state.part?.byteCount == (isKept ? 150_000 : 0))
        #expect(!FileManager.default.fileExists(atPath: target))
        try pretend(changed, is: path)
        #expect(try download(path).status == 0)
        try expectComplete(400_000)
    }

    @Test("A part with a known length resumes though the server omits the length")
    func star() throws {
        let path = "/f?ranges=1&tag=%22a%22&size=400000&star=1"
        #expect(try download(path + "&cut=150000").status == 1)
        try pretend(path + "&cut=150000", is: path)
        #expect(try download(path).output.hasPrefix("going on at 150000 of 400000 bytes"))
        try expectComplete(400_000)
    }

    @Test("A file that became shorter is a failure, and the next run starts over")
    func shorter() throws {
        let path = "/f?ranges=1&tag=%22a%22&size=400000&cut=150000"
        #expect(try download(path).status == 1)
        let changed = "/f?ranges=1&tag=%22a%22&size=100000"
        try pretend(path, is: changed)
        let run = try download(changed)
        #expect(run.status == 1 && run.output.contains("the server says 416"))
        #expect(try download(changed).status == 0)
        try expectComplete(100_000)
    }

    @Test("A failure prints its reason, and ends with its status")
    func failures() throws {
        for (path, text) in [
            ("/f?status=404", "failed: the server says 404, not found"),
            ("/f?status=202", "failed: the server says 202"),
            ("/f?status=500", "failed: the server says 500, internal server error"),
            ("/f?size=9000&stall=4000&chunk=1000", "failed: nothing came for 1 seconds"),
            ("/f?size=9000&cut=4000&chunk=1000", "failed: "),
        ] {
            let run = try run(
                "download",
                [server.url(path), "--to", target],
                environment: path.contains("stall") ? ["DOWNLOAD_PATIENCE": "1"] : [:]
            )
            #expect(run.status == 1)
            #expect(run.output.contains(text), "\(path): \(run.output)")
            #expect(!FileManager.default.fileExists(atPath: target))
        }
        let nobody = try run("download", ["http://127.0.0.1:1/f", "--to", target])
        #expect(nobody.status == 1 && nobody.output.contains("failed: "))
        let noFolder = try run("download", [server.url("/f"), "--to", directory.file("no/such/folder")])
        #expect(noFolder.status == 1 && noFolder.errors.contains("folder.part"))
        for words in [[], ["--to"], ["a", "b"], ["--fast", "a"], ["a", "--to"]] {
            #expect(try run("download", words).status == 64, "\(words)")
        }
    }

    @Test("A server's file name stays in the folder, and no file is its own copy")
    func names() throws {
        let folder = directory.file("within")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for path in ["/..%2Fescaped", "/%2Ftmp%2Fescaped", "/..", "/.", "/", ""] {
            let run = try run("download", [server.url(path)], in: folder)
            #expect(run.status == 1 && run.errors.contains("say --to FILE"), "\(path): \(run.errors)")
        }
        #expect(try run("download", ["gopher://example.org/f"], in: folder).errors.contains("neither a file nor"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        #expect(!FileManager.default.fileExists(atPath: directory.file("escaped")))
        for name in ["", ".", ".."] {
            #expect(
                try run("download", [server.url("/f"), "--to", name], in: folder).errors.contains(
                    "is no name of a file"
                )
            )
        }
        #expect(unsafe mkfifo(folder + "/pipe", 0o600) == 0)
        #expect(try run("download", ["pipe", "--to", "x"], in: folder).output.contains("is no file"))
        try FileManager.default.removeItem(atPath: folder + "/pipe")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: folder + "/hard"))
        try FileManager.default.linkItem(atPath: folder + "/hard", toPath: folder + "/b.part")
        #expect(try run("download", ["hard", "--to", "b"], in: folder).errors.contains("is where it would go itself"))
        #expect(try String(contentsOfFile: folder + "/hard", encoding: .utf8) == "precious")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: folder + "/" + file)
        }
        for (source, target) in [("a", "a"), ("a", "./a"), ("a.part", "a"), ("a.download", "a"), ("a", "link")] {
            let path = folder + "/" + source
            try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: path)
            let run = try run("download", [source, "--to", target], in: folder)
            #expect(run.status == 1 && run.errors.contains("is where it would go itself"), "\(source) \(run.errors)")
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                try FileManager.default.removeItem(atPath: folder + "/" + file)
            }
        }
    }

    @Test("One process at a time loads a file")
    func claimed() throws {
        let process = try start(held(400_000, at: 100_000), until: 100_000)
        let run = try download("/f?size=400000")
        #expect(run.status == 1 && run.errors.contains("is being loaded already"))
        process.interrupt()
        process.waitUntilExit()
        #expect(archived?.state is CancelledState)
    }

    @Test("A cancelled download stops writing")
    func cancelled() async throws {
        let origin = try Origin(server.url("/f?size=4000000&chunk=1000&pause=0.001&ranges=1&tag=%22a%22"), to: target)
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(Part(origin: origin)))
        while size(of: origin.partPath) < 100_000 { try await Task.sleep(for: .milliseconds(1)) }
        try machine.fire.cancel { CancelledState($0.part) }
        let byteCount = size(of: origin.partPath)
        try await Task.sleep(for: .milliseconds(200))
        #expect(size(of: origin.partPath) == byteCount)
        let part = try #require(machine.state.part)
        #expect(part.byteCount <= byteCount && byteCount < 4_000_000)
    }

    @Test("A cancelled copy of a file stops writing at any moment")
    func cancelledCopy() async throws {
        let source = directory.file("source")
        try Data(count: 20_000_000).write(to: URL(fileURLWithPath: source))
        let origin = try Origin(source, to: target)
        for _ in 0..<20 {
            let machine = StateMachine<Download>()
            try machine.fire.load(LoadingState(Part(origin: origin)))
            while machine.isIn(LoadingState.self), machine.state.part?.byteCount ?? 0 < 1_000_000 { await Task.yield() }
            // The program may have been faster.
            guard (try? machine.fire.cancel { CancelledState($0.part) }) != nil else { continue }
            let byteCount = size(of: origin.partPath)
            #expect(machine.state.part?.byteCount == byteCount)
            try await Task.sleep(for: .milliseconds(5))
            #expect(size(of: origin.partPath) == byteCount)
        }
    }

    @Test("A file overwritten during its copy is a failure, and the next copy starts over")
    func overwritten() async throws {
        let source = URL(fileURLWithPath: directory.file("source"))
        try content(2_000_000).write(to: source)
        let machine = StateMachine<Download>()
        let changed = content(2_000_000, seed: 7)
        let isChanged = Atomic(false)
        machine.onTransition { transition in
            guard (transition.destination as? LoadingState)?.part?.byteCount ?? 0 >= 500_000,
                !isChanged.exchange(true, ordering: .relaxed)
            else { return }
            #expect(throws: Never.self) { try changed.write(to: source) }
        }
        try machine.fire.load(LoadingState(Part(origin: try Origin(source.path, to: target))))
        let failure = try await machine.wait(for: FailureState.self)
        #expect(failure.verdict.text.contains("the file has changed; try again"), "\(failure.verdict.text)")
        #expect(failure.part?.byteCount == 0)
        #expect(!FileManager.default.fileExists(atPath: target))
        let part = try #require(failure.part)
        try machine.fire.load(LoadingState(part))
        _ = try await machine.wait(for: CompletedState.self)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == changed)
    }

    @Test("The copy of a file resumes, also by a relative path or a link")
    func file() throws {
        let source = directory.file("source")
        try content(1_500_000).write(to: URL(fileURLWithPath: source))
        #expect(try run("download", [source, "--to", target]).output == "\(target): completed, 1500000 bytes\n")
        try expectComplete(1_500_000)

        let attributes = try FileManager.default.attributesOfItem(atPath: source)
        let changed = try #require(attributes[.modificationDate] as? Date).timeIntervalSinceReferenceDate
        try FileManager.default.createSymbolicLink(atPath: directory.file("link"), withDestinationPath: source)
        for name in [source, "source", "link"] {
            try FileManager.default.removeItem(atPath: target)
            let origin = try Origin(name.hasPrefix("/") ? name : directory.file(name), to: target)
            let part = Part(origin: origin, byteCount: 1_000_000, total: 1_500_000, tag: "1500000-\(changed)")
            try content(1_000_000).write(to: URL(fileURLWithPath: origin.partPath))
            try StateMachine<Download>(resumingIn: CancelledState(part)).archive()
                .write(to: URL(fileURLWithPath: origin.archivePath))
            let run = try run("download", [name, "--to", target], in: directory.path)
            #expect(run.output == "going on at 1000000 of 1500000 bytes\n\(target): completed, 1500000 bytes\n")
            try expectComplete(1_500_000)
        }
    }

    @Test("A complete part of a killed program is moved into place without a request")
    func complete() throws {
        let origin = try Origin(server.url("/f?size=5000"), to: target)
        let part = Part(origin: origin, byteCount: 5_000, total: 5_000, tag: "\"a\"")
        try content(5_000).write(to: URL(fileURLWithPath: origin.partPath))
        try StateMachine<Download>(resumingIn: LoadingState(part)).archive().write(
            to: URL(fileURLWithPath: origin.archivePath)
        )
        #expect(try download("/f?size=5000").status == 0)
        #expect(server.requests == [])
        try expectComplete(5_000)
    }

    @Test("`--verbose` prints the transitions")
    func verbose() throws {
        let run = try run("download", [server.url("/f?status=404"), "--to", target, "--verbose"])
        #expect(
            run.errors == """
                info: Download load: IdleState → LoadingState
                info: Download fail: LoadingState → StatusFailureState (work failed: StatusError(status: 404))

                """
        )
    }

    @Test("A broken archive is reported, and the download starts over")
    func broken() throws {
        try Data("{".utf8).write(to: URL(fileURLWithPath: target + ".download"))
        let run = try download("/f?size=5000")
        #expect(run.status == 0 && run.errors.contains("cannot be read, and is replaced"))
        try expectComplete(5_000)
    }

    @Test("The download's states keep their data in archives")
    func states() throws {
        #expect(Download.diagnostics.isEmpty && Download.findings.isEmpty)
        let part = Part(origin: try Origin("http://localhost/f", to: "f"), byteCount: 7, total: 9, tag: "\"a\"")
        try expectArchives(LoadingState(part))
        try expectArchives(CompletedState(byteCount: 9))
        try expectArchives(CancelledState(part))
        try expectArchives(TimedOutState(part))
        #expect(CancelledState(part).verdict.text == "cancelled at 7 of 9 bytes; the same command goes on with it")
        let anonymous = Part(origin: part.origin, byteCount: 7)
        #expect(CancelledState(anonymous).verdict.text == "cancelled at 7 bytes; the same command begins anew")
        try expectArchives(StatusFailureState(404, part))
        let failed = WrappedFailureState(Refusal("no"), part)
        try expectArchives(failed, except: ["error"])
        let machine = try StateMachine<Download>(archive: StateMachine<Download>(resumingIn: failed).archive())
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
        for _ in 0..<300_000 where found == nil {
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
