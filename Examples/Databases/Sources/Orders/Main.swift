import Foundation
import Heraclitus
import OrdersDeskExample
import PostgresStore
import SQLiteStore

/// The example `orders` with orders in a directory, in an SQLite file, or in a PostgreSQL database.
@main struct StoreOrders {
    static func main() async {
        await OrdersProgram.run { database, making in
            if database.hasPrefix("postgres://") || database.hasPrefix("postgresql://") {
                return try await PostgresStore(database)
            }
            guard database.hasSuffix(".sqlite") else { return nil }
            try making(database)
            return try await SQLiteStore(at: URL(fileURLWithPath: database))
        }
    }
}
