import Foundation
import Heraclitus
import HeraclitusStores

/// A process that carries out tasks, one per input line, and answers each with its peak memory and processor time.
struct Worker {
    /// The machines of a task.
    enum Machines: String, CaseIterable {
        case distinct = "distinct machines"
        case one = "one machine"
    }

    /// A task for a worker.
    enum Work {
        case units(Machines, byHand: Bool, Int)
        case list(byHand: Bool)
        case pages

        /// The number of units of work; `nil` for other tasks.
        var unitCount: Int? { if case .units(_, _, let count) = self { count } else { nil } }

        /// The input line for one of several concurrent workers.
        func line(_ worker: Int) -> String {
            switch self {
            case .units(.distinct, let byHand, let count): "units \(byHand) \(worker * 1_000 % 4_000) \(count) 250"
            case .units(.one, let byHand, let count): "units \(byHand) 0 \(count) 1"
            case .list(let byHand): "list \(byHand)"
            case .pages: "pages"
            }
        }
    }

    let candidates: Candidates

    init(_ candidates: Candidates) { self.candidates = candidates }

    func run() async throws {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let before = Self.processorTime
            switch words[0] {
            case "units":
                let (first, count, machines) = (Int(words[2]) ?? 0, Int(words[3]) ?? 0, Int(words[4]) ?? 1)
                for number in 0..<count { try await unit("\(first + number % machines)", byHand: words[1] == "true") }
            case "list": try await list(byHand: words[1] == "true")
            default: try await page()
            }
            FileHandle.standardOutput.write(Data("\(Self.peak ?? 0) \(Self.processorTime - before)\n".utf8))
        }
    }

    private func unit(_ id: String, byHand: Bool) async throws {
        if byHand {
            try await candidates.byHand.unit(id)
        } else {
            try await candidates.machines.update(id, attempts: 1_000) { machine in
                try machine.fire.count { CountState($0.number + 1) }
            }
        }
    }

    private func list(byHand: Bool) async throws {
        let (workflow, state) = (Counting.name, CountState.name)
        let ids =
            byHand
            ? try await candidates.byHand.ids(of: workflow, in: state)
            : try await candidates.machines.ids(in: [CountState.self])
        precondition(ids.count >= 1_000)
    }

    private func page() async throws {
        var last: String?
        repeat {
            last = try await candidates.machines.ids(in: [CountState.self], after: last, limit: 1_000).last
        } while last != nil
    }

    /// The processor time of this process, in microseconds.
    private static var processorTime: Int {
        var usage = rusage()
        #if canImport(Darwin)
            unsafe getrusage(RUSAGE_SELF, &usage)
        #else
            unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
        #endif
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Int($1.tv_sec) * 1_000_000 + Int($1.tv_usec) }
    }

    /// The peak memory of this process in KiB; `nil` where the system does not report it.
    private static var peak: Int? {
        let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
}
