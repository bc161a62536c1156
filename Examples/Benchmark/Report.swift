import Foundation

/// Prints each measurement at once, as a row of a table or a line of JSON.
struct Report {
    let asJSON: Bool

    func begin(measuring figures: [Figure], samples: Int) {
        guard !asJSON else { return }
        Self.write(
            "Ours and the limit by turns, \(samples) samples each: median [minimum … maximum], and the ratio of the medians."
        )
        Self.write("")
        Self.write(Self.row("figure", "ours", "limit", "ratio", "goal"))
    }

    func add(_ measurement: Measurement) {
        Self.write(asJSON ? Self.json(measurement) : Self.row(measurement))
    }

    func end() {
        guard !asJSON else { return }
        Self.write("")
        Self.write("A goal is the largest ratio that is good enough.")
    }

    /// `print` would buffer lines when the output is not a terminal.
    private static func write(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    private static func row(_ measurement: Measurement) -> String {
        let goal = measurement.figure.goal
        let verdict = "≤ \(number(goal))\(measurement.ratio <= goal ? "" : " missed")"
        return row(
            measurement.figure.name,
            text(measurement.ours, measurement.figure.unit),
            text(measurement.limit, measurement.figure.unit),
            number(measurement.ratio),
            verdict
        ) + (measurement.figure.remark.map { "  \($0)" } ?? "")
    }

    private static func row(_ figure: String, _ ours: String, _ limit: String, _ ratio: String, _ goal: String)
        -> String
    {
        [padded(figure, 54), padded(ours, 30), padded(limit, 30), padded(ratio, 6), goal].joined(separator: " ")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func text(_ samples: Samples, _ unit: String) -> String {
        "\(number(samples.median)) [\(number(samples.minimum)) … \(number(samples.maximum))] \(unit)"
    }

    private static func number(_ value: Double) -> String {
        switch abs(value) {
        case ..<10: String(format: "%.2f", value)
        case ..<100: String(format: "%.1f", value)
        default: String(format: "%.0f", value)
        }
    }

    private static func json(_ measurement: Measurement) -> String {
        let line = Line(
            figure: measurement.figure.name,
            unit: measurement.figure.unit,
            ours: measurement.ours.median,
            limit: measurement.limit.median,
            ratio: measurement.ratio,
            goal: measurement.figure.goal
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(line), as: UTF8.self)
        } catch {
            preconditionFailure("Texts and finite numbers can be encoded: \(error)")
        }
    }

    private struct Line: Encodable {
        let figure: String
        let unit: String
        let ours: Double
        let limit: Double
        let ratio: Double
        let goal: Double
    }
}
