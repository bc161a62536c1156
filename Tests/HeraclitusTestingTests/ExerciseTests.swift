import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Exercising workflows") struct ExerciseTests {
    // MARK: A valid workflow, whose faults are switched on by its type

    protocol Fault: Sendable {
        /// Whether a restored cancelled order is wrong after it was placed.
        static var isStale: Bool { get }
        static var isForgetful: Bool { get }
        static var isHasty: Bool { get }
        static var isUnwritable: Bool { get }
    }
    enum NoFault: Fault {}
    enum Stale: Fault { static var isStale: Bool { true } }
    enum Forgetful: Fault { static var isForgetful: Bool { true } }
    enum Hasty: Fault { static var isHasty: Bool { true } }
    enum Unwritable: Fault { static var isUnwritable: Bool { true } }

    final class CartState<F: Fault>: WorkflowState {
        static var name: String { "cart" }
        let count: Int
        init(count: Int) { self.count = count }
    }
    final class PlacedState<F: Fault>: WorkflowState {
        static var name: String { "placed" }
        let count: Int
        init(count: Int) { self.count = count }
    }
    final class PaidState<F: Fault>: WorkflowState, Entering {
        static var name: String { "paid" }
        let count: Int
        let receipt: String?
        init(count: Int, receipt: String) {
            self.count = count
            self.receipt = receipt
        }

        private enum CodingKeys: CodingKey {
            case count
            case receipt
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            count = try container.decode(Int.self, forKey: .count)
            receipt = F.isForgetful ? nil : try container.decodeIfPresent(String.self, forKey: .receipt)
        }

        func encode(to encoder: any Encoder) throws {
            if F.isUnwritable { throw Refusal() }
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(count, forKey: .count)
            try container.encodeIfPresent(receipt, forKey: .receipt)
        }

        func didEnter(_ transition: StateTransition) {
            if F.isHasty { try? transition.machine(as: Order<F>.self)?.fire.close() }
        }
    }
    final class CancelledState<F: Fault>: WorkflowState {
        static var name: String { "cancelled" }
        let wasPlaced: Bool
        init(wasPlaced: Bool) { self.wasPlaced = wasPlaced }
    }
    final class ClosedState: WorkflowState, EmptyState { static var name: String { "closed" } }

    struct Order<F: Fault>: Workflow {
        static var name: String { "Order" }
        static var initial: any WorkflowState { CartState<F>(count: 0) }
        let change = Event(updating: CartState<F>.self)
        let place = Event(from: CartState<F>.self, to: PlacedState<F>.self)
            .guarded { cart, _, _ in if cart.count < 1 { throw Refusal() } }
        let pay = Event(from: PlacedState<F>.self, to: PaidState<F>.self)
        let cancel = Event(from: CartState<F>.self, PlacedState<F>.self, PaidState<F>.self, to: CancelledState<F>.self)
        let reopen = Event(from: CancelledState<F>.self, to: CartState<F>.self)
        let close = Event("close it", from: PaidState<F>.self, to: ClosedState.self)
    }

    struct Refusal: Error, Equatable {}

    private func samples<F: Fault>(_: F.Type) -> [Sample<Order<F>>] {
        [
            .event(\.change) { cart in CartState(count: cart.count + 1) },
            .event(\.reopen) { cancelled in CartState(count: cancelled.wasPlaced && F.isStale ? -1 : 1) },
            .state { (cart: CartState<F>) in PlacedState<F>(count: cart.count) },
            .state { (placed: PlacedState<F>) in PaidState<F>(count: placed.count, receipt: "r") },
            .state { (left: any WorkflowState) in CancelledState<F>(wasPlaced: left is PlacedState<F>) },
        ]
    }

    private func isCounted<F: Fault>(_ machine: StateMachine<Order<F>>) -> Bool {
        (machine.state as? CartState<F>).map { $0.count >= 0 } ?? true
    }

    private func failing<F: Fault>(
        _ fault: F.Type,
        covering coverage: PathCoverage = .transitionPairs,
        restarting: Bool = true
    ) -> ExerciseFailure? {
        #expect(throws: ExerciseFailure.self) {
            try exercise(
                Order<F>.self,
                samples: samples(F.self),
                covering: coverage,
                restartingAtEveryStep: restarting,
                invariants: ["a count is not negative": { isCounted($0) }]
            )
        }
    }

    // MARK: No fault

    @Test(
        "A valid workflow passes, restarted at every step",
        arguments: [
            PathCoverage.transitions, .transitionPairs, .randomWalks(10, length: 30, seed: 1),
        ]
    )
    func fine(_ coverage: PathCoverage) throws {
        let asked = Lock(0)
        let report = try exercise(
            Order<NoFault>.self,
            samples: samples(NoFault.self),
            covering: coverage,
            invariants: [
                "a count is not negative": {
                    asked.withLock { $0 += 1 }
                    return isCounted($0)
                }
            ]
        )
        #expect(report.untried == [], "\(report)")
        #expect(report.restarts == report.steps + report.machines && report.steps >= 8)
        #expect(asked.withLock { $0 } == 2 * report.restarts)
        let unbroken = try exercise(
            Order<NoFault>.self,
            samples: samples(NoFault.self),
            covering: coverage,
            restartingAtEveryStep: false
        )
        #expect(unbroken.restarts == 0 && unbroken.steps > 0)
    }

    // MARK: Faults

    @Test("A state that loses data in an archive is found if machines are restarted")
    func forgetful() throws {
        let failure = try #require(failing(Forgetful.self))
        guard case .lostInArchive(let lost) = failure.problem else { throw failure }
        #expect(lost.state == "paid" && lost.properties.count == 1)
        #expect(
            failure.code == """
                let machine = StateMachine<ExerciseTests.Order<ExerciseTests.Forgetful>>()
                try machine.fire.change(samples[0](machine.state))
                try machine.fire.place(samples[2](machine.state))
                try machine.fire.pay(samples[3](machine.state))
                try expectArchives(machine.state)
                """
        )
        #expect(failure.path?.description == "cart –change↻ –place→ placed –pay→ paid")
        #expect(failure.description.contains("receipt"))
        #expect(throws: Never.self) {
            try exercise(Order<Forgetful>.self, samples: samples(Forgetful.self), restartingAtEveryStep: false)
        }
    }

    @Test("The printed code shows the fault")
    func pasted() throws {
        let samples = samples(Forgetful.self)
        let machine = StateMachine<Order<Forgetful>>()
        try machine.fire.change(samples[0](machine.state))
        try machine.fire.place(samples[2](machine.state))
        try machine.fire.pay(samples[3](machine.state))
        #expect(throws: LostInArchive.self) { try expectArchives(machine.state) }
        #expect(throws: UnsuitableSample.self) { let _: CartState<Forgetful> = try samples[3](machine.state) }
    }

    @Test("The printed code excepts what the exercise excepts")
    func excepted() {
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(Order<Forgetful>.self, samples: samples(Forgetful.self), except: ["stamp", "cache"])
        }
        #expect(failure?.code.hasSuffix(#"try expectArchives(machine.state, except: ["cache", "stamp"])"#) == true)
    }

    @Test("A hook that fires is found, unless its event is listed")
    func hasty() throws {
        let failure = try #require(failing(Hasty.self))
        guard case .strayed("close it", "closed") = failure.problem else { throw failure }
        #expect(failure.path?.steps.map(\.event) == ["change", "place", "pay"])
        #expect(failure.code.hasSuffix("\n#expect(machine.stateName == \"paid\")"))
        let report = try exercise(Order<Hasty>.self, samples: samples(Hasty.self), firedByHooks: ["close it"])
        #expect(
            Set(report.untried.map(\.description)) == [
                "cancel: paid → cancelled: no machine fired it in paid",
                "close it: paid → closed: no machine fired it in paid",
            ]
        )
    }

    @Test(
        "An invariant that breaks only after two certain transitions is found, with a path that no cut shortens",
        arguments: [PathCoverage.transitionPairs, .randomWalks(20, length: 200, seed: 4)],
        [true, false]
    )
    func stale(_ coverage: PathCoverage, _ isRestarting: Bool) throws {
        let failure = try #require(failing(Stale.self, covering: coverage, restarting: isRestarting))
        guard case .brokenInvariant("a count is not negative") = failure.problem else { throw failure }
        // Both beginnings fill the cart, without which it cannot be placed.
        let change = "change(samples[0](machine.state))"
        let reopening = "cancel(samples[4](machine.state))\ntry machine.fire.reopen(samples[1](machine.state))"
        let codes = [change, reopening].map { beginning in
            """
            let machine = StateMachine<ExerciseTests.Order<ExerciseTests.Stale>>()
            try machine.fire.\(beginning)
            try machine.fire.place(samples[2](machine.state))
            try machine.fire.cancel(samples[4](machine.state))
            try machine.fire.reopen(samples[1](machine.state))
            // a count is not negative
            """
        }
        #expect(codes.contains(failure.code))
    }

    @Test("A machine that cannot be archived is found")
    func unwritable() throws {
        let failure = try #require(failing(Unwritable.self))
        guard case .notArchived(ArchiveError.unwritableState("paid", _)) = failure.problem else { throw failure }
        #expect(failure.code.hasSuffix("machine = try StateMachine(archive: machine.archive())\nmachine.activate()"))
        #expect(failure.code.hasPrefix("var machine = "))
    }

    @Test("An invariant that throws is a failed check")
    func throwing() throws {
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(
                Order<NoFault>.self,
                samples: samples(NoFault.self),
                invariants: [
                    "fine": { _ in true },
                    "asked": { if $0.isIn(PlacedState<NoFault>.self) { throw Refusal() } else { true } },
                ]
            )
        }
        guard case .failedInvariant("asked", let error) = failure?.problem else {
            throw failure ?? Refusal() as any Error
        }
        #expect(error is Refusal && failure?.path?.steps.map(\.event) == ["change", "place"])
    }

    @Test("A restart that a fault needs stays on the path, and others are dropped")
    func restarts() throws {
        let failure = #expect(throws: ExerciseFailure.self) {
            // A restored machine has no previous state.
            try exercise(
                Order<NoFault>.self,
                samples: samples(NoFault.self),
                invariants: [
                    "what was left is known": { !$0.isIn(PlacedState<NoFault>.self) || $0.previousState != nil }
                ]
            )
        }
        #expect(
            failure?.code == """
                var machine = StateMachine<ExerciseTests.Order<ExerciseTests.NoFault>>()
                try machine.fire.change(samples[0](machine.state))
                try machine.fire.place(samples[2](machine.state))
                machine = try StateMachine(archive: machine.archive())
                machine.activate()
                // what was left is known
                """
        )
    }

    // MARK: Declined paths

    struct Guarded: Workflow {
        static var initial: any WorkflowState { AState() }
        static var states: [any WorkflowState.Type] { [EState.self] }
        let never = Event(from: AState.self, to: BState.self).guarded { _, _, _ in throw Refusal() }
        let around = Event(from: AState.self, to: CState.self)
        let on = Event(from: CState.self, to: BState.self)
        let back = Event(from: BState.self, to: AState.self)
        let end = Event("the end", from: [BState.self, EState.self], to: [DState.self, AState.self])
        let nowhere = Event(from: DState.self, to: AState.self).guarded { _, _, _ in throw Refusal() }
        let lost = Event(from: FState.self, to: AState.self)
    }
    final class AState: WorkflowState, EmptyState {}
    final class BState: WorkflowState, EmptyState {}
    final class CState: WorkflowState, EmptyState {}
    final class DState: WorkflowState, EmptyState {}
    final class EState: WorkflowState {
        let number: Int
        init(_ number: Int) { self.number = number }
    }
    final class FState: WorkflowState, EmptyState {}

    @Test("A declined transition is replaced by another path, and the report lists it")
    func declined() throws {
        let report = try exercise(Guarded.self, samples: [.state(EState(1))], covering: .transitions)
        #expect(
            report.untried.map(\.description) == [
                "never: AState → BState: declined: Refusal()", "nowhere: DState → AState: declined: Refusal()",
                "lost: FState → AState: no machine fired it in FState",
            ]
        )
        #expect(report.description.contains("never carried out:\n  never: AState → BState"))
    }

    @Test("Missing samples are named before the exercise begins")
    func missing() throws {
        let failure = #expect(throws: ExerciseFailure.self) { try exercise(Guarded.self) }
        guard case .missingSamples(["EState"]) = failure?.problem else { throw failure ?? Refusal() as any Error }
        #expect(failure?.description.contains("EState") == true)
    }

    @Test("A machine may begin in another state, and events without a property's name are fired by name")
    func beginnings() throws {
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(
                Guarded.self,
                samples: [.state(EState(1))],
                invariants: ["no end": { !($0.isIn(DState.self) && $0.previousState is EState) }]
            )
        }
        #expect(
            failure?.code == """
                let machine = try StateMachine<ExerciseTests.Guarded>(entering: samples[0]())
                try machine.fire.end(ExerciseTests.DState())
                // no end
                """
        )
        // The printed code also compiles and works.
        let samples: [Sample<Guarded>] = [.state(EState(1))]
        let machine = try StateMachine<Guarded>(entering: samples[0]())
        try machine.fire.end(DState())
        #expect(machine.isIn(DState.self) && machine.previousState is EState)
    }

    @Test("A machine begins with the first sample that needs no source, also in the printed code")
    func beginningSample() throws {
        let samples: [Sample<Guarded>] = [
            .state { (_: BState) in EState(0) }, .state(try refusing()), .state(EState(2)), .state(EState(3)),
        ]
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(
                Guarded.self,
                samples: samples,
                invariants: ["not two": { ($0.state as? EState)?.number != 2 }]
            )
        }
        #expect(
            failure?.code == """
                let machine = try StateMachine<ExerciseTests.Guarded>(entering: samples[2]())
                machine.activate()
                // not two
                """
        )
        let machine = try StateMachine<Guarded>(entering: samples[2]())
        machine.activate()
        #expect((machine.state as? EState)?.number == 2)
    }

    private func refusing() throws -> EState { throw Refusal() }

    class WideState: WorkflowState, @unchecked Sendable {
        class var name: String { "Wide" }
        init() {}
    }
    final class NarrowState: WideState, @unchecked Sendable {}
    struct Wide: Workflow {
        static var initial: any WorkflowState { AState() }
        let widen = Event(from: AState.self, to: WideState.self)
    }

    @Test("A machine that rejects a transition of its table is found")
    func rejected() throws {
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(Wide.self, samples: [.state(NarrowState() as WideState)])
        }
        guard case .rejected(let error) = failure?.problem else { throw failure ?? Refusal() as any Error }
        #expect(error.reason == .unregisteredState && failure?.path?.steps.count == 1)
    }

    // MARK: Context

    final class Bell: Sendable {
        let count = Lock(0)
    }
    final class RingingState: WorkflowState, EmptyState {}
    struct Ringing: Workflow {
        typealias Context = Bell
        static var initial: any WorkflowState { AState() }
        let ring = Event(from: AState.self, to: RingingState.self)
            .didFire { _, _, transition in transition.context(as: Ringing.self).count.withLock { $0 += 1 } }
    }

    @Test("Machines get the context, also restored ones and those of the printed code")
    func context() throws {
        let bell = Bell()
        let report = try exercise(Ringing.self, context: bell)
        #expect(report.steps == 1 && report.machines == 1 && report.restarts == 2)
        #expect(bell.count.withLock { $0 } == 1)
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(Ringing.self, context: bell, invariants: ["silence": { !$0.isIn(RingingState.self) }])
        }
        #expect(
            failure?.code == """
                let machine = StateMachine<ExerciseTests.Ringing>(context: context)
                try machine.fire.ring()
                // silence
                """
        )
    }

    @Test("An exercise without the context that the workflow needs fails")
    func missingContext() {
        let failure = #expect(throws: ExerciseFailure.self) { try exercise(Ringing.self) }
        #expect(failure?.description == "Ringing: The workflow needs a context: pass `context:`.")
    }

    // MARK: Work

    final class BusyState: EmptyState, Working {
        func work(_ call: WorkCall<Hurry>) async throws {
            call.context.write("work")
            try call.fire.finish()
        }
    }
    final class HallState: Composite {
        let hurry: StateMachine<Hurry>
        init(_ hurry: StateMachine<Hurry>) { self.hurry = hurry }
        var regions: [any Region] { [hurry] }
        func copied() -> HallState { HallState(hurry.copy()) }
    }
    struct Hurry: Workflow {
        typealias Context = CallLog
        static var initial: any WorkflowState { BusyState() }
        let finish = Event(from: BusyState.self, to: AState.self)
        let again = Event(from: AState.self, to: BusyState.self)
    }
    struct Hall: Workflow {
        typealias Context = CallLog
        static var initial: any WorkflowState { AState() }
        let enter = Event(from: AState.self, to: HallState.self)
        let leave = Event(from: HallState.self, to: AState.self)
    }

    @Test("The work of states stays off, because it would fire at any time")
    func work() async throws {
        let journal = CallLog()
        // Each state leaves time and a thread for work to begin.
        try await onOwnThread {
            let report = try exercise(
                Hurry.self,
                context: journal,
                invariants: [
                    "time passes": { _ in
                        Thread.sleep(forTimeInterval: 0.02)
                        return true
                    }
                ]
            )
            #expect(report.untried == [])
        }
        let samples: [Sample<Hall>] = [.state { (_: AState) in HallState(StateMachine(context: journal)) }]
        #expect(try exercise(Hall.self, context: journal, samples: samples).untried == [])
        // Leaves time for work that would begin.
        try await Task.sleep(for: .milliseconds(50))
        #expect(journal.entries == [])
    }
}

extension ExerciseTests.Fault {
    static var isStale: Bool { false }
    static var isForgetful: Bool { false }
    static var isHasty: Bool { false }
    static var isUnwritable: Bool { false }
}
