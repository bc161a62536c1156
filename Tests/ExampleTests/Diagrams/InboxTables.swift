import Heraclitus

@testable import InboxExample

extension ExampleTables {
    static let inbox = [Message.table]
}
