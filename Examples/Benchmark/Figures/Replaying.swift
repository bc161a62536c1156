import Foundation

// The figure of a whole program: `dpkg-replay` on a log, against the same in Python with a dictionary, line by line.

extension Figure {
    /// Empty where `dpkg-replay` was not built beside this program, or where there is no Python.
    static var replaying: [Figure] {
        let folder = Bundle.main.executableURL?.deletingLastPathComponent()
        guard let program = folder?.appendingPathComponent("dpkg-replay"),
            FileManager.default.isExecutableFile(atPath: program.path), succeeds("python3", ["--version"])
        else { return [] }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let script = package.appendingPathComponent("Tests/ExampleTests/DpkgReplay/line_by_line.py").path
        let sample = package.appendingPathComponent("Examples/DpkgReplay/Sample/dpkg.log")
        guard let lines = try? String(contentsOf: sample, encoding: .utf8).split(separator: "\n"),
            FileManager.default.fileExists(atPath: script)
        else { return [] }
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString).log")
        return [
            Figure(
                name: "a real log, a line",
                unit: "ns",
                goal: 1.5,
                ours: perLine(of: lines, in: log) { run(program.path, [log.path]) },
                limit: perLine(of: lines, in: log) { run("/usr/bin/env", ["python3", script, log.path]) },
                remark: "dpkg-replay against Python line by line"
            )
        ]
    }

    /// A side that reads a log of many machines, each of which has written the same: a quarter of a million lines, unless
    /// a sample is to be short.
    private static func perLine(of lines: [Substring], in log: URL, _ body: @escaping () -> Void) -> Side {
        { time in
            let copies = min(1_000, max(4, Int(time / .microseconds(20))))
            write(lines, copies, to: log)
            defer { try? FileManager.default.removeItem(at: log) }
            return nanoseconds(body) / Double(copies * lines.count)
        }
    }

    /// Writes the lines over and over, each time with other names of packages.
    private static func write(_ lines: [Substring], _ copies: Int, to log: URL) {
        var text = ""
        for copy in 0..<copies {
            for line in lines {
                var fields = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
                // Those that have a package have its version, and maybe another one, behind it.
                if fields.count == 6 {
                    let index = fields[2] == "status" ? 4 : 3
                    fields[index] = "copy-\(copy)-of-\(fields[index])"
                }
                text += fields.joined(separator: " ") + "\n"
            }
        }
        succeeding { try Data(text.utf8).write(to: log) }
    }

    private static func run(_ program: String, _ arguments: [String]) {
        precondition(succeeds(program, arguments), "\(program) cannot read the log.")
    }

    private static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program.hasPrefix("/") ? program : "/usr/bin/env")
        process.arguments = program.hasPrefix("/") ? arguments : [program] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }
}
