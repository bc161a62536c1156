import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

/// A release that has saved effects, and the next release, which has renamed and changed them.
@Suite("Migrations of effects") struct EffectMigrationTests {
    struct Address: Codable, Hashable { let street: String }

    enum Old {
        final class PaidState: WorkflowState, Effecting {
            static let name = "Paid"
            let address: Address
            init(_ address: Address) { self.address = address }
            var effects: [any Effect] { [Mail(address: address, copies: 1)] }
        }

        final class OpenState: EmptyState { static let name = "Open" }

        struct Mail: Effect {
            static let name = "Mail"
            let address: Address
            let copies: Int
        }

        struct Order: Workflow {
            static let name = "Order"
            static var initial: any WorkflowState { OpenState() }
            static var effects: [any Effect.Type] { [Mail.self] }
            let pay = Event(from: OpenState.self, to: PaidState.self)
        }
    }

    struct FullAddress: Codable, Hashable {
        let street: String
        let country: String
    }

    enum New {
        final class PaidState: WorkflowState {
            static let name = "Paid"
            let address: FullAddress
            init(_ address: FullAddress) { self.address = address }
        }

        final class OpenState: EmptyState { static let name = "Open" }

        struct Letter: Effect {
            static let name = "Letter"
            let address: FullAddress
            let sheets: Int
        }

        struct Order: Workflow {
            static let name = "Order"
            static var version: Int { 3 }
            static var migrations: [Migration] {
                [
                    .effect("Mail", becomes: "Letter", in: 2),
                    .effect("Letter", in: 2) { data in
                        data["sheets"] = data["copies"]
                        data["copies"] = nil
                    },
                    .values(under: "address", in: 3) { $0["country"] = "DE" },
                ]
            }
            static var initial: any WorkflowState { OpenState() }
            static var effects: [any Effect.Type] { [Letter.self] }
            let pay = Event(from: OpenState.self, to: PaidState.self)
        }
    }

    @Test(
        "An effect of an older release reaches its handler migrated, and so does its state's data"
    )
    func delivered() async throws {
        let store = InMemoryStore()
        try await store.workflow(Old.Order.self).update("1") { try $0.fire.pay(Old.PaidState(Address(street: "Elm"))) }
        let orders = store.workflow(New.Order.self)
        let got = Lock<[New.Letter]>([])
        let report = try await orders.deliver(
            to: EffectHandlers().on(New.Letter.self) { letter, _ in got.withLock { $0.append(letter) } }
        )
        #expect(report.count == 1 && report.failures.isEmpty)
        let address = FullAddress(street: "Elm", country: "DE")
        #expect(got.withLock { $0.map(\.address) } == [address] && got.withLock { $0.map(\.sheets) } == [1])
        #expect((try await orders.machine("1")?.machine.state as? New.PaidState)?.address == address)
    }

    /// The new release after an upgrade of its stores, without its steps.
    struct Later: Workflow {
        static let name = "Order"
        static var version: Int { 3 }
        static var migrations: [Migration] { [.unchanged(in: 2), .unchanged(in: 3)] }
        static var initial: any WorkflowState { New.OpenState() }
        static var effects: [any Effect.Type] { [New.Letter.self] }
        let pay = Event(from: New.OpenState.self, to: New.PaidState.self)
    }

    @Test("An upgrade migrates waiting effects, also of an archive that is up to date", arguments: StoreTests.kinds)
    func upgraded(kind: String) async throws {
        let place = try StorePlace(kind)
        let old = place.store.workflow(Old.Order.self)
        for id in ["1", "2"] { try await old.update(id) { try $0.fire.pay(Old.PaidState(Address(street: "Elm"))) } }
        let orders = place.store.workflow(New.Order.self)
        // The archive of "2" is of the new version, and its effect of the old one.
        let paid = try #require(try await orders.machine("2"))
        try await orders.save(paid.machine, as: "2", expecting: paid.revision)
        #expect(try await orders.effects().map(\.version) == [1, 1])
        let upgrade = try await orders.upgrade()
        #expect(upgrade.count == 2 && upgrade.failures.isEmpty)
        #expect(try await orders.upgrade().count == 0)
        let later = place.store.workflow(Later.self)
        #expect(try await later.effects().map(\.version) == [3, 3])
        let letters = try await later.effects().map { try $0.effect(of: Later.knownEffects) as? New.Letter }
        #expect(letters.map { $0?.address } == Array(repeating: FullAddress(street: "Elm", country: "DE"), count: 2))
    }

    /// A release that has forgotten the step for its renamed effect, and its correction.
    enum Forgetful {
        struct Order: Workflow {
            static let name = "Order"
            static var version: Int { 2 }
            static var migrations: [Migration] { [.unchanged(in: 2)] }
            static var initial: any WorkflowState { Old.OpenState() }
            static var effects: [any Effect.Type] { [Note.self] }
            let pay = Event(from: Old.OpenState.self, to: Old.PaidState.self)
        }

        struct Corrected: Workflow {
            static let name = "Order"
            static var version: Int { 2 }
            static var migrations: [Migration] { [.effect("Mail", becomes: "Note", in: 2)] }
            static var initial: any WorkflowState { Old.OpenState() }
            static var effects: [any Effect.Type] { [Note.self] }
            let pay = Event(from: Old.OpenState.self, to: Old.PaidState.self)
        }

        struct Note: Effect {
            static let name = "Note"
            let address: Address
        }
    }

    @Test("An upgrade leaves effects of unknown types at their version, so that a corrected step applies")
    func forgottenStep() async throws {
        let store = InMemoryStore()
        try await store.workflow(Old.Order.self).update("1") { try $0.fire.pay(Old.PaidState(Address(street: "Elm"))) }
        #expect(try await store.workflow(Forgetful.Order.self).upgrade().count == 1)
        let corrected = store.workflow(Forgetful.Corrected.self)
        let report = try await corrected.deliver(to: EffectHandlers().on(Forgetful.Note.self) { _, _ in })
        #expect(report.count == 1 && report.failures.isEmpty)
    }

    @Test("A migration step for an effect, state or key that was never stored is a break of the lock")
    func misspelt() throws {
        struct Misspelt: Workflow {
            static let name = "Order"
            static var version: Int { 2 }
            static var migrations: [Migration] {
                [
                    .effect("Male", becomes: "Mail", in: 2), .values(under: "adress", in: 2) { _ in },
                    .state("Opn", becomes: "Open", in: 2), .values(under: "address", in: 2) { _ in },
                ]
            }
            static var initial: any WorkflowState { Old.OpenState() }
            static var effects: [any Effect.Type] { [Old.Mail.self] }
            let pay = Event(from: Old.OpenState.self, to: Old.PaidState.self)
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let address = Address(street: "Elm")
        try expectCompatible(Old.Order.self, samples: [.state(Old.PaidState(address))], in: folder, recording: true)
        let error = #expect(throws: IncompatibleArchives.self) {
            try expectCompatible(Misspelt.self, samples: [.state(Old.PaidState(address))], in: folder)
        }
        let steps = ["turn the effect Male into Mail", "convert values under adress", "turn the state Opn into Open"]
        #expect(
            error?.breaks.map(\.explanation)
                == steps.map { "The step \"\($0)\" matches nothing that older versions have stored." }
        )
    }
}
