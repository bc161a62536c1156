import Testing

@testable import Heraclitus

@Suite("Many regions") struct ManyRegionsTests {
    final class RowState: Composite {
        let lamps: [StateMachine<Forest.Lamp>]
        init(_ count: Int) { lamps = (0..<count).map { _ in StateMachine() } }
        init(_ lamps: [StateMachine<Forest.Lamp>]) { self.lamps = lamps }
        // Each is listed twice.
        var regions: [any Region] { lamps + lamps.reversed() }
        func copied() -> RowState { RowState(lamps.map { $0.copy() }) }
    }

    @Test("The machines of a state are found once each, in their order, in a time that grows no faster than they do")
    func linear() {
        let hooks = StateHooks(of: RowState.self, hasAutomaticEvents: false)
        func time(of count: Int) -> Duration {
            let state = RowState(count)
            return threadTime {
                #expect(hooks.regions(of: state).map(ObjectIdentifier.init) == state.lamps.map(ObjectIdentifier.init))
            }
        }
        _ = time(of: 10)
        // Eight times as many machines would take 64 times as long.
        #expect(time(of: 8_000) < time(of: 1_000) * 24)
    }
}
