import Foundation
import Heraclitus
import Testing

@testable import Fixtures

// Mistakes with machines in states that stop the program.

extension CompositeTests {
    @Test("Sharing a machine between two states stops the program, with both machines' names")
    func trap() async {
        await #expect(processExitsWith: .failure) {
            let order = try Forest.busyOrder()
            _ = StateMachine<Forest.Order>(resumingIn: order.state)
        }
    }

    /// A state whose copies share its machine.
    final class SharingState: Composite {
        let lamp: StateMachine<Lamp>
        init(lamp: StateMachine<Lamp> = StateMachine()) { self.lamp = lamp }
        var regions: [any Region] { [lamp] }
        func copied() -> SharingState { SharingState(lamp: lamp) }
    }
    struct Sharing: Workflow {
        static var initial: any WorkflowState { SharingState() }
        let change = Event(updating: SharingState.self)
    }

    @Test("A copy of a state that shares a region stops the program, with the class and the method")
    func sharingCopy() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let machine = StateMachine<Sharing>()
            machine.activate()
            _ = machine.copy()
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("`copied()` of HeraclitusTests.CompositeTests.SharingState returns"))
    }

    /// A state that makes a new machine at each call.
    final class ForgettingState: Composite, EmptyState {
        var regions: [any Region] { [StateMachine<Lamp>()] }
        func copied() -> ForgettingState { ForgettingState() }
    }
    struct Forgetting: Workflow {
        static var initial: any WorkflowState { LampHolder() }
        let forget = Event(from: LampHolder.self, to: ForgettingState.self)
    }
    final class LampHolder: EmptyState {}

    @Test(
        "A state that lists other machines at each call stops the program, as the first state and later",
        arguments: [true, false]
    )
    func forgetting(isFirst: Bool) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [isFirst] in
            if isFirst {
                _ = StateMachine<Forgetting>(resumingIn: ForgettingState())
            } else {
                try StateMachine<Forgetting>().fire.forget()
            }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("ForgettingState of Forgetting lists other machines in `regions` each time it is asked"))
    }

    /// A state that omits a machine in `regions`.
    class UnlistedState: Composite, @unchecked Sendable {
        let lamp: StateMachine<Lamp>
        let others: [StateMachine<Lamp>]
        required init() { (lamp, others) = (StateMachine(), [StateMachine()]) }
        var regions: [any Region] { [lamp] }
        func copied() -> Self { Self() }
    }
    final class EmptyUnlistedState: UnlistedState, EmptyState, @unchecked Sendable {}
    final class ForgottenLampState: EmptyState {
        let lamp: StateMachine<Lamp>?
        init() { lamp = nil }
    }
    struct Unlisted: Workflow {
        static var initial: any WorkflowState { UnlistedState() }
        let begin = Event(from: UnlistedState.self, to: LampHolder.self)
    }
    struct LaterUnlisted: Workflow {
        static var initial: any WorkflowState { LampHolder() }
        let hide = Event(from: LampHolder.self, to: UnlistedState.self)
        let hideAll = Event(from: LampHolder.self, to: EmptyUnlistedState.self)
        let forget = Event(from: LampHolder.self, to: ForgottenLampState.self)
    }
    struct Forgotten: Workflow {
        static var initial: any WorkflowState { ForgottenLampState() }
        let hold = Event(from: ForgottenLampState.self, to: LampHolder.self)
    }

    private static let place = "HeraclitusTests.CompositeTests"

    @Test("The diagnostics find omitted and shared machines, in initial and in empty states")
    func heldMachines() throws {
        let shared = "uncopiableMachine \(Self.place).ForgottenLampState lamp"
        #expect(Unlisted.diagnostics.facts == ["unlistedRegion \(Self.place).UnlistedState others.[]"])
        #expect(Forgotten.diagnostics.facts == [shared])
        let unlisted = "unlistedRegion \(Self.place).EmptyUnlistedState others.[]"
        #expect(LaterUnlisted.diagnostics.facts == [unlisted, shared])
        #expect(LaterUnlisted.diagnostics.map(\.stopsTheProgram) == [false, true])
        try StateMachine<LaterUnlisted>().fire.hide(UnlistedState())
    }

    @Test("A machine that would be shared stops the program at the first object of the class")
    func firstHolder() async throws {
        let used = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Forgotten.table
        }
        let fired = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try StateMachine<LaterUnlisted>().fire.forget()
        }
        let restored = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let archive = try JSONEncoder().encode(StateArchive<LaterUnlisted>(LampHolder()))
            let text = String(decoding: archive, as: UTF8.self).replacing("LampHolder", with: "ForgottenLampState")
            _ = try JSONValue(json: Data(text.utf8)).decoded(as: StateArchive<LaterUnlisted>.self)
        }
        for result in [used, fired, restored] {
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains("ForgottenLampState holds a state machine in `lamp` without being Copying"))
        }
    }

    /// A type that declares to be a machine in a state, and is not a machine.
    final class WrappedLamp: Region {
        let lamp = StateMachine<Lamp>()
    }
    final class WrappingState: Composite {
        let wrapped = WrappedLamp()
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
        var regions: [any Region] { [wrapped] }
        func copied() -> WrappingState { WrappingState() }
    }
    struct Wrapping: Workflow {
        static var initial: any WorkflowState { WrappingState() }
        let change = Event(updating: WrappingState.self)
    }

    @Test("A state that lists a region other than a machine stops the program")
    func noMachine() async {
        await #expect(processExitsWith: .failure) { StateMachine<Wrapping>().activate() }
    }

    /// A state that omits in `regions` a machine for whose end an event waits.
    final class AwaitingState: Composite {
        let lamp: StateMachine<Lamp>
        init(lamp: StateMachine<Lamp> = StateMachine()) { self.lamp = lamp }
        var regions: [any Region] { [] }
        func copied() -> AwaitingState { AwaitingState(lamp: lamp.copy()) }
    }
    struct Awaiting: Workflow {
        static var initial: any WorkflowState { AwaitingState() }
        let end = Event(from: AwaitingState.self, to: LampHolder.self).whenFinal(\.lamp)
    }

    @Test("The diagnostics find wrong lists of machines, which stop the program")
    func wrongLists() {
        let problems = Forgetting.diagnostics + Wrapping.diagnostics + Awaiting.diagnostics
        let facts = [
            "changingRegions \(Self.place).ForgettingState",
            "regionIsNoMachine \(Self.place).WrappingState \(Self.place).WrappedLamp",
            "unlistedCompletion \(Self.place).AwaitingState end",
        ]
        #expect(problems.facts == facts && problems.allSatisfy(\.stopsTheProgram))
    }
}
