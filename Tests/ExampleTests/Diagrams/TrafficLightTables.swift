import Heraclitus

@testable import TrafficLight

extension ExampleTables {
    static let trafficLight = [Light.table]
}
