import SQLStores

/// What the codes of errors mean, which are those of the SQL standard and a few of PostgreSQL's own.
enum PostgresCode {
    /// What an error means.
    /// - Parameters:
    ///   - code: Its code.
    ///   - text: What the server says.
    ///   - isOwn: Whether the statement is one of the store's own.
    /// - Returns: The failure.
    static func failure(_ code: String, _ text: String, isOwn: Bool) -> ConnectionFailure {
        switch code {
        // Serialization failures and deadlocks, of which the server has undone everything.
        case "40001", "40P01": .outrun(text)
        // Two that make the same table; a statement that was prepared once and is no more, or that a transaction has found to be prepared.
        case "23505", "42P07", "42710", "26000", "25P02":
            isOwn ? .outrun(text) : .refused(.failed(code: code, text))
        // Without a code the server did not say anything. With "40003" it does not know itself.
        case "", "40003", "57P01", "57P02", "57P05": .lost(text)
        // Time ran out, perhaps because of a lock.
        case "57014", "55P03": .refused(.busy)
        // It only reads, is starting, has too many connections, or lets nobody in.
        case "25006", "57P03", "53300", "42501": .refused(.inaccessible(text))
        case "22001", "22021", "22P05", "54000": .refused(.unstorable(text))
        // Tables and columns that are not there, or not so.
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
