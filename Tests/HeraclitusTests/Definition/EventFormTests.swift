import Foundation
import Heraclitus
import Testing

@testable import Fixtures

@Suite("Forms of events") struct EventFormTests {
    static let all = ["FluidState", "GasState", "SolidState", "PlasmaState", "SnowState", "IceState"]

    /// The expected transitions of each event, written by hand.
    static let expected: [(event: String, transitions: [String])] = [
        ("boil", ["FluidState → GasState"]),
        ("heat", leads(["FluidState", "SolidState", "SnowState", "IceState"], ["GasState"])),
        ("split", leads(["FluidState"], ["GasState", "SolidState", "SnowState", "IceState"])),
        ("many", leads(["FluidState", "GasState"], ["SolidState", "PlasmaState", "SnowState", "IceState"])),
        ("ionize", leads(all, ["PlasmaState"])),
        ("anything", leads(all, ["GasState", "SolidState", "SnowState", "IceState"])),
        ("toggle", ["FluidState → GasState", "GasState → FluidState"]),
        ("sublime", leads(["FluidState", "SolidState", "SnowState", "IceState"], ["GasState"])),
        (
            "fork",
            leads(["FluidState"], ["GasState", "SolidState", "SnowState", "IceState"])
                + leads(["GasState"], ["FluidState"])
        ),
        ("stir", ["FluidState ↻ FluidState"]),
        (
            "pack",
            [
                "FluidState ↻ FluidState", "SolidState ↻ SolidState", "SnowState ↻ SnowState", "IceState ↻ IceState",
            ]
        ),
        ("Vent the Gas", ["GasState → PlasmaState"]),
        ("listed", ["FluidState → PlasmaState", "GasState → PlasmaState"]),
        ("thaw", ["SolidState → FluidState", "IceState → FluidState"]),
        ("except", leads(all.filter { $0 != "PlasmaState" }, ["FluidState"])),
        ("lists", ["GasState → PlasmaState", "PlasmaState → GasState"]),
        ("toList", ["GasState → FluidState", "GasState → PlasmaState"]),
        ("anyToList", leads(all, ["PlasmaState"])),
    ]

    /// The transitions from each source to each destination.
    static func leads(_ sources: [String], _ destinations: [String]) -> [String] {
        sources.flatMap { source in destinations.map { "\(source) → \($0)" } }
    }

    @Test("Each form has exactly its transitions", arguments: expected)
    func table(_ event: String, _ transitions: [String]) throws {
        let found = try #require(Forms.table[event])
        #expect(Set(found.transitions.map(\.text)) == Set(transitions))
        #expect(found.transitions.count == transitions.count)
    }

    @Test("The table lists everything in the order of the definition")
    func wholeTable() {
        let table = Forms.table
        #expect(table.workflow == "Forms")
        #expect(table.version == 1)
        #expect(table.states == Self.all)
        #expect(table.superstates == ["IceState": "SolidState", "SnowState": "IceState"])
        #expect(table.initial == "FluidState")
        #expect(table.events.map(\.name) == Self.expected.map(\.event))
        #expect(table["thaw"]?.ignored == ["GasState", "SnowState"])
        #expect(Download.table.finals == ["CompletedState", "CancelledState"])
    }

