import Heraclitus

@testable import SubscriptionExample

extension ExampleTables {
    static let subscription = [Life.table]
}
