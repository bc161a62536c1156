import Heraclitus

// A figure of machines within states.

extension Figure {
    static var composites: [Figure] {
        [
            Figure(
                name: "a transition in an inner machine, against one alone",
                unit: "ns",
                goal: 1.3,
                ours: transitionWithin(StateMachine()),
                limit: transition(of: StateMachine<Download>())
            )
        ]
    }

    private static func transitionWithin(_ journey: StateMachine<Journey>) -> Side {
        let side = transition(of: journey.state.download)
        return { duration in withExtendedLifetime(journey) { side(duration) } }
    }
}

private final class UnderWayState: Composite {
    let download: StateMachine<Download>
    init(download: StateMachine<Download>) { self.download = download }
    var regions: [any Region] { [download] }
    func copied() -> UnderWayState { UnderWayState(download: download.copy()) }
}

private struct Journey: Workflow {
    static var initial: UnderWayState { UnderWayState(download: StateMachine()) }
    let change = Event(updating: UnderWayState.self)
}
