import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// The running release of a program.
private enum OldRelease {
    final class OpenTicket: WorkflowState {
        static let name = "OpenTicket"
        let count: Int
        init(_ count: Int) { self.count = count }
    }

    struct Ticket: Workflow {
        static let name = "Ticket"
        static var initial: any WorkflowState { OpenTicket(0) }
        let count = Event(updating: OpenTicket.self)
    }

    final class SilentBell: EmptyState { static let name = "SilentBell" }

    final class RingingBell: WorkflowState, Effecting {
        static let name = "RingingBell"
        let number: Int
        init(_ number: Int) { self.number = number }
        var effects: [any Effect] { [Notice(number: number)] }
    }

    struct Notice: Effect {
        static let name = "Notice"
        let number: Int
    }

    struct Bell: Workflow {
        static let name = "Bell"
        static var initial: any WorkflowState { SilentBell() }
        static var effects: [any Effect.Type] { [Notice.self] }
        let ring = Event(from: SilentBell.self, RingingBell.self, to: RingingBell.self)
    }

    final class PackedParcel: WorkflowState {
        static let name = "PackedParcel"
        let kilograms: Int
        init(_ kilograms: Int) { self.kilograms = kilograms }
    }

    struct Parcel: Workflow {
        static let name = "Parcel"
        static var initial: any WorkflowState { PackedParcel(1) }
        let add = Event(updating: PackedParcel.self)
    }
}

/// The next release, with an optional key, a type of effects and a version that are unknown to the old one.
private enum NewRelease {
    final class OpenTicket: WorkflowState {
        static let name = "OpenTicket"
        let count: Int
        let coupon: String?
        init(_ count: Int, _ coupon: String?) { (self.count, self.coupon) = (count, coupon) }
    }

    struct Ticket: Workflow {
        static let name = "Ticket"
        static var initial: any WorkflowState { OpenTicket(0, nil) }
        let count = Event(updating: OpenTicket.self)
    }

    final class SilentBell: EmptyState { static let name = "SilentBell" }

    final class RingingBell: WorkflowState, Effecting {
        static let name = "RingingBell"
        let number: Int
        init(_ number: Int) { self.number = number }
        var effects: [any Effect] {
            number.isMultiple(of: 2) ? [Gift(number: number)] : [OldRelease.Notice(number: number)]
        }
    }

    struct Gift: Effect {
        static let name = "Gift"
        let number: Int
    }

    struct Bell: Workflow {
        static let name = "Bell"
        static var initial: any WorkflowState { SilentBell() }
        static var effects: [any Effect.Type] { [OldRelease.Notice.self, Gift.self] }
        let ring = Event(from: SilentBell.self, RingingBell.self, to: RingingBell.self)
    }

    final class PackedParcel: WorkflowState {
        static let name = "PackedParcel"
        let grams: Int
        init(_ grams: Int) { self.grams = grams }
    }

    struct Parcel: Workflow {
        static let name = "Parcel"
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [
                .step("kilograms become grams", in: 2, of: "PackedParcel") { archive in
                    archive.data["grams"] = .integer((archive.data["kilograms"]?.intValue ?? 0) * 1_000)
                    archive.data["kilograms"] = nil
                }
            ]
        }
        static var initial: any WorkflowState { PackedParcel(1_000) }
        let add = Event(updating: PackedParcel.self)
    }
}

/// Processes of two releases that share a store, and are killed at random moments.
@Suite("Two releases under kills") struct ReleaseKillsTests {
    private static let ids = ["a", "b", "c"]
    private static let policy = DeliveryPolicy(lease: .milliseconds(200))

