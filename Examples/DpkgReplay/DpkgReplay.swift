import Foundation
import Heraclitus
import HeraclitusInspecting

/// Replays dpkg's logs.
@main
struct DpkgReplay {
    /// The exit status for the shell.
    private enum Exit {
        static let well: Int32 = 0
        static let findings: Int32 = 1
        static let trouble: Int32 = 2
    }

    static func main() {
        let options: Options
        do {
            options = try Options(Array(CommandLine.arguments.dropFirst()))
        } catch {
            Output.note("\(error)")
            FileHandle.standardError.write(Data("\(Options.usage)\n".utf8))
            exit(EX_USAGE)
        }
        do {
            var output = Output()
            let status = options.wantsHelp ? try help(to: &output) : try run(options, to: &output)
            try output.flush()
            exit(status)
        } catch {
            Output.note("\(error)")
            exit(Exit.trouble)
        }
    }

    private static func help(to output: inout Output) throws -> Int32 {
        for line in Options.usage.split(separator: "\n", omittingEmptySubsequences: false) {
            try output.line(String(line))
        }
        return Exit.well
    }

    private static func run(_ options: Options, to output: inout Output) throws -> Int32 {
        let (paths, statusPath) = try files(options)
        var series = try LogSeries(paths)
        let database = try statusPath.map { path throws(Refused) in try StatusDatabase(path: path) }
        var isResumed = false
        var archived = ReplayArchive.Content()
        if let archive = options.archive {
            try ReplayArchive.target(of: archive)
            archived = try ReplayArchive.read(archive) ?? archived
            isResumed = try series.goOn(at: archived.progress.position, archive: archive)
            if let note = series.note { Output.note(note) }
        }
        var replay = Replay(keeping: options.limit, progress: archived.progress, machines: archived.machines)
        if series.isBroken { replay.breakOff() }
        let life = options.package.map(Life.init)
        if let life { replay.watch(life.package) { life.add($0) } }

        var reading = Reading(
            into: replay,
            archive: options.archive,
            every: options.checkpoint,
            total: total(of: series)
        )
        var left = options.stopAfter ?? .max
        for (index, log) in series.logs.enumerated() where left > 0 {
            let isLast = index == series.logs.count - 1
            try reading.read(log, isResumed: isResumed && index == 0, isLast: isLast, atMost: &left)
        }
        try reading.finish()

        let findings = Findings(
            reading.replay,
            of: series.logs.map(\.path),
            against: database,
            isHalf: reading.isHalf,
            limit: options.limit
        )
        if options.asJSON {
            try JSONReport(findings).print(to: &output)
        } else {
            let report = Report(findings: findings, isVerbose: options.isVerbose)
            if let life {
                try life.print(reading.replay, to: &output)
                try report.printLastLine(to: &output)
            } else {
                try report.print(to: &output)
            }
        }
        return findings.isWell ? Exit.well : Exit.findings
    }

    /// The logs and the database of the options.
    private static func files(_ options: Options) throws(Refused) -> (logs: [String], status: String?) {
        if !options.logs.isEmpty { return (options.logs, options.status) }
        let system = (log: "/var/log/dpkg.log", status: "/var/lib/dpkg/status")
        if FileManager.default.fileExists(atPath: system.log) {
            let hasStatus = FileManager.default.fileExists(atPath: system.status)
            return (LogSeries.withRotated(system.log), options.status ?? (hasStatus ? system.status : nil))
        }
        guard let sample = Bundle.module.resourceURL?.appendingPathComponent("Sample") else {
            throw Refused("There is no \(system.log), and the sample is missing.")
        }
        return (
            [sample.appendingPathComponent("dpkg.log").path],
            options.status ?? sample.appendingPathComponent("status").path
        )
    }

    /// The number of bytes to read, if it is known.
    private static func total(of series: LogSeries) -> Int? {
        series.logs.reduce(0 as Int?) { sum, log in
            guard let sum, !log.path.hasSuffix(".gz"), let size = ByteSource.size(of: log.path) else { return nil }
            return sum + size
        }
    }
}