    @Test("For every event, source and destination, table, validator, `can` and a real fire agree")
    func everythingAgrees() throws {
        let classes: [any EmptyState.Type] = [
            FluidState.self, GasState.self, SolidState.self, PlasmaState.self, SnowState.self, IceState.self,
        ]
        let validator = TransitionValidator<Forms>()
        for event in Forms.table.events {
            for source in classes {
                for destination in classes {
                    let isListed = event.transitions.contains { $0.from == source.name && $0.to == destination.name }
                    let isIgnored = event.ignored.contains(source.name)
                    let machine = StateMachine<Forms>(resumingIn: source.init())
                    #expect(
                        machine.can[named: event.name]
                            == (isIgnored || event.transitions.contains { $0.from == source.name })
                    )
                    #expect(
                        machine.allowedEvents.contains(event.name) == (machine.can[named: event.name] && !isIgnored)
                    )
                    let verdict = Result {
                        try validator.validate(named: event.name, from: source.name, to: destination.name)
                    }
                    let outcome = Result { try machine.fire[named: event.name](destination.init()) }
                    #expect(((try? verdict.get()) != nil) == (isListed || isIgnored))
                    #expect(((try? outcome.get()) != nil) == (isListed || isIgnored))
                    #expect(machine.stateName == (isListed ? destination.name : source.name))
                    #expect(machine.revision == (isListed ? 1 : 0))
                }
            }
        }
    }

    @Test("Every way of giving the destination works by property, value and name")
    func doors() throws {
        let machine = StateMachine<Forms>()
        try machine.fire.boil()
        try machine.fire[Forms.events.toggle](FluidState())
        try machine.fire[Forms.events.boil]()
        try machine.fire[Forms.events.toggle]({ (state: any WorkflowState) in
            #expect(state is GasState)
            return FluidState()
        })
        try machine.fire[Forms.events.boil]()
        try machine.fire[Forms.events.toggle](FluidState())
        try machine.fire[Forms.events.boil]({ _ in GasState() })
        try machine.fire[named: "toggle"](FluidState())
        try machine.fire[named: "toggle"]()
        try machine.fire[named: "Vent the Gas"]({ (state: any WorkflowState) in
            #expect(state is GasState)
            return PlasmaState()
        })
        #expect(machine.revision == 10)
        #expect(machine.stateName == "PlasmaState")
    }

    @Test("An event with several destinations needs no object if it leads to one empty state only")
    func onlyDestination() throws {
        let machine = StateMachine<Forms>()
        try machine.fire.toggle()
        #expect(machine.state is GasState)
        try machine.fire.toggle()
        #expect(machine.state is FluidState)
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.split() }
        #expect(error?.reason == .destinationNeeded)
        #expect(error?.candidates == ["GasState", "SolidState"])
        #expect(machine.revision == 2)
    }

    @Test("An object of an unregistered class is rejected, with its own reason")
    func unregistered() throws {
        let machine = StateMachine<Forms>()
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.split(SecretState()) }
        #expect(error?.reason == .unregisteredState)
        #expect(error?.destination == "SecretState")
        #expect(machine.state is FluidState)
        let entering = #expect(throws: InvalidTransition.self) { try machine.enter(SecretState()) }
        #expect(entering?.reason == .unregisteredState)
    }

    @Test("`enter` fires the only event that leads there, and otherwise lists the events")
    func enter() throws {
        let machine = StateMachine<Download>()
        try machine.enter(LoadingState(request: Request(url: "")), userInfo: ["key": 1])
        #expect(machine.state is LoadingState)
        let none = #expect(throws: InvalidTransition.self) { try machine.enter(IdleState(), userInfo: ["key": 1]) }
        #expect(none?.reason == .noEvent)
        #expect(none?.event == nil)
        #expect(none?.destination == "IdleState")
        #expect(none?.candidates == [])
        #expect(none?.allowedEvents == ["finish", "fail", "cancel"])
        #expect(none?.userInfo["key", as: Int.self] == 1)

        let forms = StateMachine<Forms>()
        let several = #expect(throws: InvalidTransition.self) { try forms.enter(PlasmaState()) }
        #expect(several?.reason == .ambiguousEvent)
        #expect(several?.candidates == ["many", "ionize", "listed", "anyToList"])
    }

    @Test("`enter` skips events that only give the state new data")
    func enterAgain() throws {
        let door = StateMachine<Door>()
        try door.fire.open(OpenState(1))
        let none = #expect(throws: InvalidTransition.self) { try door.enter(OpenState(2)) }
        #expect(none?.reason == .noEvent)
        #expect((door.state as? OpenState)?.angle == 1)
    }

    @Test("An event outside stored properties is rejected")
    func computed() {
        let machine = StateMachine<Computing>()
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.computed() }
        #expect(error?.reason == .unknownEvent)
        #expect(!machine.can.computed)
    }

    @Test("An event value without a workflow is rejected, even if its name exists")
    func unbound() throws {
        let machine = StateMachine<Forms>(resumingIn: GasState())
        let narrow = Forms.Event<FluidState, PlasmaState>("Vent the Gas", from: FluidState.self, to: PlasmaState.self)
        let values = [Forms.events.named.guarded { _, _, _ in throw Objection() }, Forms().named]
        let errors = [
            #expect(throws: InvalidTransition.self) { try machine.fire[narrow]({ _ in PlasmaState() }) },
            #expect(throws: InvalidTransition.self) { try machine.fire[values[0]]() },
            #expect(throws: InvalidTransition.self) { try machine.fire[values[1]](PlasmaState()) },
        ]
        for error in errors {
            #expect(error?.reason == .unknownEvent)
            #expect(
                error?.description.hasPrefix(
                    "Forms cannot fire an unknown event in GasState: the event is not a stored property"
                ) == true
            )
        }
        #expect(machine.revision == 0)
        try machine.fire[Forms.events.named]()
        #expect(machine.state is PlasmaState)
    }

    @Test("An update keeps the class, also if it makes the object itself")
    func updateKeepsClass() throws {
        let machine = StateMachine<Forms>(resumingIn: IceState())
        let before = machine.state
        try machine.fire.pack()
        #expect(type(of: machine.state) == IceState.self)
        #expect(machine.state !== before)
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.pack(SolidState()) }
        #expect(error?.reason == .notAllowed)
    }

    // The common type of the states is a class, and itself an empty state.
    class LightState: WorkflowState, EmptyState, @unchecked Sendable { required init() {} }
    final class RedState: LightState, @unchecked Sendable {}
    final class GreenState: LightState, @unchecked Sendable {}
    struct Light: Workflow {
        static var initial: LightState { RedState() }
        let toggle = Event(from: RedState.self, to: GreenState.self).or(from: GreenState.self, to: RedState.self)
    }

    @Test("A class may be the common type of the states")
    func classInCommon() throws {
        let machine = StateMachine<Light>()
        try machine.fire.toggle()
        #expect(type(of: machine.state) == GreenState.self)
        #expect(Light.table.states == ["RedState", "GreenState"])
    }

    struct Computing: Workflow {
        static var initial: any WorkflowState { GasState() }
        let stored = Event(from: GasState.self, to: FluidState.self)
        var computed: Event<GasState, FluidState> { Event(from: GasState.self, to: FluidState.self) }
    }

    @Test("A state outside the workflow's type is rejected")
    func unsuitable() {
        let machine = StateMachine<Narrow>()
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.leave() }
        #expect(error?.reason == .unsuitableState)
        #expect(machine.state is IdleState)
        #expect(throws: ArchiveError.self) {
            try StateMachine<Narrow>(archive: Data(Self.gas.utf8))
        }
    }

    static let gas =
        #"{"format":1,"workflow":"Narrow","version":1,"revision":0,"activated":true,"state":"GasState","data":{}}"#

    /// A workflow with a registered state that is not a `DownloadState`.
    struct Narrow: Workflow {
        static var initial: any DownloadState { IdleState() }
        let leave = Event(from: IdleState.self, to: GasState.self)
    }

    @Test("A hook before `.or` covers the pairs of its types, and a hook after it covers all")
    func modifiersAndPairs() throws {
        let machine = StateMachine<Modified>()
        try machine.fire.toggle()
        let rejected = #expect(throws: InvalidTransition.self) { try machine.fire.toggle(userInfo: ["decline": true]) }
        #expect(rejected?.underlyingError as? Objection == Objection(text: "all"))
        try machine.fire.toggle()
        try machine.fire.toggle()
        #expect(Modified.journal.entries == ["to gas", "any", "any", "to gas", "any"])
    }

    struct Modified: Workflow {
        static let journal = CallLog()
        static var initial: any WorkflowState { FluidState() }
        let toggle = Event(from: FluidState.self, to: GasState.self)
            .willFire { (_: FluidState, _: GasState, _) in Self.journal.write("to gas") }
            .or(from: GasState.self, to: FluidState.self)
            .willFire { _, _, _ in Self.journal.write("any") }
            .guarded { _, _, transition in
                if transition.userInfo["decline", as: Bool.self] == true { throw Objection(text: "all") }
            }
    }

    final class ClassForms: Workflow {
        static var initial: any WorkflowState { FluidState() }
        let boil = Event(from: FluidState.self, to: GasState.self)
        let condense = Event(from: GasState.self, to: FluidState.self)
        var cool: Event<GasState, FluidState> { condense }
        var freeze: Event<FluidState, SolidState> { Event(from: FluidState.self, to: SolidState.self) }
        init() {}
    }

    struct ComputedForms: Workflow {
        static var initial: any WorkflowState { FluidState() }
        let boil = Event(from: FluidState.self, to: GasState.self)
        let condense = Event(from: GasState.self, to: FluidState.self)
        var cool: Event<GasState, FluidState> { condense }
        var freeze: Event<FluidState, SolidState> { Event(from: FluidState.self, to: SolidState.self) }
    }

    @Test(
        "A workflow may be a class, and a computed property an alias of an event; a made event is rejected"
    )
    func properties() throws {
        let machine = StateMachine<ClassForms>()
        try machine.fire.boil()
        #expect(machine.can.cool && machine.can.condense && !machine.can.boil && !machine.can.freeze)
        try machine.fire.cool()
        #expect(throws: InvalidTransition.self) { try machine.fire.freeze() }
        #expect(machine.state is FluidState && machine.revision == 2)

        let other = StateMachine<ComputedForms>()
        try other.fire.boil()
        #expect(other.can.cool && other.can.condense && !other.can.boil && !other.can.freeze)
        let event: KeyPath<ComputedForms, ComputedForms.Event<GasState, FluidState>> = \.cool
        try other.fire[ComputedForms.events[keyPath: event]](FluidState())
        #expect(throws: InvalidTransition.self) { try other.fire.freeze() }
        #expect(other.state is FluidState && other.revision == 2)
    }
}
