import Heraclitus

@testable import Download

extension ExampleTables {
    static let download = [Download.table]
}
