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
            "a transition", "a transition, by hand with turns and run to completion", "a transition with one observer",
            "a rejected event, with an object", "machine.can.load", "machine.state",
            "memory of an idle machine with its state", "creating a machine, and letting go of it",
            "entering a state that works, and leaving it", "arming a deadline among many, and disarming it",
        ] { #expect(figures.contains(promised), "\(promised)") }
        for line in lines {
            #expect(Set(line.keys) == ["figure", "unit", "ours", "limit", "ratio", "goal"])
            let (ours, limit) = (try #require(line["ours"] as? Double), try #require(line["limit"] as? Double))
            let ratio = try #require(line["ratio"] as? Double)
            #expect(line["goal"] is Double)
            #expect(ours > 0 && limit > 0 && abs(ratio - ours / limit) < 1e-9 * ratio)
        }
    }

    @Test("`--only` shows some figures, with minimum and maximum")
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

    @Test("An idle machine takes the promised memory")
    func memory() throws {
        let run = try run("benchmark", ["--json", "--only", "memory"] + Self.quick)
        let line = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        let bytes = try #require(line?["ours"] as? Double)
        #expect(bytes <= 160)
    }

    @Test(
        "Wrong arguments are refused with one sentence and the usage",
        arguments: [
            ["--fast"], ["--samples"], ["--samples", "none"], ["--samples", "0"],
        ]
    )
    func misuse(arguments: [String]) throws {
        let run = try run("benchmark", arguments)
        #expect(run.status == 64)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("heraclitus-benchmark: ") && run.errors.contains("usage: heraclitus-benchmark"))
    }
}
