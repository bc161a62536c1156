import Foundation

/// Measures processes that do equal work, alternately with a store and with handwritten SQL.
struct Comparison {
    let kind: String
    let place: String
    let seconds: Double

    /// Measures pairs of runs, and prints the medians and the ratio of each pair.
    func compare(_ what: String, _ processes: Int, _ task: (_ byHand: Bool) -> Worker.Work) throws {
        let team = try (0..<processes).map { _ in try WorkerProcess(kind, place) }
        // A first run is not measured, because it connects, prepares and compiles.
        for byHand in [true, false] { _ = try time(team, task(byHand)) }
        var pairs: [(byHand: Time, store: Time)] = []
        let end = ContinuousClock.now + .seconds(seconds)
        repeat {
            // The second run of a pair finds a warm cache, so the order alternates.
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

    /// Prints the additional memory of a repeated task.
    func printMemory(_ what: String, _ task: Worker.Work, after first: Worker.Work) throws {
        let worker = try WorkerProcess(kind, place)
        let before = try worker.do(first.line(0)).peak
        let after = try worker.do(task.line(0)).peak
        print("\(what): \(before) KiB at most, \(after) KiB after a repetition")
    }

    /// The cost of a task.
    private struct Time {
        /// The time of the slowest process, in milliseconds.
        let passed: Double

        /// The processor time of all processes, in microseconds.
        let ofProcessors: Double
    }

    private func time(_ team: [WorkerProcess], _ task: Worker.Work) throws -> Time {
        let start = ContinuousClock.now
        for (number, worker) in team.enumerated() { try worker.send(task.line(number)) }
        let ofProcessors = try team.reduce(0) { try $0 + $1.answer().processorTime }
        return Time(passed: (ContinuousClock.now - start) / .milliseconds(1), ofProcessors: Double(ofProcessors))
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func text(_ number: Double) -> String { number.formatted(.number.precision(.fractionLength(2))) }
}

/// A worker process, seen from the program that controls it.
private final class WorkerProcess {
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
        try send(line)
        return try answer()
    }

    func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// The peak memory in KiB, and the processor time in microseconds.
    func answer() throws -> (peak: Int, processorTime: Int) {
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let numbers = answer.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
        guard numbers.count == 2 else { throw Unexpected(explanation: "A worker has ended.") }
        return (numbers[0], numbers[1])
    }
}
