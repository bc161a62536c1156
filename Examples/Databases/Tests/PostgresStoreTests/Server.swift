import Foundation
import StoreTesting
import Testing

/// A PostgreSQL server for tests, in a temporary folder with its socket there.
///
/// A server of a pair also has a port.
final class Server: Sendable {
    /// The folder of the server's programs, with the newest version first; `nil` if none is installed.
    static let programs: URL? = {
        let folders = ["/usr/lib/postgresql", "/usr/local/pgsql", "/opt/homebrew/opt", "/usr/local/opt"]
        let found = folders.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
                .map { URL(filePath: "\(folder)/\($0)/bin") } + [URL(filePath: folder).appending(path: "bin")]
        }
        return found.first { FileManager.default.isExecutableFile(atPath: $0.appending(path: "initdb").path) }
    }()

    /// Whether the tests run.
    ///
    /// Without an installed server they run only if `HERACLITUS_NEEDS_POSTGRES` is set, as in CI.
    static var isExpected: Bool {
        programs != nil || ProcessInfo.processInfo.environment["HERACLITUS_NEEDS_POSTGRES"] != nil
    }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// The server of most tests, each with its own database.
    static let shared = Task { try await Server() }

    let folder: TemporaryFolder

    /// The port for connections from this computer; `nil` for none.
    let port: Int?

    private var data: String { folder.url.appending(path: "data").path }

    /// Makes and starts a server.
    ///
    /// - Throws: An error with the output of the server's programs.
    convenience init() async throws { try await self.init(port: nil) }

    /// Makes and starts a server on a port, optionally as a standby of another server.
    init(port: Int?, standbyOf primary: Server? = nil) async throws {
        self.port = port
        folder = try TemporaryFolder()
        if getuid() == 0 { try await Server.succeed("/bin/chown", ["postgres", folder.url.path]) }
        if let primary {
            let place = primary.place("postgres") + " application_name=standby"
            try await run("pg_basebackup", ["-d", place, "-D", data, "-R", "-X", "stream", "--no-sync"])
            try stopWithTests()
            try await start()
            return
        }
        try await run(
            "initdb",
            ["-D", data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"]
        )
        try stopWithTests()
        try await start()
    }

    deinit { try? Process.run(URL(filePath: "/bin/sh"), arguments: ["-c", stopping]).waitUntilExit() }

    private var stopping: String { command("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]) }

    /// Starts a process that stops and removes the server when the tests end or crash.
    private func stopWithTests() throws {
        let watching = "while kill -0 \(getpid()) 2> /dev/null; do sleep 0.3; done"
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "\(watching); (\(stopping)); rm -rf '\(folder.url.path)'"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Starts the server as a child of this process.
    ///
    /// A daemon would keep the pipe open that shows the end of the program which started it.
    func start() async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let listening =
            port.map { ["-c", "listen_addresses=127.0.0.1", "-p", "\($0)"] } ?? ["-c", "listen_addresses="]
        let options = listening + ["-c", "max_connections=300", "-c", "fsync=off"]
        process.arguments = ["-c", command("postgres", ["-D", data, "-k", folder.url.path] + options)]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<500 {
            let state = try await StoreTesting.run(
                "/bin/sh",
                ["-c", command("pg_isready", ["-h", folder.url.path, "-p", "\(port ?? 5_432)"])]
            )
            if state.status == 0 { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failed(description: "The server in \(folder.url.path) does not start.")
    }

    /// Stops the server at once, as a power failure does.
    func stop() async throws { try await run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]) }

    /// Stops or continues the processes of the server.
    func signal(_ number: Int32) throws {
        let text = try String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8)
        let postmaster = Int32(text.prefix { $0.isNumber }) ?? 0
        let children = try String(contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8)
        for child in children.split(separator: " ").compactMap({ Int32($0) }) { Foundation.kill(child, number) }
        Foundation.kill(postmaster, number)
    }

    /// Kills the server, as a machine that loses its power.
    func kill() throws {
        let text = try String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8)
        let postmaster = Int32(text.prefix { $0.isNumber }) ?? 0
        let children = try String(contentsOfFile: "/proc/\(postmaster)/task/\(postmaster)/children", encoding: .utf8)
        Foundation.kill(postmaster, SIGKILL)
        for child in children.split(separator: " ").compactMap({ Int32($0) }) { Foundation.kill(child, SIGKILL) }
    }

    /// Promotes a standby to the primary.
    func promote() async throws { try await run("pg_ctl", ["-D", data, "-w", "promote"]) }

    /// The connection description of a database.
    func place(_ database: String, user: String = "owner") -> String {
        let host = port == nil ? "host='\(folder.url.path)'" : "host=127.0.0.1 port=\(port ?? 0)"
        return "\(host) user=\(user) dbname=\(database)"
    }

    /// Makes a database, and returns its connection description.
    func database() async throws -> String {
        let name = "d\(UInt32.random(in: .min ... .max))"
        try await sql("create database \(name)", in: "postgres")
        return place(name)
    }

    /// Runs statements in psql, like a user who changes the database by hand.
    @discardableResult
    func sql(_ statements: String..., in database: String) async throws -> String {
        let place = database.contains("=") ? database : place(database)
        return try await run(
            "psql",
            ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", place] + statements.flatMap { ["-c", $0] }
        )
    }

    @discardableResult
    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        try await Server.succeed("/bin/sh", ["-c", command(program, arguments)])
    }

    /// A shell command, because a server refuses to run as root.
    private func command(_ program: String, _ arguments: [String]) -> String {
        let path = Server.programs?.appending(path: program).path ?? program
        let words = [path] + arguments
        let command = "exec " + words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
        guard getuid() == 0 else { return "cd / && \(command)" }
        return
            "cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups /bin/sh -c '\(command.replacing("'", with: "'\\''"))'"
    }

    @discardableResult
    private static func succeed(_ program: String, _ arguments: [String]) async throws -> String {
        let (status, output) = try await StoreTesting.run(program, arguments)
        guard status == 0 else { throw Failed(description: "\(program) \(arguments) ended with \(status): \(output)") }
        return output
    }
}
