import Heraclitus

@testable import Session

extension ExampleTables {
    static let session = [Session.table]
}
