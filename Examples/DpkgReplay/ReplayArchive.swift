import Foundation
import Heraclitus

/// All machines of a replay as JSON lines: the replay's own first, then the packages' in the order of their names.
enum ReplayArchive {
    static func write(_ replay: Replay, to path: String) throws(Refused) {
        do {
            var lines = [try replay.progressMachine.archive()]
            for package in replay.packages.keys.sorted() {
                if let machine = replay.packages[package] { lines.append(try machine.archive()) }
            }
            let newline = Data([UInt8(ascii: "\n")])
            let content = lines.reduce(into: Data()) { $0 += $1 + newline }
            try content.write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw Refused("The archive \(path) cannot be written: \(Refused.explanation(of: error))")
        }
    }

    /// Restores a replay.
    /// - Returns: `nil` if there is no such file.
    static func read(_ path: String, for log: LogFile) throws(Refused) -> Replay? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let content: Data
        do {
            content = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Refused("The archive \(path) cannot be read: \(Refused.explanation(of: error))")
        }
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, lines.last?.isEmpty == true else {
            throw Refused("The archive \(path) is incomplete.")
        }
        let progress: StateMachine<ReplayProgress> = try machine(of: first, line: 1, path)
        var packages: [String: StateMachine<PackageLife>] = [:]
        for (index, line) in lines.dropFirst().dropLast().enumerated() {
            let machine: StateMachine<PackageLife> = try machine(of: line, line: index + 2, path)
            packages[machine.state.facts.package] = machine
        }
        let replay = Replay(progress: progress, packages: packages)
        let done = replay.progress
        guard done.lines == 0 || log.containsLine(endingAt: done.offset, digest: done.digest) else {
            throw Refused(
                "The archive \(path) belongs to another log: \(log.path) does not have the line \(done.lines) at which "
                    + "it stopped."
            )
        }
        return replay
    }

    private static func machine<W: Workflow>(
        of line: Data,
        line number: Int,
        _ path: String
    ) throws(Refused) -> StateMachine<W> {
        do throws(ArchiveError) {
            return try StateMachine(archive: line)
        } catch {
            throw Refused("Line \(number) of the archive \(path) cannot be restored: \(error)")
        }
    }
}
