import Heraclitus

@testable import FirstProgramExample

extension ExampleTables {
    static let firstProgram = [Download.table]
}
