import Heraclitus

@testable import OrdersDeskExample

extension ExampleTables {
    static let orders = [Order.table, Payment.table]
}
