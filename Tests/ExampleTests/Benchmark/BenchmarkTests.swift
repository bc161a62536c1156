import Foundation
import Testing

@Suite("benchmark") struct BenchmarkTests {
    private static let quick = ["--samples", "1", "--milliseconds", "1"]

    @Test("Every figure is a line of JSON with its ratio and its goal")
    func json() throws {
        let run = try run("benchmark", ["--json"] + Self.quick)
        #expect(run.status == 0)
        #expect(run.errors == "")
        let lines = try run.output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let figures = lines.compactMap { $0["figure"] as? String }
        #expect(Set(figures).count == lines.count)
        for promised in [
            "a transition", "a transition with one observer", "a rejected event, with an object",
            "a rejected event, with a builder", "machine.can.load", "machine.state",
            "memory of an idle machine with its state", "creating a machine, and letting go of it",
            "two threads on one machine, a call", "two machines on two threads, against one on one",
            "machine.archive()", "StateMachine(archive:)", "writing JSON lines, an archive",
            "reading JSON lines, a machine", "DirectoryStore: saving a machine", "a real log, a line",
            "hooks of other states, other events and the past",
            "first use, a state of 100 against a state of 10", "a transition among 100 states and 1,000 pairs",
        ] {
            let line = try #require(lines.first { $0["figure"] as? String == promised })
            #expect(line["goal"] is Double, "\(promised)")
        }
        for line in lines {
            #expect(Set(line.keys) == ["figure", "unit", "ours", "limit", "ratio", "goal"])
            let (ours, limit) = (try #require(line["ours"] as? Double), try #require(line["limit"] as? Double))
            let ratio = try #require(line["ratio"] as? Double)
            #expect(ours > 0 && limit > 0 && abs(ratio - ours / limit) < 1e-9 * ratio)
        }
    }

    @Test("The table shows the figures that were asked for, with minimum and maximum")
    func text() throws {
        let run = try run("benchmark", ["--only", "machine.can"] + Self.quick)
        #expect(run.status == 0)
        let row = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("machine.can.load ") })
        #expect(
            try #/[\d.]+ \[[\d.]+ … [\d.]+\] ns +[\d.]+ \[[\d.]+ … [\d.]+\] ns +[\d.]+ +≤ 0.50/#.firstMatch(in: row)
                != nil
        )
        #expect(!run.output.contains("machine.state"))
    }

    @Test("The memory of an idle machine is what the library promises")
    func memory() throws {
        let run = try run("benchmark", ["--json", "--only", "memory"] + Self.quick)
        let line = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        let bytes = try #require(line?["ours"] as? Double)
        #expect(bytes <= 160)
    }

    @Test(
        "Wrong arguments are refused with one sentence and the usage",
        arguments: [
            ["--fast"], ["--samples"], ["--samples", "none"], ["--samples", "0"], ["--first-use", "million"],
        ]
    )
    func misuse(arguments: [String]) throws {
        let run = try run("benchmark", arguments)
        #expect(run.status == 64)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("benchmark: ") && run.errors.contains("usage: benchmark"))
    }

    @Test("Help is not an error")
    func help() throws {
        let run = try run("benchmark", ["--help"])
        #expect(run.status == 0 && run.output.hasPrefix("usage: benchmark"))
    }
}
