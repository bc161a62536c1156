import Foundation
import Heraclitus
import HeraclitusStores
import Synchronization

/// Carries out commands on a store.
struct Desk {
    let store: any ArchiveStore

    /// The store, in the user's words.
    var database = ""

    /// The orders in it.
    var orders: StoredWorkflow<Order> { store.workflow(Order.self) }

    /// Gets the transitions of each save.
    var saved: @Sendable (_ id: String, _ transitions: [StateTransition]) throws -> Void = { _, _ in }

    /// Carries a command out.
    /// - Parameter command: The command.
    /// - Returns: What to tell.
    /// - Throws: The reason why the command failed; then nothing has changed.
    func carryOut(_ command: Command) async throws -> [String] {
        switch command {
        case .add(let id, let item):
            try await update(id, mayBeNew: true) { order in try order.fire.change { cart in cart.with(item) } }
        case .remove(let id, let item):
            try await update(id) { order in try order.fire.change { cart in try cart.without(item) } }
        case .place(let id, let address, let time):
            try await update(id) { order in
                try order.fire.place { cart in
                    let purchase = Purchase(items: cart.items, address: address)
                    return PlacedState(purchase, StateMachine(of: cart.total), payBy: Date() + time)
                }
            }
        case .pay(let id, let amount):
            try await update(id) { order in
                guard let placed = order.state as? PlacedState else {
                    throw Refusal("nothing is due: the order is \(order.stateName)")
                }
                try placed.payment.take(amount)
            }
        case .ship(let id, let tracking):
            try await update(id) { order in
                try order.fire.ship { paid in ShippedState(paid, tracking: tracking) }
            }
        case .deliver(let id):
            try await update(id) { order in try order.fire.deliver(\.delivered) }
        case .giveBack(let id, let reason):
            try await update(id) { order in
                try order.fire.giveBack { state in try state.returned(because: reason) }
            }
        case .cancel(let id, let reason):
            try await update(id) { order in try order.fire.cancel { state in state.cancelled(because: reason) } }
        case .show(let id): try await show(id)
        case .list(let state): try await list(state)
        case .run(let isOnce): try await run(isOnce)
        case .bench(let bench): try await bench.run(self)
        case .work(let work): try await work.run(self)
        }
    }

    private func update(
        _ id: String,
        mayBeNew: Bool = false,
        _ body: (StateMachine<Order>) throws -> Void
    ) async throws -> [String] {
        let lines = Mutex<[String]>([])
        try await orders.update(id) { order in
            // A conflict undoes the earlier attempt, so its output is dropped.
            lines.withLock { $0 = [] }
            if !mayBeNew, order.revision == 0 { throw Refusal("there is no order \(id)") }
            let registration = order.observe(regions: true) { [weak order] occurrence in
                guard occurrence.kind == .transitioned, let state = order?.state else { return }
                lines.withLock { $0.append(Self.line(id, state)) }
            }
            defer { registration.cancel() }
            try body(order)
        } saved: { transitions in
            try saved(id, transitions)
        }
        return lines.withLock { $0 }
    }

    private static func line(_ id: String, _ state: any OrderState) -> String {
        "\(id) is \(type(of: state).name), \(state.purchase == nil ? "\(state.items.count) items" : state.paymentText)"
    }

    /// Fires due events and sends notices, once or until the program ends.
    ///
    /// Any number of copies may run.
    private func run(_ isOnce: Bool) async throws -> [String] {
        var told = ""
        while true {
            var failures: [any Error] = []
            // Tries the second task even after a failure of the first.
            for part in [fireDue, sendNotices] {
                do { try await part() } catch let error as CancellationError { throw error } catch {
                    failures.append(error)
                }
            }
            guard !isOnce else {
                if let failure = failures.first { throw failure }
                return []
            }
            // The next round may reach the database again, or find a repaired machine. Each problem is printed once.
            let troubles = failures.map { "\($0)" }.joined(separator: "\n")
            if troubles != told, !troubles.isEmpty { OrdersProgram.complain(troubles) }
            told = troubles
            // Other copies may place orders that are due earlier than all known ones.
            try await Task.sleep(for: .milliseconds(500))
        }
    }

    private func fireDue() async throws {
        complain(of: try await orders.fireDue { try Self.tell($0, $1) })
    }

    private func sendNotices() async throws {
        complain(of: try await orders.deliver(to: EffectHandlers().on(Notice.self) { try Self.send($0, $1) }))
    }

    private func complain(of report: WorkReport) {
        for failure in report.failures {
            OrdersProgram.complain("\(failure.effect.map { "\($0.key)" } ?? failure.id): \(failure.error)")
        }
    }

    /// Prints the effect of a deadline at once, even into a pipe.
    static func tell(_ id: String, _ transitions: [StateTransition]) throws {
        let states = transitions.compactMap { $0.destination as? any OrderState }
        try FileHandle.standardOutput.write(contentsOf: Data(states.map { line(id, $0) + "\n" }.joined().utf8))
    }

    /// Sends a notice by printing it.
    ///
    /// A real sender would recognize the key of a repeated notice.
    static func send(_ notice: Notice, _ key: EffectKey) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(key) to \(notice.address): \(notice.text)\n".utf8))
    }

    private func show(_ id: String) async throws -> [String] {
        guard let order = try await orders.machine(id)?.machine else {
            throw Refusal("there is no order \(id)")
        }
        let state = order.state
        var lines = ["\(id) is \(order.stateName), revision \(order.revision)"]
        lines += state.items.map { "  \($0.quantity) × \($0.name) at \(money($0.price))" }
        lines.append("  total \(money(state.total))")
        if let purchase = state.purchase { lines += ["  to \(purchase.address)", "  \(state.paymentText)"] }
        if !state.remark.isEmpty { lines.append("  \(state.remark)") }
        return lines
    }

    private func list(_ state: String?) async throws -> [String] {
        if let state, !Order.table.states.contains(state) {
            throw Refusal("there is no state \(state); there are \(Order.table.states.joined(separator: ", "))")
        }
        var rows: [[String]] = []
        var complaints: [String] = []
        var query = ArchiveQuery()
        (query.workflows, query.states) = ([Order.name], state.map { [$0] })
        for id in try await store.ids(query) {
            let order: StateMachine<Order>
            do {
                // Another user may have deleted the order since.
                guard let found = try await orders.machine(id) else { continue }
                order = found.machine
            } catch {
                complaints.append("\(id) cannot be read: \(error)")
                continue
            }
            let state = order.state
            let columns = [money(state.total), state.paymentText, state.remark]
            rows.append([id, order.stateName, "\(state.items.count)"] + columns)
        }
        // Sorted by state, in the order of the workflow.
        let places = Dictionary(uniqueKeysWithValues: Order.table.states.enumerated().map { ($1, $0) })
        rows.sort { (places[$0[1]] ?? 0, $0[0]) < (places[$1[1]] ?? 0, $1[0]) }
        return Self.table([["order", "state", "items", "total", "payment", "remark"]] + rows) + complaints
    }

    /// Rows as lines, in columns as wide as their content.
    private static func table(_ rows: [[String]]) -> [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
