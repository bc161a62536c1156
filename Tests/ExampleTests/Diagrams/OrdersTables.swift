import Heraclitus

@testable import Orders

extension ExampleTables {
    static let orders = [Order.table, Payment.table]
}
