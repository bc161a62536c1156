import Heraclitus

@testable import SessionExample

extension ExampleTables {
    static let session = [Session.table]
}
