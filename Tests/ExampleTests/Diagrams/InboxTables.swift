import Heraclitus

@testable import Inbox

extension ExampleTables {
    static let inbox = [Message.table]
}
