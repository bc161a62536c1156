import Foundation
import Heraclitus
import HeraclitusStores
import SQLStores

/// An `ArchiveQuery` in SQL: the condition after `where` in a statement on the table `machines`, with its parameters.
struct ArchiveCondition {
    private let queue: ArchiveQuery.Queue?
    private let limit: Int
    private var conditions = ["state is not null"]

    /// The parameters.
    private(set) var parameters: [PostgresValue] = []

    /// Translates a query; `nil` if the query can match no row.
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
            // Earlier releases wrote version 1 as null.
            let least = "version >= \(parameter(.integer(oldest)))"
            conditions.append(oldest <= 1 ? "(version is null or \(least))" : least)
        }
        for (comparison, date) in [("<", query.enteredBefore), (">", query.enteredAfter)] {
            guard let date else { continue }
            guard add("entered", comparison, date) else { return nil }
        }
        guard addQueue() else { return nil }
        guard add(query.values) else { return nil }
        // A query of a queue has no pages.
        if queue == nil, let after = query.after.map(IndexedBytes.init) {
            conditions.append(
                "(id, id_rest) > (\(parameter(.bytes(after.beginning))), \(parameter(.bytes(after.rest))))"
            )
        }
    }

    /// Adds a condition to the statement.
    mutating func add(_ condition: String) { conditions.append(condition) }

    /// Adds a parameter and returns its placeholder.
    mutating func parameter(_ value: PostgresValue) -> String {
        parameters.append(value)
        return "$\(parameters.count)"
    }

    /// The condition after `where`.
    var sql: String { conditions.joined(separator: " and ") }

    /// The column with the date from which a machine waits; `nil` for a query without a queue.
    var dateColumn: String? {
        switch queue {
        case nil: nil
        case .due: "due"
        case .effects: "effects_date"
        }
    }

    /// The condition after `where`, with the order and the limit of the query.
    mutating func sqlInOrder() -> String {
        let first = dateColumn.map { "\($0), " } ?? ""
        let all = sql + " order by \(first)id, id_rest"
        return limit == .max ? all : all + " limit \(parameter(.integer(limit)))"
    }

    /// Placeholders for texts, separated by commas.
    ///
    /// PostgreSQL stores no text with NUL, so the list skips such texts.
    private mutating func list(_ texts: [String]) -> String {
        texts.filter { !$0.utf8.contains(0) }.map { parameter(.text($0)) }.joined(separator: ", ")
    }

    /// Compares a column with a date; `false` if the comparison can match no row.
    mutating func add(_ column: String, _ comparison: String, _ date: Date) -> Bool {
        let seconds = date.timeIntervalSinceReferenceDate
        // PostgreSQL sorts NaN after all numbers.
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
            // An earlier release stored the effects within the archive, so the index lacks their types.
            let former = "effects_content is null"
            conditions.append(list.isEmpty ? former : "(effects_next in (\(list)) or \(former))")
            return add("effects_date", "<=", date)
        }
    }

    /// Compares values; `false` if the comparison can match no row.
    private mutating func add(_ values: [StoredCondition]) -> Bool {
        // Conditions on one name share a subquery, so that a range becomes one index scan.
        for (name, values) in Dictionary(grouping: values.map(\.sqlComparison), by: { Array($0.name.utf8) }) {
            if name.contains(0) { return false }
            var comparisons = ["name = \(parameter(.text(String(decoding: name, as: UTF8.self))))"]
            for (_, sign, value) in values {
                guard let comparison = comparison(sign, value) else { return false }
                comparisons.append(comparison)
            }
            let all = comparisons.joined(separator: " and ")
            conditions.append("(id, id_hash) in (select id, id_hash from machine_values where \(all))")
        }
        return true
    }

    private mutating func comparison(_ sign: String, _ value: StoredValue) -> String? {
        switch value {
        case .text(let text):
            let bytes = IndexedBytes(text)
            return "(text, rest) \(sign) (\(parameter(.bytes(bytes.beginning))), \(parameter(.bytes(bytes.rest))))"
        case .number(let number):
            if number.isNaN { return nil }
            return "number \(sign) cast(\(parameter(.real(number))) as double precision)"
        }
    }
}
