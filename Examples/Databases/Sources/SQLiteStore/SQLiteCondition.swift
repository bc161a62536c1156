import Foundation
import GRDB
import HeraclitusStores
import SQLStores

/// The condition after `where`, for a query.
struct SQLiteCondition {
    private(set) var sql: String
    private(set) var arguments: [DatabaseValue] = []

    /// The columns after `order by`.
    let order: String

    init(_ query: ArchiveQuery) {
        switch query.queue {
        case nil: (sql, order) = ("state is not null", "id")
        // The index of a queue contains stored machines only.
        case .due(let date):
            (sql, order) = ("due <= ?", "due, id")
            arguments = [date.timeIntervalSinceReferenceDate.databaseValue]
        case .effects(let date, let names):
            (sql, order) = ("effects_date <= ?", "effects_date, id")
            arguments = [date.timeIntervalSinceReferenceDate.databaseValue]
            if let names { add(names, in: "effects_next") }
        }
        if let workflows = query.workflows { add(workflows, in: "workflow") }
        if let states = query.states { add(states, in: "state") }
        if let newest = query.newestVersion { add("(version is null or version <= ?)", [newest.databaseValue]) }
        if let oldest = query.oldestVersion { add("ifnull(version, 1) >= ?", [oldest.databaseValue]) }
        if let date = query.enteredBefore { add("entered < ?", [date.timeIntervalSinceReferenceDate.databaseValue]) }
        if let date = query.enteredAfter { add("entered > ?", [date.timeIntervalSinceReferenceDate.databaseValue]) }
        for value in query.values { add(value) }
        if query.queue == nil, let id = query.after { add("id > ?", [Data(id.utf8).databaseValue]) }
    }

    /// The column with the date from which a machine waits; `nil` for a query without a queue.
    static func dateColumn(of query: ArchiveQuery) -> String? {
        switch query.queue {
        case nil: nil
        case .due: "due"
        case .effects: "effects_date"
        }
    }

    mutating func add(_ sql: String, _ arguments: [DatabaseValue]) {
        self.sql += " and " + sql
        self.arguments += arguments
    }

    private mutating func add(_ names: [String], in column: String) {
        // No name contains NUL, and GRDB would compare only the text before it.
        let names = names.filter { !$0.hasNUL }
        let marks = names.map { _ in "?" }.joined(separator: ", ")
        add(names.count == 1 ? "\(column) = ?" : "\(column) in (\(marks))", names.map(\.databaseValue))
    }

    private mutating func add(_ condition: StoredCondition) {
        let (name, sign, value) = condition.sqlComparison
        let (column, argument) =
            switch value {
            case .text(let text): ("text", Data(text.utf8).databaseValue)
            case .number(let number): ("number", number.databaseValue)
            }
        let key = name.hasNUL ? DatabaseValue.null : name.databaseValue
        add("id in (select id from machine_values where name = ? and \(column) \(sign) ?)", [key, argument])
    }
}
