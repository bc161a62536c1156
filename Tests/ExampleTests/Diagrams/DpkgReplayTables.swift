import Heraclitus

@testable import DpkgReplay

extension ExampleTables {
    static let dpkgReplay = [PackageLife.table]
}
