import Foundation
import Heraclitus

/// Replays dpkg's log.
@main
struct DpkgReplay {
    static func main() {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            if options.wantsHelp { print(Options.usage) } else { try run(options) }
        } catch {
            FileHandle.standardError.write(Data("dpkg-replay: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ options: Options) throws {
        let (logPath, statusPath) = try files(options)
        let log = try LogFile(path: logPath)
        let database = try statusPath.map { path throws(Refused) in try StatusDatabase(path: path) }
        var replay = try options.archive.flatMap { path in try ReplayArchive.read(path, for: log) } ?? Replay()

        let life = options.package.map(Life.init)
        if let life { replay.watch(life.package) { life.add($0) } }
        let isHalf = try read(log, into: &replay, atMost: options.stopAfter)
        if let archive = options.archive { try ReplayArchive.write(replay, to: archive) }

        let report = Report(replay: replay, database: database)
        if let life {
            try life.printAll(replay)
        } else {
            print("\(logPath)\n")
            report.printRejections()
            if isHalf { print("line \(replay.progress.lines + 1) has no end and was left unread") }
            report.printSummary()
            report.printComparison()
        }
        report.printLastLine()
    }

    /// The log and the database that are meant.
    private static func files(_ options: Options) throws(Refused) -> (log: String, status: String?) {
        if let log = options.log { return (log, options.status) }
        let system = (log: "/var/log/dpkg.log", status: "/var/lib/dpkg/status")
        if FileManager.default.fileExists(atPath: system.log) {
            let hasStatus = FileManager.default.fileExists(atPath: system.status)
            return (system.log, options.status ?? (hasStatus ? system.status : nil))
        }
        guard let sample = Bundle.module.resourceURL?.appendingPathComponent("Sample") else {
            throw Refused("There is no \(system.log), and the sample is missing.")
        }
        return (
            sample.appendingPathComponent("dpkg.log").path,
            options.status ?? sample.appendingPathComponent("status").path
        )
    }

    /// Reads on from where the replay is.
    /// - Returns: Whether a line without an end is left.
    private static func read(_ log: LogFile, into replay: inout Replay, atMost limit: Int?) throws -> Bool {
        var left = limit ?? Int.max
        while left > 0, let line = log.line(at: replay.progress.offset) {
            try replay.read(line)
            left -= 1
            // Not at the very end, for there is much that is not dpkg's, and some of it is large.
            if replay.progress.lines == 100 { try requireUnderstood(log, replay.progress) }
        }
        guard left > 0 else { return false }
        let isHalf = log.hasHalfLine(at: replay.progress.offset)
        if isHalf || replay.progress.lines > 0 { try requireUnderstood(log, replay.progress) }
        return isHalf
    }

    private static func requireUnderstood(_ log: LogFile, _ progress: Progress) throws(Refused) {
        guard progress.lines == progress.notUnderstood else { return }
        throw Refused("\(log.path) is no log of dpkg: it does not begin with lines that dpkg writes.")
    }
}
