import Foundation

/// Has processes do the same with a store and by hand, by turns, and tells what it took.
struct Contest {
    let kind: String
    let place: String
    let seconds: Double

    /// Measures two by turns, and tells the medians, and the ratio of each pair.
    func compare(_ what: String, _ processes: Int, _ task: (_ byHand: Bool) -> Worker.Work) throws {
        let team = try (0..<processes).map { _ in try Member(kind, place) }
        // Once unmeasured: a first call connects, prepares and compiles.
        for byHand in [true, false] { _ = try time(team, task(byHand)) }
        var pairs: [(byHand: Double, store: Double)] = []
        let end = ContinuousClock.now + .seconds(seconds)
        repeat {
            // Whoever is the second finds warm what the first has used.
            let isFirst = pairs.count.isMultiple(of: 2)
            let first = try time(team, task(isFirst))
            let second = try time(team, task(!isFirst))
            pairs.append(isFirst ? (first, second) : (second, first))
        } while ContinuousClock.now < end || pairs.count < 5
        let ratios = pairs.map { $0.store / $0.byHand }.sorted()
        let (byHand, store) = (median(pairs.map(\.byHand)), median(pairs.map(\.store)))
        print(
            "\(what): by hand \(text(byHand)) ms, store \(text(store)) ms, ratio \(text(median(ratios)))",
            "(\(text(ratios[0])) to \(text(ratios[ratios.count - 1]))), \(pairs.count) pairs"
        )
    }

    /// Tells how much more memory something takes when it is done once more.
    func tellMemory(_ what: String, _ task: Worker.Work, after first: Worker.Work) throws {
        let member = try Member(kind, place)
        let before = try member.do(first.line(0))
        let after = try member.do(task.line(0))
        print("\(what): \(before) KiB at most, \(after) KiB after once more")
    }

    /// How long the slowest takes, in milliseconds.
    private func time(_ team: [Member], _ task: Worker.Work) throws -> Double {
        let start = ContinuousClock.now
        for (number, member) in team.enumerated() { try member.tell(task.line(number)) }
        for member in team { _ = try member.answer() }
        return (ContinuousClock.now - start) / .milliseconds(1)
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func text(_ number: Double) -> String { number.formatted(.number.precision(.fractionLength(2))) }
}

/// A worker process, from the side of those who tell it what to do.
private final class Member {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init(_ kind: String, _ place: String) throws {
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["worker", kind, place]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func `do`(_ line: String) throws -> Int {
        try tell(line)
        return try answer()
    }

    func tell(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    func answer() throws -> Int {
        let answer = output.fileHandleForReading.availableData
        guard let peak = Int(String(decoding: answer, as: UTF8.self).dropLast()) else {
            throw Unexpected(explanation: "A worker has ended.")
        }
        return peak
    }
}
