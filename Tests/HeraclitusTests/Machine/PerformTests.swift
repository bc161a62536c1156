import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

@Suite("Actions and hosts") struct PerformTests {
    @Test("A block runs in turn with the transitions of other threads, and returns its value or throws its error")
    func block() throws {
        let door = StateMachine<Door>()
        #expect(try door.perform { state in state is ClosedState })
        #expect(throws: WrongCode.self) { try door.perform { _ in throw WrongCode() } }
        #expect(door.isActive && door.revision == 0)
        let isInside = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        let performed = onThread {
            try? door.perform { _ in
                isInside.signal()
                mayGoOn.wait()
            }
        }
        #expect(isInside.comes())
        let fired = onThread { try? door.fire.open(OpenState()) }
        #expect(!fired.comes(within: 0.1))
        #expect(door.state is ClosedState)
        mayGoOn.signal()
        #expect(performed.comes() && fired.comes())
        #expect(door.state is OpenState)
    }

    @Test("A fire inside a block is decided at once, and carried out after the block")
    func inside() throws {
        let door = StateMachine<Door>()
        try door.perform { _ in
            try door.fire.open(OpenState())
            #expect(door.state is ClosedState && !door.can.open && door.can.close)
            #expect(throws: InvalidTransition.self) { try door.fire.lock(LockedState(1)) }
            try door.fire.close()
            try door.fire.open(OpenState(1))
        }
        #expect((door.state as? OpenState)?.angle == 1 && door.revision == 3)
        try door.fire.close()
        try door.perform { _ in
            try door.fire.open(OpenState(1))
            // Built from the state that it will be in.
            try door.fire.swing { open in OpenState(open.angle + 1) }
        }
        #expect((door.state as? OpenState)?.angle == 2 && door.revision == 6)
        #expect(throws: WrongCode.self) {
            try door.perform { _ in
                try door.fire.close()
                throw WrongCode()
            }
        }
        #expect(door.state is ClosedState)
    }

    @Test("A block inside a callback, and one inside a block, runs at once")
    func nested() throws {
        let journal = CallLog()
        let door = StateMachine<Door>()
        door.guarded(\.open) { _, _, _ in
            _ = try door.perform { state in
                journal.write("guard \(type(of: state).name)")
                do throws(InvalidTransition) { try door.fire.smash() } catch { journal.write("\(error.reason)") }
            }
        }
        door.didEnter(OpenState.self) { _, _ in
            try? door.perform { state in
                journal.write("hook \(type(of: state).name)")
                try door.perform { _ in journal.write("within") }
            }
        }
        try door.fire.open(OpenState())
        #expect(journal.entries == ["guard ClosedState", "transitionInProgress", "hook OpenState", "within"])
    }

    @Test("Observers are told of an action first, and then of its fires")
    func order() throws {
        let door = StateMachine<Door>()
        let journal = CallLog()
        door.observe { journal.write($0.message.components(separatedBy: ":")[0]) }
        try door.perform(action: "outer", in: ClosedState.self) { _ in
            try door.fire.open(OpenState())
            try door.perform(action: "inner", in: ClosedState.self) { _ in
                try door.fire.swing { open in OpenState(open.angle + 1) }
                try door.fire.close()
            }
            try? door.fire.close()
            try? door.perform(action: "failed", in: ClosedState.self) { _ in
                try door.fire.lock { _ in LockedState(1) }
                throw WrongCode()
            }
        }
        #expect(
            journal.entries == [
                #""outer" performed in ClosedState"#, "open", #""inner" performed in ClosedState"#, "swing", "close",
                #"Door cannot fire "close" in ClosedState"#, #"Door cannot perform "failed" in ClosedState"#, "lock",
            ]
        )
        #expect(door.state is LockedState)
    }

    @Test("A fire by an action's observer comes after the action's fires")
    func observerFires() throws {
        let door = StateMachine<Door>()
        door.observe { [unowned door] occurrence in
            guard occurrence.kind == .performed else { return }
            try? door.fire.swing { open in OpenState(open.angle + 1) }
        }
        try door.perform(action: "push", in: ClosedState.self) { _ in try door.fire.open(OpenState(1)) }
        #expect((door.state as? OpenState)?.angle == 2)
    }

    @Test("The first block activates the machine")
    func activates() throws {
        final class WokenState: WorkflowState, EmptyState, Entering {
            static let entered = Atomic(0)
            func didEnter(_ transition: StateTransition) { Self.entered.add(1, ordering: .relaxed) }
        }
        struct Waking: Workflow {
            static var initial: any WorkflowState { WokenState() }
            let again = Event(from: WokenState.self, to: WokenState.self)
        }
        let machine = StateMachine<Waking>()
        try machine.perform { _ in #expect(WokenState.entered.load(ordering: .relaxed) == 1) }
        #expect(machine.isActive)
    }

    @Test("In another state an action is refused with the state, the reason, and the events that lead there")
    func refused() throws {
        let door = StateMachine<Door>()
        let error = try #require(
            #expect(throws: InvalidTransition.self) {
                try door.perform(action: "paint", in: OpenState.self, userInfo: ["colour": "red"]) { _ in
                    Issue.record("It ran.")
                }
            }
        )
        #expect(error.reason == .notAllowed && error.workflow == "Door" && error.action == "paint")
        #expect(error.source == "ClosedState" && error.candidates == ["open"])
        #expect(error.userInfo["colour", as: String.self] == "red")
        #expect(
            error.description
                == #"Door cannot perform "paint" in ClosedState: allowed only in OpenState. Events that lead there: "open"."#
        )
        #expect(
            error.errorDescription == #"Door cannot perform "paint" in ClosedState: allowed only in OpenState."#
        )
        #expect(error.failureReason == "allowed only in OpenState.")
        #expect(error.recoverySuggestion == #"Events that lead there: "open"."#)
        try door.fire.smash()
        let never = #expect(throws: InvalidTransition.self) {
            try door.perform(action: "paint", in: OpenState.self) { _ in }
        }
        #expect(never?.description.hasSuffix("No event leads there from SmashedState.") == true)
        // The states that conform to a protocol are unknown before there are objects.
        let unknown = #expect(throws: InvalidTransition.self) {
            try door.perform(action: "paint", in: (any EmptyStateOfNobody).self) { _ in }
        }
        #expect(unknown?.candidates == [] && unknown?.recoverySuggestion == nil)
    }

    @Test("A state is entered by its name if an event leads there and the state needs no data")
    func byName() throws {
        let door = StateMachine<Door>(resumingIn: OpenState())
        try door.enter(named: "ClosedState", userInfo: ["by": "wind"])
        #expect(door.state is ClosedState)
        let reasons: [(String, InvalidTransition.Reason)] = [
            ("OpenState", .destinationNeeded), ("ClosedState", .noEvent), ("Nowhere", .unknownState),
        ]
        for (name, reason) in reasons {
            let error = #expect(throws: InvalidTransition.self) { try door.enter(named: name) }
            #expect(error?.reason == reason && error?.description.contains(name) == true)
        }
        try door.enter(named: "SmashedState")
        #expect(door.state is SmashedState && door.revision == 2)
    }

    /// A custom class with states.
    final class Gate: MachineOwner, Sendable {
        let machine = StateMachine<Door>()
        let journal = CallLog()

        /// A method with the name of an event.
        func smash() { journal.write("own smash") }

        func paint(_ colour: String) throws -> Int {
            try machine.perform(in: OpenState.self, userInfo: ["colour": colour]) { open in
                journal.write(colour)
                return open.angle
            }
        }

        func knock() throws { try machine.perform(in: ClosedState.self) { _ in journal.write("knock") } }
    }

    @Test("An owner has the events as methods; its own methods win, and fire has all events")
    func host() throws {
        let gate = Gate()
        #expect(gate.can.open && !gate.can.close && gate.machine.isIn(ClosedState.self))
        try gate.open(OpenState(5))
        #expect((gate.state as? OpenState)?.angle == 5)
        #expect(gate.stateName == "OpenState" && gate.machine.isIn(named: "OpenState"))
        try gate.close()
        try gate.lock { _ in LockedState(1) }
        try gate.unlock(userInfo: ["code": 1])
        gate.smash()
        #expect(gate.journal.entries == ["own smash"] && gate.state is ClosedState)
        try gate.fire.smash()
        #expect(gate.machine.isIn(SmashedState.self))
        let error = #expect(throws: InvalidTransition.self) { try gate.open(OpenState()) }
        #expect(error?.event == "open")
    }

    final class Draft: EmptyState {}
    final class Signed: EmptyState {}

    struct Contract: Workflow {
        static var initial: any WorkflowState { Draft() }
        let revision = Event(from: Signed.self, to: Draft.self)
        let sign = Event(from: Draft.self, to: Signed.self)
    }

    final class Folder: MachineOwner, Sendable {
        let machine = StateMachine<Contract>()
    }

    @Test("An event with the name of a machine's property stays a method of the owner")
    func eventLikeProperty() throws {
        let folder = Folder()
        try folder.sign()
        let revision: Int = folder.revision
        try folder.revision()
        #expect(revision == 1 && folder.machine.isIn(Draft.self))
    }

    @Test("An owner's guarded method runs only in its state, and gives the action its name")
    func guarded() throws {
        let gate = Gate()
        gate.machine.observe { gate.journal.write($0.message) }
        try gate.knock()
        let error = #expect(throws: InvalidTransition.self) { try gate.paint("red") }
        #expect(error?.action == "paint")
        try gate.open(OpenState(7))
        #expect(try gate.paint("blue") == 7)
        #expect(
            gate.journal.entries == [
                "knock", #""knock" performed in ClosedState"#, error?.description, "open: ClosedState → OpenState",
                "blue",
                #""paint" performed in OpenState"#,
            ]
        )
    }
}
