import Heraclitus

@testable import OrdersDesk

extension ExampleTables {
    static let orders = [Order.table, Payment.table]
}
