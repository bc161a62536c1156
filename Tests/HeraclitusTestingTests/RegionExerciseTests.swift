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
                "payment.refuse: OpenState → OpenState: declined: Objection(text: \"no\")",
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
        #expect(
            failure?.code.contains("try payment.fire(named: \"receive\", entering: samples[0](payment.state))") == true
        )
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
}
