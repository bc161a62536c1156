import Foundation
import Heraclitus
import HeraclitusInspecting
import Testing

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
            return "\(call.name): \(lit.watts * factor)"
        }
        let touch = Action(in: DarkState.self, ShiningState.self)
        let shine = Action(in: DarkState.self)
        let look = Action { state, _ in "\(type(of: state))" }
    }

    @Test("An action is carried out where it is allowed, with its arguments, by property and by name")
    func performs() throws {
        let lamp = StateMachine<Lamp>()
        #expect(lamp.allowedActions == ["touch", "shine", "look"])
        try lamp.fire.light(GlowingState(watts: 40))
        #expect(lamp.allowedActions == ["goDark", "Measure the Light", "touch", "look"])
        let text = try lamp.perform(\.measure, userInfo: ["factor": 2])
        #expect(text == "Measure the Light: 80")
        let named = try lamp.perform(named: "Measure the Light", userInfo: ["factor": 3])
        #expect(named as? String == "Measure the Light: 120")
        #expect(try lamp.perform(\.look) == "GlowingState")
        #expect(try lamp.perform(named: "touch") is Void)
        #expect(try lamp.perform(\.goDark, userInfo: ["why": "night"]) == 40)
        #expect(lamp.state is DarkState && lamp.revision == 2)
    }

    @Test("Elsewhere it is refused with what is allowed and what leads there, and observers hear of it")
    func refuses() throws {
        let lamp = StateMachine<Lamp>()
        let journal = Journal()
        lamp.observe { occurrence in
            switch occurrence.outcome {
            case .performed(let action): journal.write("performed \(action.name)")
            case .refused(let error): journal.write("refused \(error.action ?? "") \(error.reason)")
            case .transitioned(let transition): journal.write("\(transition.event ?? "")")
            default: journal.write("?")
            }
        }
        let error = #expect(throws: InvalidAction.self) { try lamp.perform(\.goDark) }
        #expect(error?.reason == .notInState && error?.expected == "ShiningState" && error?.state == "DarkState")
        #expect(error?.leadingEvents == ["light"] && error?.allowedActions == ["touch", "shine", "look"])
        let group = #expect(throws: InvalidAction.self) { try lamp.perform(named: "Measure the Light") }
        #expect(group?.expected == "Lit" && group?.leadingEvents == ["light"])
        let levels = Journal()
        let log = lamp.log { levels.write($0.level.rawValue) }
        let quiet = StateMachine<Lamp>()
        #expect(throws: InvalidAction.self) { try quiet.perform(named: "shnie") }
        #expect(quiet.isActive, "any call that may change a machine activates it")
        let unknown = #expect(throws: InvalidAction.self) { try lamp.perform(named: "shnie") }
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
                "refused goDark notInState", "refused Measure the Light notInState", "refused shnie unknownAction",
                "light", "refused Measure the Light failed", "performed goDark", "fade",
            ]
        )
    }

    final class Room: Stateful, Sendable {
        let machine = StateMachine<Lamp>()
        func shine(watts: Int) throws -> Int {
            try perform(\.shine) { (dark: DarkState) in
                try fire.light(ShiningState(watts: watts))
                return watts
            }
        }
    }

    @Test("The definition says where, and a method of the machine's owner what")
    func owner() throws {
        let room = Room()
        #expect(try room.shine(watts: 7) == 7)
        #expect((room.state as? ShiningState)?.watts == 7)
        #expect(throws: InvalidAction.self) { _ = try room.shine(watts: 8) }
        #expect(try room.perform(\.look) == "ShiningState")
        #expect(room.machine.revision == 1)
    }

    @Test("Table, diagrams and old tables")
    func table() throws {
        let table = Lamp.table
        #expect(table.actions.map(\.name) == ["goDark", "Measure the Light", "touch", "shine", "look"])
        #expect(table.actions[0].states == ["ShiningState", "GlowingState"])
        #expect(table.actions[4].states == table.states)
        #expect(table.groups.map(\.name) == ["Lit"])
        #expect(table.mermaid().contains("    s0 : shine#40;#41;\n"))
        #expect(table.dot().contains(#"<tr><td>BrokenState</td></tr><hr/><tr><td align="left">look()</td></tr>"#))
        let data = try JSONEncoder().encode(table)
        #expect(try JSONDecoder().decode(TransitionTable.self, from: data) == table)
        var json = try JSONDecoder().decode(JSONValue.self, from: data)
        json["actions"] = nil
        #expect(try JSONDecoder().decode(TransitionTable.self, from: JSONEncoder().encode(json)).actions.isEmpty)
    }

    final class StrangeState: LampState, EmptyState {}
    struct Wrong: Workflow {
        static var initial: any LampState { DarkState() }
        static let shared = Action(in: DarkState.self)
        let go = Event(from: DarkState.self, to: ShiningState.self)
        let blank = Action(" ", in: DarkState.self)
        let one = Action("same", in: DarkState.self)
        let two = Action("same", in: ShiningState.self)
        let nowhere = Action(in: StrangeState.self)
        let first = shared
        let second = shared
        let hidden: Action<DarkState, Void>? = Action(in: DarkState.self)
        let foreign = Lamp.events.shine
    }

    @Test("Wrong actions are problems")
    func problems() {
        #expect(
            Wrong.diagnostics == [
                .hiddenEvent(property: "hidden"),
                .foreignEvent(property: "foreign", workflow: "Lamp"),
                .blankActionName(property: "blank"),
                .sharedEvent(properties: ["first", "second"]),
                .duplicateActionName("same", properties: ["one", "two"]),
                .emptyAction("nowhere"),
            ]
        )
        #expect(Lamp.diagnostics.isEmpty)
    }
}
