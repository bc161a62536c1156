import Heraclitus

@testable import TrafficLightExample

extension ExampleTables {
    static let trafficLight = [Light.table]
}
