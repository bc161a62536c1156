import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Exercising machines in states") struct RegionExerciseTests {
    final class OpenState: EmptyState {}
    final class PartState: WorkflowState {
        let cents: Int
        let note: String?
        init(cents: Int, note: String? = nil) {
            self.cents = cents
            self.note = note
        }
        private enum CodingKeys: CodingKey { case cents, note }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            cents = try container.decode(Int.self, forKey: .cents)
            note = nil
        }
    }
    final class AllState: EmptyState {}
    struct Payment: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let receive = Event(from: OpenState.self, to: PartState.self)
        let complete = Event(from: PartState.self, to: AllState.self)
        let refuse = Event(from: OpenState.self, to: OpenState.self).guarded { _, _, _ in throw Objection() }
    }

    final class CartState: EmptyState {}
    final class PlacedState: Composite {
        let payment: StateMachine<Payment>
        init(_ payment: StateMachine<Payment> = StateMachine()) { self.payment = payment }
        var regions: [any Region] { [payment] }
        func copied() -> PlacedState { PlacedState(payment.copy()) }
    }
    final class PaidState: EmptyState {}
    struct Order: Workflow {
        static var initial: any WorkflowState { CartState() }
        let place = Event(from: CartState.self, to: PlacedState.self).enters { _ in PlacedState() }
        let pay = Event(from: PlacedState.self, to: PaidState.self).whenFinal(\.payment)
    }

    @Test("Inner machines go through their own transitions, and the report lists the untried ones")
    func covered() throws {
        let report = try exercise(Order.self, samples: [.state(PartState(cents: 1))])
        #expect(report.untried.isEmpty)
        #expect(report.untriedInRegions.map(\.event) == ["payment.refuse"])
        let bare = try exercise(Order.self)
        #expect(
            bare.untriedInRegions.map(\.description) == [
                "payment.receive: OpenState → PartState: no sample makes PartState",
                "payment.complete: PartState → AllState: no machine fired it in PartState",
                "payment.refuse: OpenState → OpenState: declined: Objection(text: \"no\")",
            ]
        )
    }

    final class PaidPartState: Composite {
        let payment: StateMachine<Payment>
        init(_ payment: StateMachine<Payment>) { self.payment = payment }
        var regions: [any Region] { [payment] }
        func copied() -> PaidPartState { PaidPartState(payment.copy()) }
    }
    struct Instalments: Workflow {
        static var initial: any WorkflowState { PlacedState() }
        let deliver = Event(from: PlacedState.self, to: PaidPartState.self).enters { _ in
            let payment = StateMachine<Payment>()
            try payment.fire.receive(PartState(cents: 2))
            return PaidPartState(payment)
        }
    }

    @Test("A transition of an inner machine counts as carried out if it was carried out in any state")
    func inAnyState() throws {
        let report = try exercise(Instalments.self, samples: [.state(PartState(cents: 1))])
        #expect(report.untried.isEmpty)
        // A delivered order has left the payment's first state.
        #expect(
            report.untriedInRegions.map(\.description) == [
                "payment.refuse: OpenState → OpenState: declined: Objection(text: \"no\")"
            ]
        )
    }

    @Test("Data lost by an inner machine's state in an archive is a failure, with the path")
    func lost() throws {
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(Order.self, samples: [.state(PartState(cents: 1, note: "half"))])
        }
        let text = failure.map { "\($0.problem)" } ?? ""
        #expect(text.contains("PlacedState loses in an archive: payment.state.note"))
        #expect(failure?.path?.description == "CartState –place→ PlacedState")
        #expect(
            failure?.code.contains("try region.fire[named: \"receive\"](samples[0](region.state))") == true
        )
    }

    @Test("The report counts each machine that was started or restored")
    func counts() throws {
        var machines: [StateMachine<Order>] = []
        let report = try exercise(
            Order.self,
            samples: [.state(PartState(cents: 1))],
            invariants: [
                "machines are collected": { machine in
                    if machines.last !== machine { machines.append(machine) }
                    return true
                }
            ]
        )
        #expect(report.machines + report.restarts == machines.count)
    }

    // MARK: Workflows within themselves

    final class LeafState: EmptyState {}
    final class BranchState: Composite {
        let branch: StateMachine<Tree>
        init(_ branch: StateMachine<Tree> = StateMachine()) { self.branch = branch }
        var regions: [any Region] { [branch] }
        func copied() -> BranchState { BranchState(branch.copy()) }
    }
    struct Tree: Workflow {
        static var initial: any WorkflowState { LeafState() }
        let grow = Event(from: LeafState.self, to: BranchState.self).enters { _ in BranchState() }
        let cut = Event(from: BranchState.self, to: LeafState.self)
    }

    @Test("The exercise of a workflow within itself ends", .timeLimit(.minutes(20)))
    func recursive() throws {
        let report = try exercise(Tree.self)
        #expect(report.untried.isEmpty && report.untriedInRegions.isEmpty, "\(report)")
    }

    // MARK: Classes of one name

    enum Shop {
        final class ClosedState: WorkflowState {
            let reason: String
            init(_ reason: String) { self.reason = reason }
        }
    }
    enum Till {
        final class ClosedState: WorkflowState {
            let cents: Int
            init(cents: Int) { self.cents = cents }
        }
    }
    struct TillDay: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let close = Event(from: OpenState.self, to: Till.ClosedState.self)
    }
    final class SellingState: Composite {
        let till: StateMachine<TillDay>
        init(_ till: StateMachine<TillDay> = StateMachine()) { self.till = till }
        var regions: [any Region] { [till] }
        func copied() -> SellingState { SellingState(till.copy()) }
    }
    struct ShopDay: Workflow {
        static var initial: any WorkflowState { SellingState() }
        let close = Event(from: SellingState.self, to: Shop.ClosedState.self)
    }

    @Test("Samples of classes with one name go to the machines of their own workflows")
    func namesakes() throws {
        let samples: [Sample<ShopDay>] = [.state(Shop.ClosedState("night")), .state(Till.ClosedState(cents: 1))]
        for samples in [samples, Array(samples.reversed())] {
            let report = try exercise(ShopDay.self, samples: samples)
            #expect(report.untried.isEmpty && report.untriedInRegions.isEmpty, "\(report)")
            try inFolder { try expectCompatible(ShopDay.self, samples: samples, in: $0, recording: true) }
        }
    }

    // MARK: Printed code

    final class OffState: EmptyState {}
    final class OnState: EmptyState {}
    final class BrightState: WorkflowState {
        let level: Int
        init(level: Int) { self.level = level }
    }
    struct Lamp: Workflow {
        static var initial: any WorkflowState { OffState() }
        let switchOn = Event(from: OffState.self, to: OnState.self)
        let brighten = Event(from: OnState.self, to: BrightState.self)
    }
    final class RoomState: Composite {
        let lamps: [StateMachine<Lamp>]
        init(_ lamps: [StateMachine<Lamp>] = [StateMachine()]) { self.lamps = lamps }
        var regions: [any Region] { lamps }
        func copied() -> RoomState { RoomState(lamps.map { $0.copy() }) }
    }
    struct Room: Workflow {
        static var initial: any WorkflowState { RoomState() }
        let leave = Event(from: RoomState.self, to: OffState.self)
    }
    final class HouseState: Composite {
        let room: StateMachine<Room>
        init(_ room: StateMachine<Room> = StateMachine()) { self.room = room }
        var regions: [any Region] { [room] }
        func copied() -> HouseState { HouseState(room.copy()) }
    }
    struct House: Workflow {
        static var initial: any WorkflowState { HouseState() }
        let leave = Event(from: HouseState.self, to: OffState.self)
    }

    @Test("The report names a machine of an array by the array's property and the machine's index")
    func lampsInArray() throws {
        let report = try exercise(Room.self)
        #expect(report.untriedInRegions.map(\.event) == ["lamps[0].brighten"])
    }

    private func isBright(_ machine: StateMachine<House>) -> Bool {
        let room = (machine.state as? HouseState)?.room.state as? RoomState
        return room?.lamps[0].isIn(BrightState.self) == true
    }

    @Test("The printed code compiles, and fires machines in machines and in lists, several times")
    func pasted() throws {
        let samples: [Sample<House>] = [.state(BrightState(level: 3))]
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(House.self, samples: samples, invariants: ["no lamp is bright": { !isBright($0) }])
        }
        let machine = StateMachine<RegionExerciseTests.House>()
        machine.activate()
        do {
            let region = try #require(
                (((machine.state as? any Composite)?.regions[0] as? StateMachine<RegionExerciseTests.Room>)?.state
                    as? any Composite)?.regions[0] as? StateMachine<RegionExerciseTests.Lamp>
            )
            try region.fire[named: "switchOn"]()
        }
        do {
            let region = try #require(
                (((machine.state as? any Composite)?.regions[0] as? StateMachine<RegionExerciseTests.Room>)?.state
                    as? any Composite)?.regions[0] as? StateMachine<RegionExerciseTests.Lamp>
            )
            try region.fire[named: "brighten"](samples[0](region.state))
        }
        // no lamp is bright
        #expect(isBright(machine))
        let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        func compact(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        let code = try #require(failure).code
        #expect(compact(source).contains(compact(code)), "\(code)")
    }

    @Test("An archive lock has the states of inner machines, and finds unreadable data there")
    func locked() throws {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(throws: ArchiveLockNotRecorded.self) {
            try expectCompatible(Order.self, samples: [.state(PartState(cents: 1))], in: folder)
        }
        try expectCompatible(Order.self, samples: [.state(PartState(cents: 1))], in: folder)
        let file = folder.appendingPathComponent("version-1.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        // The last state of the machine ends its holder's state, too.
        #expect(text.contains("PartState") && !text.contains("AllState"))
        // Data of an earlier release that this one does not read.
        try text.replacing("\"cents\"", with: "\"amount\"").write(to: file, atomically: true, encoding: .utf8)
        let error = #expect(throws: IncompatibleArchives.self) {
            try expectCompatible(Order.self, samples: [.state(PartState(cents: 1))], in: folder)
        }
        #expect(error.map { "\($0)" }?.contains("amount") == true || error.map { "\($0)" }?.contains("cents") == true)
    }

    // MARK: Choices

    final class WonState: EmptyState {}
    final class LostState: EmptyState {}
    struct Game: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let end = Event(from: OpenState.self, to: WonState.self, LostState.self)
    }
    final class TableState: Composite {
        let game: StateMachine<Game>
        init(_ game: StateMachine<Game> = StateMachine()) { self.game = game }
        var regions: [any Region] { [game] }
        func copied() -> TableState { TableState(game.copy()) }
    }
    struct Evening: Workflow {
        static var initial: any WorkflowState { TableState() }
        let leave = Event(from: TableState.self, to: OffState.self)
    }

    @Test("An inner machine's event with several empty destinations needs no samples")
    func choices() throws {
        let report = try exercise(Evening.self)
        #expect(report.untriedInRegions.isEmpty, "\(report)")
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(
                Evening.self,
                invariants: [
                    "no game is lost": { machine in
                        (machine.state as? TableState)?.game.isIn(LostState.self) != true
                    }
                ]
            )
        }
        let fire = "try region.fire[named: \"end\"](RegionExerciseTests.LostState())"
        #expect(failure?.code.contains(fire) == true)
    }

    final class OrderedState: Updatable, Composite {
        struct Values: Codable, Sendable { var payment = StateMachine<Payment>() }
        static var regionPaths: RegionPaths<Values> { RegionPaths(\.payment) }
        let values: Values
        init(_ values: Values = Values()) { self.values = values }
    }
    struct Purchase: Workflow {
        static var initial: any WorkflowState { OrderedState() }
        let pay = Event(from: OrderedState.self, to: PaidState.self).whenFinal(\.payment)
    }

    @Test("The report names the machine in the value of an Updatable state by its property")
    func updatable() throws {
        let report = try exercise(Purchase.self, samples: [.state(PartState(cents: 1))])
        #expect(report.untriedInRegions.map(\.event) == ["payment.refuse"])
    }
}
