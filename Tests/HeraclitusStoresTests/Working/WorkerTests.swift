import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Workers of a store", .timeLimit(.minutes(20))) struct WorkerTests {
    typealias Office = EffectTests.Office
    typealias Mail = EffectTests.Mail

    struct Failed: Error {}

    private let store: any ArchiveStore = InMemoryStore()
    private let clock = ManualClock()
    private let log = CallLog()

    private var office: StoredWorkflow<Office> { store.workflow(Office.self, scheduler: clock.scheduler) }
    private var bills: StoredWorkflow<Bill> { store.workflow(Bill.self, scheduler: clock.scheduler) }

    private var handlers: EffectHandlers {
        EffectHandlers().on(Mail.self) { [log] mail, _ in log.write("mail \(mail.text)") }
    }

    /// Waits until a condition is true.
    private func wait(_ isSo: () async throws -> Bool) async throws {
        while try await !isSo() { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Waits until a number of rounds sleep.
    private func waitUntilAsleep(_ rounds: Int) async throws { try await wait { clock.scheduler.count == rounds } }

    /// Runs a worker during a body, and expects it to end with its task.
    private func working(
        interval: Duration = .seconds(3_600),
        policy: DeliveryPolicy = DeliveryPolicy(),
        handlers: EffectHandlers? = nil,
        _ body: () async throws -> Void
    ) async throws {
        let (store, office, bills, log) = (store, office, bills, log)
        let handlers = handlers ?? self.handlers
        let worker = Task {
            try await store.run(office, bills, to: handlers, policy: policy, interval: interval) { failure in
                log.write("failed \(failure.id) \(failure.effect?.name ?? "") \(failure.error)")
            }
        }
        defer { worker.cancel() }
        try await body()
        worker.cancel()
        await #expect(throws: CancellationError.self) { try await worker.value }
        #expect(clock.scheduler.count == 0)
    }

    @Test("A worker fires due events on time, and delivers their effects")
    func due() async throws {
        try await office.update("1") { try $0.fire.wait(EffectTests.WaitingState(clock.date + 10)) }
        try await bills.update("2") { try $0.fire.send(Bill.SentState(1, by: clock.date + 20)) }
        try await working {
            try await waitUntilAsleep(3)
            #expect(log.entries == [])
            await clock.advance(by: .seconds(10))
            try await wait { log.entries == ["mail expired"] }
            #expect(try await store.load("2")?.state == Bill.SentState.name)
            try await waitUntilAsleep(3)
            await clock.advance(by: .seconds(10))
            try await wait { try await store.load("2")?.state == Bill.LapsedState.name }
            #expect(try await office.effects().isEmpty)
        }
    }

    @Test("A worker handles waiting work when it begins")
    func waiting() async throws {
        try await office.update("1") { try $0.fire.mail(EffectTests.MailingState("a")) }
        try await bills.update("2") { try $0.fire.send(Bill.SentState(1, by: clock.date)) }
        try await working {
            try await wait { log.entries == ["mail a"] }
            try await wait { try await store.load("2")?.state == Bill.LapsedState.name }
        }
    }

    @Test("A worker wakes after a save, and reads the store only then")
    func bell() async throws {
        try await working {
            try await waitUntilAsleep(3)
            try await office.update("1") { try $0.fire.mail(EffectTests.MailingState("a")) }
            try await wait { log.entries == ["mail a"] }
            try await bills.update("2") { try $0.fire.send(Bill.SentState(1, by: clock.date)) }
            try await wait { try await store.load("2")?.state == Bill.LapsedState.name }
        }
    }

    @Test("A worker of a store without a bell looks again after the interval")
    func interval() async throws {
        struct SilentStore: StoreAround {
            let inner = InMemoryStore()
        }
        let silent = SilentStore()
        let (handlers, scheduler) = (handlers, clock.scheduler)
        let worker = Task {
            try await silent.run(
                silent.workflow(Office.self, scheduler: scheduler),
                to: handlers,
                interval: .seconds(5)
            )
        }
        defer { worker.cancel() }
        try await waitUntilAsleep(2)
        try await silent.workflow(Office.self, scheduler: scheduler).update("1") {
            try $0.fire.mail(EffectTests.MailingState("a"))
        }
        await clock.advance(by: .seconds(4))
        #expect(clock.scheduler.count == 2 && log.entries == [])
        await clock.advance(by: .seconds(1))
        try await wait { log.entries == ["mail a"] }
        worker.cancel()
        await #expect(throws: CancellationError.self) { try await worker.value }
    }

    @Test("Effects saved while a handler hangs are delivered in the other places", arguments: [2, 3])
    func hangingHandler(places: Int) async throws {
        let log = log
        let handlers = EffectHandlers().on(Mail.self) { mail, _ in
            if mail.text.hasPrefix("hang") { try await Task.sleep(for: .seconds(86_400)) }
            log.write("mail \(mail.text)")
        }
        func mail(_ id: String, _ text: String) async throws {
            try await office.update(id) { try $0.fire.mail(EffectTests.MailingState(text)) }
        }
        let policy = DeliveryPolicy(machinesAtOnce: places)
        try await working(interval: .milliseconds(20), policy: policy, handlers: handlers) {
            for number in 1..<places {
                try await mail("hanging \(number)", "hang")
                try await wait { try await store.load("hanging \(number)")?.effects?.worker != nil }
                try await mail("\(number)", "\(number)")
                try await wait { log.entries.contains("mail \(number)") }
            }
        }
        #expect(log.entries == (1..<places).map { "mail \($0)" })
    }

    /// A store with a bell that counts the claims of effects and of due machines.
    private final class CountingStore: StoreAround {
        let inner = InMemoryStore()
        let claims = Lock((due: 0, effects: 0))
        var bell: StoreBell? { inner.bell }

        func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
            let claimed = await inner.claim(claim)
            claims.withLock { if case .effects = claim.query.queue { $0.effects += 1 } else { $0.due += 1 } }
            return claimed
        }
    }

    @Test("While a handler hangs, claims of effects follow the interval, however many saves there are")
    func savesDuringARound() async throws {
        let store = CountingStore()
        let office = store.workflow(Office.self, scheduler: clock.scheduler)
        let begun = Latch()
        let handlers = EffectHandlers().on(Mail.self) { [log] mail, _ in
            guard mail.text == "hang" else { return log.write(mail.text) }
            begun.open()
            try await Task.sleep(for: .seconds(86_400))
        }
        try await office.update("hanging") { try $0.fire.mail(EffectTests.MailingState("hang")) }
        let worker = Task { try await store.run(office, to: handlers, interval: .milliseconds(500)) }
        defer { worker.cancel() }
        try await begun.wait()
        // After the interval, a second round ends beside the hanging one.
        try await wait { store.claims.withLock { $0.effects } >= 2 }
        let (before, start) = (store.claims.withLock { $0.effects }, ContinuousClock.now)
        for number in 1...20 {
            let due = store.claims.withLock { $0.due }
            try await office.update("\(number)") { try $0.fire.mail(EffectTests.MailingState("a")) }
            // The round of due machines has heard the same bell.
            try await wait { store.claims.withLock { $0.due } > due }
        }
        let intervals = Int((ContinuousClock.now - start) / .milliseconds(500))
        // A round claims once more after each machine that it has delivered.
        #expect(store.claims.withLock { $0.effects } <= before + 2 + intervals + log.entries.count)
        worker.cancel()
        await #expect(throws: CancellationError.self) { try await worker.value }
    }

    @Test("A failure is reported, and the effect is retried after its delay")
    func failure() async throws {
        let log = log
        let handlers = EffectHandlers().on(Mail.self) { mail, _ in
            if !log.entries.contains("failed 1 Mail Failed()") { throw Failed() }
            log.write("mail \(mail.text)")
        }
        try await office.update("1") { try $0.fire.mail(EffectTests.MailingState("a")) }
        try await working(policy: DeliveryPolicy(backOff: BackOff(first: .seconds(8))), handlers: handlers) {
            try await wait { log.entries == ["failed 1 Mail Failed()"] }
            try await waitUntilAsleep(3)
            await clock.advance(by: .seconds(8))
            try await wait { log.entries == ["failed 1 Mail Failed()", "mail a"] }
        }
    }

    @Test("A machine that cannot be changed is reported, and the others go on")
    func damagedMachine() async throws {
        for id in ["1", "2"] { try await bills.update(id) { try $0.fire.send(Bill.SentState(1, by: clock.date)) } }
        try await store.save(try #require(try await store.load("1")).with(archive: "{"))
        try await working {
            try await wait { try await store.load("2")?.state == Bill.LapsedState.name }
            try await wait { log.entries.contains { $0.hasPrefix("failed 1 ") } }
        }
    }

    @Test("A worker keeps the dates of other machines despite machines with rejected events")
    func rejected() async throws {
        for number in 1...3 {
            let lapsed = StateMachine<Bill>(
                resumingIn: Bill.LapsedState(number: 13),
                since: clock.date - 100,
                scheduler: clock.scheduler
            )
            try await bills.save(lapsed, as: "rejected \(number)", expecting: 0)
        }
        try await bills.update("2") { try $0.fire.send(Bill.SentState(1, by: clock.date + 5)) }
        try await working {
            try await waitUntilAsleep(3)
            await clock.advance(by: .seconds(5))
            try await wait { try await store.load("2")?.state == Bill.LapsedState.name }
        }
    }

    @Test("An idle worker of a directory reads no file")
    func idle() async throws {
        let place = try StorePlace("directory")
        let (store, scheduler) = (place.store, clock.scheduler)
        let bills = store.workflow(Bill.self, scheduler: scheduler)
        try await bills.update("1") { try $0.fire.send(Bill.SentState(1, by: clock.date + 100)) }
        let worker = Task { try await store.run(bills, interval: .seconds(10)) }
        defer { worker.cancel() }
        try await waitUntilAsleep(1)
        // A worker that reads the missing file would forget the machine.
        let file = try #require(place.folder).appendingPathComponent("1.json")
        let elsewhere = file.appendingPathExtension("away")
        try FileManager.default.moveItem(at: file, to: elsewhere)
        for _ in 0..<9 {
            await clock.advance(by: .seconds(10))
            try await waitUntilAsleep(1)
        }
        try FileManager.default.moveItem(at: elsewhere, to: file)
        await clock.advance(by: .seconds(9))
        #expect(try await store.load("1")?.state == Bill.SentState.name)
        await clock.advance(by: .seconds(1))
        try await waitUntilAsleep(1)
        #expect(try await store.load("1")?.state == Bill.LapsedState.name)
    }

    /// A store whose medium fails until it is mended.
    private final class BrokenStore: StoreAround {
        let inner = InMemoryStore()
        let isBroken = Lock(true)
        let bell: StoreBell? = StoreBell()

        func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
            if isBroken.withLock({ $0 }) { throw Failed() }
            return await inner.claim(claim)
        }
    }

    @Test("A worker reports a failing store, and retries")
    func brokenStore() async throws {
        let store = BrokenStore()
        let (handlers, scheduler, log) = (handlers, clock.scheduler, log)
        let office = store.workflow(Office.self, scheduler: scheduler)
        try await office.update("1") { try $0.fire.mail(EffectTests.MailingState("a")) }
        let worker = Task {
            try await store.run(office, to: handlers) { log.write("failed \"\($0.id)\" \($0.error)") }
        }
        defer { worker.cancel() }
        try await wait { log.entries == ["failed \"\" Failed()", "failed \"\" Failed()"] }
        store.isBroken.withLock { $0 = false }
        try await waitUntilAsleep(2)
        await clock.advance(by: .seconds(10))
        try await wait { log.entries.last == "mail a" }
    }

    @Test("An effect of an unknown type is reported once, after the time that the policy says")
    func unknown() async throws {
        typealias Former = ReleaseDeliveryTests.Former
        typealias Next = ReleaseDeliveryTests.Next
        let (store, clock, log) = (store, clock, log)
        let next = store.workflow(Next.self, scheduler: clock.scheduler)
        let former = store.workflow(Former.self, scheduler: clock.scheduler)
        try await next.update("1") { try $0.fire.push(ReleaseDeliveryTests.PushingState("a")) }
        let policy = DeliveryPolicy(unknownEffectAge: .seconds(60))
        let handlers = EffectHandlers().others { effect, _ in log.write("\(effect)") }
        let worker = Task { [policy] in
            try await store.run(former, to: handlers, policy: policy, interval: .seconds(10)) { failure in
                log.write("failed \(failure.effect?.name ?? "")")
            }
        }
        defer { worker.cancel() }
        for seconds in stride(from: 0, to: 120, by: 10) {
            try await waitUntilAsleep(2)
            #expect(log.entries == (seconds < 60 ? [] : ["failed Push"]), "\(seconds)")
            await clock.advance(by: .seconds(10))
        }
        // The effect is still stored for a release that knows it.
        #expect(try await next.deliver(to: handlers).count == 1)
        #expect(log.entries == ["failed Push", #"Push(text: "a")"#])
    }

    @Test("Several workers deliver each effect once, those of a machine in order", arguments: StoreTests.kinds)
    func several(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        let log = log
        let office = store.workflow(Office.self)
        let handlers = EffectHandlers().on(Mail.self) { mail, key in log.write("\(key.id) \(mail.text)") }
        let workers = (0..<3).map { _ in Task { try await store.run(office, to: handlers) } }
        defer { for worker in workers { worker.cancel() } }
        for round in 1...5 {
            for id in 0..<6 {
                try await office.update("\(id)") { try $0.fire.mail(EffectTests.MailingState("\(round)")) }
            }
        }
        try await wait { log.entries.count >= 30 }
        for worker in workers { worker.cancel() }
        for worker in workers { _ = await worker.result }
        for id in 0..<6 {
            #expect(log.entries.filter { $0.hasPrefix("\(id) ") } == (1...5).map { "\(id) \($0)" })
        }
        #expect(try await office.effects().isEmpty)
    }
}
