import Heraclitus

@testable import Subscription

extension ExampleTables {
    static let subscription = [Life.table]
}
