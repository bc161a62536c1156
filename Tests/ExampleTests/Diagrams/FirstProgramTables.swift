import Heraclitus

@testable import FirstProgram

extension ExampleTables {
    static let firstProgram = [Download.table]
}
