import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

@testable import Fixtures

@Suite("Actions of a definition") struct ActionTests {
    protocol LampState: WorkflowState {}
    protocol Lit: LampState { var watts: Int { get } }
    final class DarkState: LampState, EmptyState {}
    class ShiningState: Lit, @unchecked Sendable {
        let watts: Int
        init(watts: Int) { self.watts = watts }
    }
    final class GlowingState: ShiningState, @unchecked Sendable {}
    final class BrokenState: LampState, EmptyState {}
    struct TooBright: Error, Equatable {}

    struct Lamp: Workflow {
        static var initial: any LampState { DarkState() }
        static var states: [any WorkflowState.Type] { [GlowingState.self] }
        let light = Event(from: DarkState.self, to: ShiningState.self)
        let fade = Event(from: ShiningState.self, to: DarkState.self)
        let smash = Event(to: BrokenState.self)

        let goDark = Action(in: ShiningState.self) { shining, call in
            try call.machine.fire.fade(userInfo: call.userInfo)
            return shining.watts
        }
        let measure = Action("Measure the Light", in: StateGroup((any Lit).self) { $0 is any Lit.Type }) { lit, call in
            let factor = call.userInfo["factor", as: Int.self] ?? 1
            if factor > 100 { throw TooBright() }
            return "\(lit.watts * factor) watts"
        }
        let touch = Action(in: DarkState.self, ShiningState.self) { _, _ in }
        let shine = Action(in: DarkState.self) { _, _ in }
        let look = Action { state, _ in "\(type(of: state))" }
    }

    @Test("An action runs in its states, with its arguments, by property and by name")
    func performs() throws {
        let lamp = StateMachine<Lamp>()
        #expect(lamp.allowedActions == ["touch", "shine", "look"])
        try lamp.fire.light(GlowingState(watts: 40))
        #expect(lamp.allowedActions == ["goDark", "Measure the Light", "touch", "look"])
        let text = try lamp.perform(\.measure, userInfo: ["factor": 2])
        #expect(text == "80 watts")
        let named = try lamp.perform(named: "Measure the Light", userInfo: ["factor": 3])
        #expect(named as? String == "120 watts")
        #expect(try lamp.perform(\.look) == "GlowingState")
        #expect(try lamp.perform(named: "touch") is Void)
        #expect(try lamp.perform(\.goDark, userInfo: ["why": "night"]) == 40)
        #expect(lamp.state is DarkState && lamp.revision == 2)
    }

