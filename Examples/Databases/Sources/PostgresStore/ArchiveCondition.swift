import Foundation
import Heraclitus
import HeraclitusStores

/// An `ArchiveQuery` in SQL: what follows `where` in a statement on the table `machines`, with the parameters for it.
struct ArchiveCondition {
    private let queue: ArchiveQuery.Queue?
    private let limit: Int
    private var conditions = ["state is not null"]

    /// The parameters.
    private(set) var parameters: [PostgresValue] = []

    /// Translates a query; `nil` if it finds nothing, whatever is stored.
    init?(_ query: ArchiveQuery) {
        (queue, limit) = (query.queue, max(0, query.limit))
        for (column, names) in [("workflow", query.workflows), ("state", query.states)] {
            guard let names else { continue }
            let list = list(names)
            if list.isEmpty { return nil }
            conditions.append("\(column) in (\(list))")
        }
        if let newest = query.newestVersion {
            conditions.append("(version is null or version <= \(parameter(.integer(newest))))")
        }
        if let oldest = query.oldestVersion {
            // Earlier releases have written the first version.
            let least = "version >= \(parameter(.integer(oldest)))"
            conditions.append(oldest <= 1 ? "(version is null or \(least))" : least)
        }
        for (comparison, date) in [("<", query.enteredBefore), (">", query.enteredAfter)] {
            guard let date else { continue }
            guard add("entered", comparison, date) else { return nil }
        }
        guard addQueue() else { return nil }
        guard add(query.values) else { return nil }
        // By a queue nobody asks for pages.
        if queue == nil, let after = query.after.map(IndexedBytes.init) {
            conditions.append(
                "(id, id_rest) > (\(parameter(.bytes(after.beginning))), \(parameter(.bytes(after.rest))))"
            )
        }
    }

    /// Adds a condition of a statement of its own.
    mutating func add(_ condition: String) { conditions.append(condition) }

    /// The place of a parameter in the statement.
    mutating func parameter(_ value: PostgresValue) -> String {
        parameters.append(value)
        return "$\(parameters.count)"
    }

    /// What follows `where`.
    var sql: String { conditions.joined(separator: " and ") }

    /// The column with the date from which a machine waits; `nil` for a query without a queue.
    var dateColumn: String? {
        switch queue {
        case nil: nil
        case .due: "due"
        case .effects: "effects_date"
        }
    }

    /// What follows `where`, with the order of the query and its limit.
    mutating func sqlInOrder() -> String {
        let first = dateColumn.map { "\($0), " } ?? ""
        let all = sql + " order by \(first)id, id_rest"
        return limit == .max ? all : all + " limit \(parameter(.integer(limit)))"
    }

    /// Texts, separated by commas, without those that no table has.
    private mutating func list(_ texts: [String]) -> String {
        texts.filter { !$0.utf8.contains(0) }.map { parameter(.text($0)) }.joined(separator: ", ")
    }

    /// Compares a column with a date; `false` if no date compares so.
    mutating func add(_ column: String, _ comparison: String, _ date: Date) -> Bool {
        let seconds = date.timeIntervalSinceReferenceDate
        // For PostgreSQL what is no number comes after all numbers.
        if seconds.isNaN { return false }
        conditions.append("\(column) \(comparison) cast(\(parameter(.real(seconds))) as double precision)")
        return true
    }

    private mutating func addQueue() -> Bool {
        switch queue {
        case nil: return true
        case .due(let date): return add("due", "<=", date)
        case .effects(let date, let names):
            guard let names else { return add("effects_date", "<=", date) }
            let list = list(names)
            // An earlier release has kept the effects within the archive, and nobody knows their types before it is read.
            let former = "effects_content is null"
            conditions.append(list.isEmpty ? former : "(effects_next in (\(list)) or \(former))")
            return add("effects_date", "<=", date)
        }
    }

    /// Compares values; `false` if no values compare so.
    private mutating func add(_ values: [StoredCondition]) -> Bool {
        // All of one name in one query, so that a range is one of an index.
        for (name, values) in Dictionary(grouping: values, by: { Array($0.name.utf8) }) {
            if name.contains(0) { return false }
            var comparisons = ["name = \(parameter(.text(String(decoding: name, as: UTF8.self))))"]
            for value in values {
                guard let comparison = comparison(value) else { return false }
                comparisons.append(comparison)
            }
            let all = comparisons.joined(separator: " and ")
            conditions.append("(id, id_hash) in (select id, id_hash from machine_values where \(all))")
        }
        return true
    }

    private mutating func comparison(_ condition: StoredCondition) -> String? {
        switch condition.value {
        case .text(let text):
            let bytes = IndexedBytes(text)
            let value = "(\(parameter(.bytes(bytes.beginning))), \(parameter(.bytes(bytes.rest))))"
            return "(text, rest) \(condition.comparison.rawValue) \(value)"
        case .number(let number):
            if number.isNaN { return nil }
            let value = "cast(\(parameter(.real(number))) as double precision)"
            return "number \(condition.comparison.rawValue) \(value)"
        }
    }
}
