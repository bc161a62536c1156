import Heraclitus

@testable import DpkgReplayExample

extension ExampleTables {
    static let dpkgReplay = [PackageLife.table]
}
