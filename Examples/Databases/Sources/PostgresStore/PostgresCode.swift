import SQLStores

/// The meanings of error codes: those of the SQL standard, and a few of PostgreSQL.
enum PostgresCode {
    /// Converts an error of the server into a failure.
    /// - Parameters:
    ///   - code: The error code.
    ///   - text: The message of the server.
    ///   - isOwn: Whether the statement is one of the store's own.
    /// - Returns: The failure.
    static func failure(_ code: String, _ text: String, isOwn: Bool) -> ConnectionFailure {
        switch code {
        // Serialization failures and deadlocks: the server has rolled the transaction back.
        case "40001", "40P01": .retryable(text)
        // Two stores making one table, and prepared statements that are missing, or that failed the transaction because they existed.
        case "23505", "42P07", "42710", "26000", "25P02":
            isOwn ? .retryable(text) : .refused(.failed(code: code, text))
        // An empty code means that the server did not answer. With "40003" the server does not know the outcome.
        case "", "40003", "57P01", "57P02", "57P05": .lost(text)
        // A time-out, perhaps because of a lock.
        case "57014", "55P03": .refused(.busy)
        // The server is read-only, is starting, has too many connections, or denies access.
        case "25006", "57P03", "53300", "42501": .refused(.inaccessible(text))
        case "22001", "22021", "22P05", "54000": .refused(.unstorable(text))
        // Tables or columns are missing or differ.
        case "42P01", "42703", "42804", "42883", "42P10", "3F000", "0A000": .refused(.otherTables(text))
        default:
            switch code.prefix(2) {
            case "08": .lost(text)
            case "28": .refused(.inaccessible(text))
            case "53": .refused(.full(text))
            default: .refused(.failed(code: code, text))
            }
        }
    }
}
