import Foundation
import Heraclitus
import HeraclitusStores

/// Records of the processes about saved orders and sent notices.
///
/// A comparison with the store shows losses.
final class Books: Sendable {
    /// A line of them.
    private enum Line: Codable {
        case transition(id: String, from: String, to: String, total: Decimal, isUpdate: Bool)
        case notice(key: EffectKey, text: String)
    }

    private static let paying: Set = ["paid", "shipped", "delivered"]

    private let file: FileHandle?
    private let lines: [Line]

    /// The prefix of the ids in the books.
    private let prefix: String

    init(writing file: URL, prefix: String) throws {
        try Data().write(to: file)
        self.file = try FileHandle(forWritingTo: file)
        self.prefix = prefix
        lines = []
    }

    init(reading files: [URL], prefix: String) throws {
        file = nil
        self.prefix = prefix
        lines = try files.flatMap { file in
            try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
                try JSONDecoder().decode(Line.self, from: $0)
            }
        }
    }

    /// Records a saved order; prints it if the order belongs to a user.
    func add(_ id: String, _ transitions: [StateTransition]) throws {
        guard id.hasPrefix(prefix) else { return try Desk.tell(id, transitions) }
        for transition in transitions {
            guard let source = transition.source, let state = transition.destination as? any OrderState else {
                continue
            }
            add(
                .transition(
                    id: id,
                    from: type(of: source).name,
                    to: type(of: state).name,
                    total: state.total,
                    isUpdate: transition.isUpdate
                )
            )
        }
    }

    /// Sends a notice, which means recording it for orders of the bench.
    func deliver(_ store: any ArchiveStore) async throws {
        let handlers = EffectHandlers().on(Notice.self) { notice, key in
            guard key.id.hasPrefix(self.prefix) else { return try Desk.send(notice, key) }
            self.add(.notice(key: key, text: notice.text))
        }
        while try await store.workflow(Order.self).deliver(to: handlers).count > 0 {}
    }

    private func add(_ line: Line) {
        // Writes a whole line at once, from any task.
        guard let data = try? JSONEncoder().encode(line) else { return }
        file?.write(data + Data("\n".utf8))
    }

    // MARK: - Totals

    private var changes: [(id: String, from: String, to: String, total: Decimal, isUpdate: Bool)] {
        lines.compactMap { line in
            guard case .transition(let id, let from, let to, let total, let isUpdate) = line else { return nil }
            return (id, from, to, total, isUpdate)
        }
    }

    private var sent: [EffectKey: [String]] {
        var sent: [EffectKey: [String]] = [:]
        for case .notice(let key, let text) in lines { sent[key, default: []].append(text) }
        return sent
    }

    var transitions: Int { changes.count }
    var orders: Int { Set(changes.map(\.id)).count }
    var notices: Int { sent.count }
    var repeated: Int { sent.values.count { $0.count > 1 } }

    /// The total of the paid orders.
    var paid: Decimal { changes.filter { $0.to == "paid" }.reduce(0) { $0 + $1.total } }

    /// The refunded part.
    var refunded: Decimal {
        changes.filter { Self.paying.contains($0.from) && !Self.paying.contains($0.to) }.reduce(0) { $0 + $1.total }
    }

    /// Compares the books with the store.
    /// - Returns: A sentence for each difference.
    func differences(from store: any ArchiveStore) async throws -> [String] {
        var differences: [String] = []
        var (counts, revisions, kept) = ([String: Int](), 0, Decimal(0))
        let orders = store.workflow(Order.self)
        for try await (id, order) in orders.machines() where id.hasPrefix(prefix) {
            counts[order.stateName, default: 0] += 1
            revisions += order.revision
            if Self.paying.contains(order.stateName) { kept += order.state.total }
        }
        func expect(_ what: String, _ stored: some Equatable, _ booked: some Equatable) {
            if "\(stored)" != "\(booked)" {
                differences.append("\(what): \(stored) are stored, \(booked) are in the books")
            }
        }
        expect("transitions", revisions, transitions)
        expect("money", kept, paid - refunded)
        for state in Order.table.states where state != "cart" {
            let entered = changes.count { $0.to == state && !$0.isUpdate }
            let left = changes.count { $0.from == state && !$0.isUpdate }
            expect("orders that are \(state)", counts[state, default: 0], entered - left)
        }
        let noticed = changes.count { ["paid", "shipped", "returned"].contains($0.to) && !$0.isUpdate }
        expect("notices", notices, noticed)
        differences += sent.filter { Set($0.value).count > 1 }.map { "\($0.key) has several contents: \($0.value)" }
        let left = try await orders.effects().filter { $0.key.id.hasPrefix(prefix) }
        return differences + left.map { "\($0.key) was not sent: \($0.error ?? "nobody has tried")" }
    }
}
