import Heraclitus

@testable import DownloadExample

extension ExampleTables {
    static let download = [Download.table]
}
