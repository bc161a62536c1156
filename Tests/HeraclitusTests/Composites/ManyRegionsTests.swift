import Testing

@testable import Fixtures
@testable import Heraclitus

@Suite("Many regions") struct ManyRegionsTests {
    final class RowState: Composite {
        let lamps: [StateMachine<Forest.Lamp>]
        init(_ count: Int) { lamps = (0..<count).map { _ in StateMachine() } }
        init(_ lamps: [StateMachine<Forest.Lamp>]) { self.lamps = lamps }
        // Each machine is listed twice.
        var regions: [any Region] { lamps + lamps.reversed() }
        func copied() -> RowState { RowState(lamps.map { $0.copy() }) }
    }

    @Test("The machines of a state are found once each, in order, in linear time")
    func linear() {
        let hooks = StateHooks(of: RowState.self, hasAutomaticEvents: false)
        func time(of count: Int) -> Duration {
            let state = RowState(count)
            return threadTime {
                #expect(hooks.regions(of: state).map(ObjectIdentifier.init) == state.lamps.map(ObjectIdentifier.init))
            }
        }
        _ = time(of: 10)
        // A quadratic time would grow 64-fold with eight times as many machines.
        #expect(time(of: 8_000) < time(of: 1_000) * 24)
    }
}
