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
        var pairs: [(byHand: Time, store: Time)] = []
        let end = ContinuousClock.now + .seconds(seconds)
        repeat {
            // Whoever is the second finds warm what the first has used.
            let isFirst = pairs.count.isMultiple(of: 2)
            let first = try time(team, task(isFirst))
            let second = try time(team, task(!isFirst))
            pairs.append(isFirst ? (first, second) : (second, first))
        } while ContinuousClock.now < end || pairs.count < 5
        let ratios = pairs.map { $0.store.passed / $0.byHand.passed }.sorted()
        let (byHand, store) = (median(pairs.map(\.byHand.passed)), median(pairs.map(\.store.passed)))
        print(
            "\(what): by hand \(text(byHand)) ms, store \(text(store)) ms, ratio \(text(median(ratios)))",
            "(\(text(ratios[0])) to \(text(ratios[ratios.count - 1]))), \(pairs.count) pairs"
        )
        if let count = task(false).unitCount {
            let (byHand, store) = (pairs.map(\.byHand.ofProcessors), pairs.map(\.store.ofProcessors))
            let more = zip(store, byHand).map { ($0 - $1) / Double(count * processes) }
            print(
                "  of processors, for each: by hand \(text(median(byHand) / Double(count * processes))) µs,",
                "the store \(text(median(more))) µs more"
            )
        }
    }

    /// Tells how much more memory something takes when it is done once more.
    func tellMemory(_ what: String, _ task: Worker.Work, after first: Worker.Work) throws {
        let member = try Member(kind, place)
        let before = try member.do(first.line(0)).peak
        let after = try member.do(task.line(0)).peak
        print("\(what): \(before) KiB at most, \(after) KiB after once more")
    }

    /// What something takes.
    private struct Time {
        /// How long the slowest takes, in milliseconds.
        let passed: Double

        /// How long the processors work, in microseconds.
        let ofProcessors: Double
    }

    private func time(_ team: [Member], _ task: Worker.Work) throws -> Time {
        let start = ContinuousClock.now
        for (number, member) in team.enumerated() { try member.tell(task.line(number)) }
        let ofProcessors = try team.reduce(0) { try $0 + $1.answer().processorTime }
        return Time(passed: (ContinuousClock.now - start) / .milliseconds(1), ofProcessors: Double(ofProcessors))
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

    func `do`(_ line: String) throws -> (peak: Int, processorTime: Int) {
        try tell(line)
        return try answer()
    }

    func tell(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// The most memory, and how long the processors have worked, in microseconds.
    func answer() throws -> (peak: Int, processorTime: Int) {
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let numbers = answer.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        guard numbers.count == 2 else { throw Unexpected(explanation: "A worker has ended.") }
        return (numbers[0], numbers[1])
    }
}