    @Test("A process of the old release keeps all data of the new one, also if both are killed")
    func kills() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("releases-\(UUID().uuidString)")
        let log = KillLog(beside: folder)
        defer {
            try? FileManager.default.removeItem(at: folder)
            log.remove()
        }
        let seconds = ProcessInfo.processInfo.environment["HERACLITUS_RELEASE_SECONDS"].flatMap(Int.init) ?? 1
        let end = ContinuousClock.now + .seconds(seconds)
        var rounds = 0
        repeat {
            rounds += 1
            async let old: Void = Self.expectKillOfOld(folder.path)
            async let new: Void = Self.expectKillOfNew(folder.path)
            _ = await (old, new)
            // On a busy computer a process may be killed before it has begun.
        } while try ContinuousClock.now < end || (log.lines("gift").isEmpty && rounds < 50)
        let store = try DirectoryStore(at: folder)
        // The leases of killed processes have ended long before.
        let later = Scheduler(ContinuousClock()) { Date() + 3_600 }
        try await Self.deliverNew(store, later, log.opened())
        for id in Self.ids {
            func numbers(_ word: String, _ name: String) throws -> [Int] {
                try log.lines(word).filter { $0[1] == name }.compactMap { Int($0[2]) }
            }
            let ticket = try await Self.data("ticket \(id)", in: store)
            let counted = try numbers("counted", id).max() ?? 0
            #expect(ticket?["count"]?.intValue ?? 0 >= counted, "An acknowledged count is lost.")
            if try !numbers("coupon", id).isEmpty {
                #expect(ticket?["coupon"] == "spring", "The old release has dropped a key of the new one.")
            }
            if try !numbers("parcel", id).isEmpty {
                let parcel = try await store.load("parcel \(id)")
                #expect(parcel?.version == 2, "The old release has replaced what the new one has saved.")
                let grams = try await Self.data("parcel \(id)", in: store)?["grams"]?.intValue ?? 0
                #expect(grams >= (try numbers("parcel", id).max() ?? 0), "Grams of the new release are lost.")
            }
            // Each effect was delivered, the first time in the order of saving.
            var done: [Int] = []
            for number in try log.lines("done").filter({ $0[1] == id }).compactMap({ Int($0[2]) })
            where !done.contains(number) {
                done.append(number)
            }
            let rung = try await Self.data("bell \(id)", in: store)?["number"]?.intValue ?? 0
            #expect(done == Array(1..<rung + 1), "Effects of \(id) are lost, or out of order.")
        }
        let left = try await store.workflow(NewRelease.Bell.self).effects()
        #expect(left == [], "An effect was parked, or is left.")
        print("two releases: \(rounds) rounds of kills")
    }

    private static func expectKillOfOld(_ path: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in try await Self.workOld(path) }
    }

    private static func expectKillOfNew(_ path: String) async {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in try await Self.workNew(path) }
    }

    private static func data(_ id: String, in store: DirectoryStore) async throws -> JSONValue? {
        try await store.load(id).map { try JSONValue(json: $0.archive) }?["data"]
    }

    /// The store of a process that kills itself after a moment.
    private static func storeUntilKilled(_ path: String) throws -> (DirectoryStore, KillLog.Writer) {
        KillLog.killSoon(within: 0.05...0.6)
        let folder = URL(fileURLWithPath: path)
        return (try DirectoryStore(at: folder), try KillLog(beside: folder).opened())
    }

    private static func workOld(_ path: String) async throws {
        let (store, log) = try storeUntilKilled(path)
        let tickets = store.workflow(OldRelease.Ticket.self)
        let bells = store.workflow(OldRelease.Bell.self)
        let parcels = store.workflow(OldRelease.Parcel.self)
        let handlers = EffectHandlers().on(OldRelease.Notice.self) { notice, key in
            log.note("done \(key.id.dropFirst(5)) \(notice.number)")
        }
        while true {
            let id = ids.randomElement() ?? "a"
            let count = try await tickets.update("ticket \(id)") { ticket in
                let count = (ticket.state as? OldRelease.OpenTicket)?.count ?? 0
                try ticket.fire.count(OldRelease.OpenTicket(count + 1))
                return count + 1
            }
            log.note("counted \(id) \(count)")
            try await bells.update("bell \(id)") { bell in
                let number = (bell.state as? OldRelease.RingingBell)?.number ?? 0
                try bell.fire.ring(OldRelease.RingingBell(number + 1))
            }
            do {
                try await parcels.update("parcel \(id)") { parcel in
                    let kilograms = (parcel.state as? OldRelease.PackedParcel)?.kilograms ?? 0
                    try parcel.fire.add(OldRelease.PackedParcel(kilograms + 1))
                }
            } catch ArchiveError.newerVersion {}
            try await bells.deliver(policy: policy, to: handlers)
        }
    }

    private static func workNew(_ path: String) async throws {
        let (store, log) = try storeUntilKilled(path)
        let tickets = store.workflow(NewRelease.Ticket.self)
        let bells = store.workflow(NewRelease.Bell.self)
        let parcels = store.workflow(NewRelease.Parcel.self)
        while true {
            let id = ids.randomElement() ?? "a"
            let count = try await tickets.update("ticket \(id)") { ticket in
                let count = (ticket.state as? NewRelease.OpenTicket)?.count ?? 0
                try ticket.fire.count(NewRelease.OpenTicket(count + 1, "spring"))
                return count + 1
            }
            log.note("counted \(id) \(count)")
            log.note("coupon \(id) \(count)")
            let number = try await bells.update("bell \(id)") { bell in
                let number = (bell.state as? NewRelease.RingingBell)?.number ?? 0
                try bell.fire.ring(NewRelease.RingingBell(number + 1))
                return number + 1
            }
            if number.isMultiple(of: 2) { log.note("gift \(id) \(number)") }
            let grams = try await parcels.update("parcel \(id)") { parcel in
                let grams = (parcel.state as? NewRelease.PackedParcel)?.grams ?? 0
                try parcel.fire.add(NewRelease.PackedParcel(grams + 1))
                return grams + 1
            }
            log.note("parcel \(id) \(grams)")
            // New deliveries are rare, so that the old release meets unknown effects.
            if Int.random(in: 0..<5) == 0 { try await deliverNew(store, .system, log) }
        }
    }

    private static func deliverNew(_ store: DirectoryStore, _ scheduler: Scheduler, _ log: KillLog.Writer) async throws
    {
        let handlers = EffectHandlers()
            .on(OldRelease.Notice.self) { notice, key in log.note("done \(key.id.dropFirst(5)) \(notice.number)") }
            .on(NewRelease.Gift.self) { gift, key in log.note("done \(key.id.dropFirst(5)) \(gift.number)") }
        try await store.workflow(NewRelease.Bell.self, scheduler: scheduler).deliver(policy: policy, to: handlers)
    }
}