    @Test("In another state an action is refused with the way there, and observers are told")
    func refuses() throws {
        let lamp = StateMachine<Lamp>()
        let journal = CallLog()
        lamp.observe { occurrence in
            switch occurrence.kind {
            case .performed: journal.write("performed \(occurrence.action ?? "")")
            case .refused: journal.write("refused \(occurrence.action ?? "") \(occurrence.reason ?? "")")
            case .transitioned: journal.write("\(occurrence.event ?? "")")
            default: journal.write("?")
            }
        }
        let error = #expect(throws: InvalidTransition.self) { try lamp.perform(\.goDark) }
        #expect(error?.reason == .notAllowed && error?.action == "goDark" && error?.source == "DarkState")
        #expect(error?.candidates == ["light"] && lamp.allowedActions == ["touch", "shine", "look"])
        let group = #expect(throws: InvalidTransition.self) { try lamp.perform(named: "Measure the Light") }
        #expect(group?.candidates == ["light"] && group?.failureReason == "allowed only in Lit.")
        let levels = CallLog()
        let log = lamp.observe { levels.write($0.level.rawValue) }
        let quiet = StateMachine<Lamp>()
        #expect(throws: InvalidTransition.self) { try quiet.perform(named: "shnie") }
        #expect(quiet.isActive, "any call that may change a machine activates it")
        let unknown = #expect(throws: InvalidTransition.self) { try lamp.perform(named: "shnie") }
        #expect(unknown?.reason == .unknownAction && unknown?.candidates.first == "shine")
        #expect(unknown?.candidates.count == 5)
        log.cancel()
        #expect(levels.entries == ["error"])
        #expect(
            unknown?.description.hasPrefix("Lamp cannot perform \"shnie\" in DarkState: the workflow lists no such")
                == true
        )
        try lamp.fire.light(ShiningState(watts: 1))
        #expect(throws: TooBright()) { try lamp.perform(\.measure, userInfo: ["factor": 101]) }
        try lamp.perform(\.goDark)
        #expect(
            journal.entries == [
                "refused goDark notAllowed", "refused Measure the Light notAllowed", "refused shnie unknownAction",
                "light", "refused Measure the Light actionFailed", "performed goDark", "fade",
            ]
        )
    }

    final class Room: MachineOwner, Sendable {
        let machine = StateMachine<Lamp>()
        func shine(watts: Int) throws -> Int {
            try machine.perform(\.shine) { (dark: DarkState) in
                try machine.fire.light(ShiningState(watts: watts))
                return watts
            }
        }
    }

    @Test("The definition limits an action to its states, and a method of the machine's owner does its work")
    func owner() throws {
        let room = Room()
        #expect(try room.shine(watts: 7) == 7)
        #expect((room.state as? ShiningState)?.watts == 7)
        #expect(throws: InvalidTransition.self) { _ = try room.shine(watts: 8) }
        #expect(try room.machine.perform(\.look) == "ShiningState")
        #expect(room.machine.revision == 1)
    }

    @Test("Tables and diagrams have actions, and old tables have none")
    func table() throws {
        let table = Lamp.table
        #expect(table.actions.map(\.name) == ["goDark", "Measure the Light", "touch", "shine", "look"])
        #expect(table.actions[0].states == ["ShiningState", "GlowingState"])
        #expect(table.actions[4].states == table.states)
        #expect(table.groups.map(\.name) == ["Lit"])
        #expect(table.diagram(.mermaid).contains("    s0 : shine#40;#41;\n"))
        #expect(
            table.diagram(.dot).contains(#"<tr><td>BrokenState</td></tr><hr/><tr><td align="left">look()</td></tr>"#)
        )
        let data = try JSONEncoder().encode(table)
        #expect(try JSONDecoder().decode(TransitionTable.self, from: data) == table)
        var json = try JSONDecoder().decode(JSONValue.self, from: data)
        json["actions"] = nil
        #expect(try JSONDecoder().decode(TransitionTable.self, from: JSONEncoder().encode(json)).actions.isEmpty)
    }

    final class StrangeState: LampState, EmptyState {}
    struct Wrong: Workflow {
        static var initial: any LampState { DarkState() }
        static let shared = Action(in: DarkState.self) { _, _ in }
        let go = Event(from: DarkState.self, to: ShiningState.self)
        let blank = Action(" ", in: DarkState.self) { _, _ in }
        let one = Action("same", in: DarkState.self) { _, _ in }
        let two = Action("same", in: ShiningState.self) { _, _ in }
        let nowhere = Action(in: StrangeState.self) { _, _ in }
        let first = shared
        let second = shared
        let hidden: Action<DarkState, Void>? = Action(in: DarkState.self) { _, _ in }
        let foreign = Lamp.events.shine
    }

    @Test("Invalid actions are problems")
    func problems() {
        #expect(
            Wrong.diagnostics.facts == [
                "hiddenEvent hidden", "foreignEvent foreign Lamp", "sharedEvent first second", "blankActionName blank",
                "duplicateActionName same one two", "emptyAction nowhere",
            ]
        )
        let texts = Wrong.diagnostics.map(\.description)
        #expect(texts[3] == "The name of the action `blank` is blank. Give it a name.")
        #expect(texts[4] == "Several actions have the name \"same\": one, two. Give each its own name.")
        #expect(texts[5].hasPrefix("The action \"nowhere\" is allowed in no state of the workflow."))
        #expect(Lamp.diagnostics.isEmpty)
    }

    final class BootState: EmptyState, Entering {
        func didEnter(_ transition: StateTransition) { try? transition.machine(as: Boot.self)?.fire.ready() }
    }
    final class ReadyState: EmptyState {}

    struct Boot: Workflow {
        static var initial: any WorkflowState { BootState() }
        let ready = Event(from: BootState.self, to: ReadyState.self)
    }

    @Test("An unknown action is refused in the state that the activation leads to")
    func unknownBeforeActivation() throws {
        let machine = StateMachine<Boot>()
        let error = #expect(throws: InvalidTransition.self) { try machine.perform(named: "typo") }
        #expect(error?.source == "ReadyState" && error?.reason == .unknownAction)
    }
}
