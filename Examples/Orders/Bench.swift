import Foundation
import Heraclitus
import HeraclitusStores

/// Runs processes that work on their own orders, and compares the books afterwards.
struct Bench: Equatable {
    let workers: Int
    let seconds: Int

    func run(_ desk: Desk) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("orders-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let prefix = "bench-\(UInt32.random(in: 0...UInt32.max))-"
        let files = (0...workers).map { folder.appendingPathComponent("\($0)") }
        let processes = try files.dropLast().map { file in
            let process = Process()
            process.executableURL = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = [
                "--database", desk.database, "bench-work", prefix, file.path, "--seconds", "\(seconds)",
            ]
            // The process ends with this program, even after a crash.
            process.standardInput = Pipe()
            try process.run()
            return process
        }
        // Waits for all processes, so that none works after this call.
        for process in processes { process.waitUntilExit() }
        if let status = processes.map(\.terminationStatus).first(where: { $0 != 0 }) {
            throw Refusal("a worker ended with \(status)")
        }
        // The notices that the workers left unsent.
        let rest = try Books(writing: files[workers], prefix: prefix)
        try await rest.deliver(desk.store)
        let books = try Books(reading: files, prefix: prefix)
        let differences = try await books.differences(from: desk.store)
        guard differences.isEmpty else {
            throw Refusal("the books do not agree:\n" + differences.joined(separator: "\n"))
        }
        let pace = books.transitions / max(1, seconds)
        return [
            "\(workers) workers made \(books.transitions) transitions of \(books.orders) orders in \(seconds) s, \(pace) a second",
            "\(books.notices) notices were sent, \(books.repeated) of them more than once",
            "the books agree: \(money(books.paid)) paid, \(money(books.refunded)) of it given back",
        ]
    }
}

/// The work of one process.
struct BenchWork: Equatable {
    let prefix: String
    let file: String
    let seconds: Int

    func run(_ desk: Desk) async throws -> [String] {
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            exit(0)
        }
        let books = try Books(writing: URL(fileURLWithPath: file), prefix: prefix)
        var desk = desk
        // A few orders are active at a time, and each ended order makes room for a new one.
        var open = Array(0..<40)
        var next = 40
        desk.saved = { try books.add($0, $1) }
        let end = Date() + Double(seconds)
        while Date() < end {
            let place = open.indices.randomElement() ?? 0
            let id = prefix + "\(open[place])"
            do {
                _ = try await desk.carryOut(try await command(id, desk))
            } catch let error as InvalidTransition {
                // Another process changed the order, the state rejects the action, or the order has ended.
                if error.allowedEvents.isEmpty {
                    open[place] = next
                    next += 1
                }
            } catch is Refusal {
            } catch StoreError.tooManyConflicts {
            }
            if Int.random(in: 0..<10) == 0 {
                let report = try await desk.orders.fireDue { try books.add($0, $1) }
                for failure in report.failures {
                    guard case StoreError.tooManyConflicts = failure.error else { throw failure.error }
                }
                try await books.deliver(desk.store)
            }
        }
        return []
    }

    /// An action of a customer or the shop on an order.
    private func command(_ id: String, _ desk: Desk) async throws -> Command {
        switch Int.random(in: 0..<8) {
        case 0, 1: return .add(id: id, Item(name: "item \(Int.random(in: 0..<9))", price: 1.25, quantity: 1))
        case 2: return .place(id: id, address: "1 Main St", payWithin: Int.random(in: 0..<5) == 0 ? 0 : 3_600)
        case 3, 4:
            let total = try await desk.orders.machine(id)?.machine.state.total ?? 0
            return .pay(id: id, amount: total)
        case 5: return .ship(id: id, tracking: "T\(Int.random(in: 0..<1_000))")
        case 6: return .deliver(id: id)
        default:
            return Bool.random() ? .giveBack(id: id, reason: "broken") : .cancel(id: id, reason: "no more")
        }
    }
}
