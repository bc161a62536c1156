import Heraclitus
import HeraclitusTesting
import Testing

private protocol LightState: WorkflowState {}

private final class OffState: LightState, EmptyState {}

private final class OnState: LightState {
    let level: Int
    init(level: Int) { self.level = level }
}

private final class BrokenState: LightState, EmptyState {}

private class FailureState: LightState, @unchecked Sendable {  // constants only
    let date: String
    init(date: String) { self.date = date }
}

private final class FuseBlownState: FailureState, @unchecked Sendable {
    let ampere: Int

    init(date: String, ampere: Int) {
        self.ampere = ampere
        super.init(date: date)
    }

    private enum CodingKeys: CodingKey { case ampere }

    required init(from decoder: any Decoder) throws {
        ampere = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .ampere)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ampere, forKey: .ampere)
        try super.encode(to: encoder)
    }
}

private struct Light: Workflow {
    static var initial: any LightState { OffState() }
    static var states: [any WorkflowState.Type] { [FuseBlownState.self] }  // a subclass that no event names

    let switchOn = Event(from: OffState.self, to: OnState.self)
    let switchOff = Event("switch off", from: OnState.self, to: OffState.self)
    let toggle = Event(from: OffState.self, to: OnState.self).or(from: OnState.self, to: OffState.self)
    let dim = Event(updating: OnState.self)
    let fail = Event(from: OffState.self, OnState.self, to: FailureState.self)
    let inspect = Event(from: FailureState.self, to: OffState.self, BrokenState.self)
    let smash = Event(to: BrokenState.self).ignored(in: BrokenState.self)
}

@Suite("Defining a workflow") struct DefinitionArticleTests {
    @Test("The article's workflow is valid, and its subclass keeps its data in an archive")
    func light() throws {
        #expect(Light.diagnostics.isEmpty)
        try expectArchives(FuseBlownState(date: "today", ampere: 16))
        let light = StateMachine<Light>()
        try light.fire.toggle(OnState(level: 1))
        try light.fire.fail(FuseBlownState(date: "today", ampere: 16))
        try light.fire.inspect(OffState())
        try light.fire.smash()
        try light.fire.smash()
        #expect(light.state is BrokenState && light.revision == 4)
        #expect(Light.table.events.map(\.name).contains("switch off"))
    }
}

extension Picture {
    static let light = Picture(name: "light", page: "DefiningAWorkflow", table: Light.table)
}
