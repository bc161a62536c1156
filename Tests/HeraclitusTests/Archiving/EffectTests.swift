import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

/// Which effects are saved, and how they are delivered, beyond what every store promises.
@Suite("Effects") struct EffectTests {
    struct Mail: Effect, Equatable {
        let text: String
    }

    /// No workflow lists it.
    struct Secret: Effect {}

    final class QuietState: EmptyState {}

    final class MailingState: WorkflowState, Effecting {
        let text: String
        init(_ text: String) { self.text = text }
        var effects: [any Effect] { [Mail(text: text)] }
    }

    final class LeakingState: EmptyState, Effecting {
        var effects: [any Effect] { [Secret()] }
    }

    /// Its initial state declares an effect, too.
    struct Inner: Workflow {
        static var initial: any WorkflowState { MailingState("begun") }
        let mail = Event(from: MailingState.self, to: MailingState.self)
    }

    final class OuterState: Composite, Effecting {
        let inner: StateMachine<Inner>
        init(_ inner: StateMachine<Inner>) { self.inner = inner }
        var regions: [any Region] { [inner] }
        func copied() -> OuterState { OuterState(inner.copy()) }
        var effects: [any Effect] { [Mail(text: "outer")] }
    }

    struct Office: Workflow {
        static var initial: any WorkflowState { QuietState() }
        static var effects: [any Effect.Type] { [Mail.self] }
        let mail = Event(from: QuietState.self, MailingState.self, to: MailingState.self)
        let remind = Event(from: QuietState.self, to: MailingState.self)
        let correct = Event(updating: MailingState.self)
        let leak = Event(from: QuietState.self, to: LeakingState.self)
        let hold = Event(from: QuietState.self, to: OuterState.self)
        let rest = Event(from: MailingState.self, OuterState.self, to: QuietState.self)
        let expire = Event(from: WaitingState.self, to: MailingState.self)
            .due(\.by).enters { _ in MailingState("expired") }
        let wait = Event(from: QuietState.self, to: WaitingState.self)
    }

    final class WaitingState: WorkflowState {
        let by: Date
        init(_ by: Date) { self.by = by }
    }

    private let store: any ArchiveStore = InMemoryStore()

    private func texts() async throws -> [String?] {
        try await store.effects(of: Office.self).map { try ($0.effect(of: Office.self) as? Mail)?.text }
    }

    @Test("An update and a restoration have no effects")
    func none() async throws {
        try await store.save(StateMachine<Office>(alreadyIn: MailingState("restored")), as: "1", expecting: 0)
        try await store.update("1", of: Office.self) { try $0.fire.correct(MailingState("new")) }
        try await store.update("1", of: Office.self) { $0.activate() }
        #expect(try await texts() == [])
        try await store.update("1", of: Office.self) { try $0.fire.mail(MailingState("again")) }
        #expect(try await texts() == ["again"])
    }

    @Test(
        "The effects of machines within a state are saved with it, those of the outer first, also those of initial states"
    )
    func inner() async throws {
        try await store.update("1", of: Office.self) { try $0.fire.hold(OuterState(StateMachine())) }
        #expect(try await texts() == ["outer", "begun"])
        try await store.update("1", of: Office.self) { machine in
            try (machine.state as? OuterState)?.inner.fire.mail(MailingState("inside"))
        }
        #expect(try await texts() == ["outer", "begun", "inside"])
    }

    @Test("An event that was due has effects like any other")
    func due() async throws {
        let clock = ManualClock()
        let scheduler = clock.scheduler
        try await store.update("1", of: Office.self, scheduler: scheduler) {
            try $0.fire.wait(WaitingState(scheduler.date + 10))
        }
        await clock.advance(by: .seconds(10))
        try await store.fireDue(Office.self, scheduler: scheduler)
        #expect(try await texts() == ["expired"])
    }

    @Test("An effect that the workflow does not list is an error, and nothing is saved")
    func unlisted() async throws {
        let error = await #expect(throws: ArchiveError.self) {
            try await store.update("1", of: Office.self) { try $0.fire.leak() }
        }
        guard case .unknownEffect("Secret", known: ["Mail"]) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(try await store.load("1") == nil)
    }

    struct Deep: Effect {
        let value: JSONValue
    }

    final class DeepState: WorkflowState, Effecting {
        let levels: Int
        init(_ levels: Int) { self.levels = levels }
        var effects: [any Effect] { [Deep(value: (0..<levels).reduce(1) { value, _ in .array([value]) })] }
    }

    struct Abyss: Workflow {
        static var initial: any WorkflowState { QuietState() }
        static var effects: [any Effect.Type] { [Deep.self] }
        let dive = Event(from: QuietState.self, to: DeepState.self)
    }

    @Test("An effect is saved if it is no deeper than can be read again, and refused otherwise", arguments: 54...70)
    func depth(levels: Int) async throws {
        do {
            try await store.update("1", of: Abyss.self) { try $0.fire.dive(DeepState(levels)) }
        } catch ArchiveError.unwritableEffect("Deep", _) {
            #expect(levels > 59)
            #expect(try await store.load("1") == nil)
            return
        }
        #expect(levels <= 59)
        #expect(try await store.machine("1", of: Abyss.self) != nil)
        #expect(try await store.deliver(Abyss.self) { _, _ in } == 1)
    }

    @Test("Keys and archives of ids that are written differently are different, also if a string equals the other")
    func equivalentIDs() async throws {
        let ids = ["n\u{E9}", "ne\u{301}"]
        let keys = ids.map { EffectKey(id: $0, revision: 1, index: 0) }
        #expect(keys[0] != keys[1] && Set(keys + keys).count == 2)
        let archives = ids.map { StoredArchive(id: $0, revision: 1, workflow: "", state: "", archive: Data()) }
        #expect(archives[0] != archives[1] && Set(archives + archives).count == 2)
        for id in ids { try await store.update(id, of: Office.self) { try $0.fire.mail(MailingState(id)) } }
        let seen = Lock<Set<EffectKey>>([])
        try await store.deliver(Office.self) { _, key in _ = seen.withLock { $0.insert(key) } }
        #expect(seen.withLock { $0.count } == 2)
    }

    @Test("An archive keeps its effects, byte for byte besides them, wherever the member stands")
    func bytes() async throws {
        try await store.update("1", of: Office.self) { try $0.fire.mail(MailingState("\"outbox\"")) }
        let stored = try #require(try await store.load("1"))
        let text = String(decoding: stored.archive, as: UTF8.self)
        let member = #""outbox":"#
        let start = try #require(text.range(of: member, options: .backwards)).lowerBound
        let outbox = text[start...].dropLast()
        let rest = text[..<start].dropLast()
        // As a database would write it that sorts keys, or a tool that likes spaces.
        for archive in [
            "{\(outbox),\(rest.dropFirst())}", "\(rest) ,\n \(outbox) }\n", text,
            "\(rest.replacing(",\"format\"", with: ", \(outbox) , \"format\""))}",
        ] {
            let revision = try await store.load("1")?.revision ?? 0
            let changed = StoredArchive(
                id: "1",
                revision: revision,
                workflow: Office.name,
                state: stored.state,
                archive: Data(archive.utf8)
            )
            try await store.save(changed)
            #expect(try await texts() == ["\"outbox\""])
            let key = try #require(try await store.effects(of: Office.self).first).key
            try await store.discard(key)
            let bare = try #require(try await store.load("1"))
            #expect(bare.effectsDue == nil)
            let machine = try bare.machine(of: Office.self)
            #expect((machine.state as? MailingState)?.text == "\"outbox\"")
            #expect(!String(decoding: bare.archive, as: UTF8.self).contains(member))
        }
    }

    @Test("An effect keeps its key when its machine is saved again, also the same object")
    func savedTwice() async throws {
        try await store.update("1", of: Office.self) { try $0.fire.mail(MailingState("first")) }
        try await store.update("1", of: Office.self) { try $0.fire.mail(MailingState("second")) }
        let keys = [1, 2].map { EffectKey(id: "1", revision: $0, index: 0) }
        #expect(try await store.effects(of: Office.self).map(\.key) == keys)
        let (machine, second) = try #require(try await store.machine("1", of: Office.self))
        let third = try await store.save(machine, as: "1", expecting: second)
        try machine.fire.correct(MailingState("corrected"))
        try await store.save(machine, as: "1", expecting: third)
        #expect(try await store.effects(of: Office.self).map(\.key) == keys)
        #expect(try await store.discard(keys[0]))
    }

    @Test("A machine of a store goes by the clock that it is given, and so do the effects of a unit of work")
    func ownClock() async throws {
        let clock = ManualClock()
        try await store.update("1", of: Office.self, scheduler: clock.scheduler) {
            try $0.fire.wait(WaitingState(clock.date.addingTimeInterval(10)))
        }
        let (machine, _) = try #require(try await store.machine("1", of: Office.self, scheduler: clock.scheduler))
        machine.activate()
        await clock.advance(by: .seconds(11))
        #expect((machine.state as? MailingState)?.text == "expired")
        try await store.fireDue(Office.self, scheduler: clock.scheduler)
        #expect(try await store.load("1")?.effectsDue == clock.date)
    }

    @Test("Damaged effects are an error with the id; nothing else stops, and nothing is lost")
    func damaged() async throws {
        try await store.update("1", of: Office.self) { try $0.fire.mail(MailingState("1")) }
        try await store.update("2", of: Office.self) { try $0.fire.mail(MailingState("2")) }
        let stored = try #require(try await store.load("1"))
        for damage in [(#""effects":["#, #""effects":[7,"#), (#""effects":["#, #""efects":["#)] {
            let text = String(decoding: stored.archive, as: UTF8.self).replacing(damage.0, with: damage.1)
            let revision = try await store.load("1")?.revision ?? 0
            try await store.save(
                StoredArchive(
                    id: "1",
                    revision: revision,
                    workflow: Office.name,
                    state: stored.state,
                    archive: Data(text.utf8)
                )
            )
            let error = await #expect(throws: StoreError.self) { try await store.effects(of: Office.self) }
            guard case .damaged("1", _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            await #expect(throws: ArchiveError.self) {
                try await store.update("1", of: Office.self) { try $0.fire.rest() }
            }
            let delivered = await #expect(throws: StoreError.self) {
                try await store.deliver(Office.self) { _, key in #expect(key.id == "2") }
            }
            guard case .damaged("1", _) = delivered else {
                return #expect(Bool(false), "\(String(describing: delivered))")
            }
            #expect(try await store.load("1")?.archive == Data(text.utf8))
        }
    }

    @Test("An effect whose data cannot be read is parked at once, and those after it go on")
    func broken() async throws {
        try await store.update("1", of: Office.self) { machine in
            try machine.fire.mail(MailingState("1"))
            try machine.fire.mail(MailingState("2"))
        }
        let stored = try #require(try await store.load("1"))
        let text = String(decoding: stored.archive, as: UTF8.self).replacing(#"{"text":"1"}"#, with: #"{"txt":"1"}"#)
        try await store.save(
            StoredArchive(
                id: "1",
                revision: stored.revision,
                workflow: Office.name,
                state: stored.state,
                archive: Data(text.utf8)
            )
        )
        let failures = Lock<[String]>([])
        let count = try await store.deliver(Office.self) { effect, error in
            failures.withLock { $0.append("\(effect.name) \(effect.isParked) \(error)") }
        } _: { _, _ in
        }
        #expect(count == 1)
        #expect(failures.withLock { $0.count } == 1)
        #expect(failures.withLock { $0[0].hasPrefix("Mail true The data of the effect \"Mail\" cannot be read") })
        let left = try await store.effects(of: Office.self)
        #expect(left.map(\.isParked) == [true])
        #expect(left[0].error?.contains("text") == true)
    }

    @Test(
        "Nobody gets effects that are leased before the lease ends; when it has ended, somebody does, with the same key"
    )
    func leases() async throws {
        let clock = ManualClock()
        let policy = DeliveryPolicy(lease: .seconds(60))
        try await store.update("1", of: Office.self, scheduler: clock.scheduler) {
            try $0.fire.mail(MailingState("1"))
        }
        let keys = Lock<[EffectKey]>([])
        @Sendable func deliver(_ during: @escaping @Sendable () async throws -> Void = {}) async throws -> Int {
            try await store.deliver(Office.self, policy: policy, scheduler: clock.scheduler) { _, key in
                keys.withLock { $0.append(key) }
                try await during()
            }
        }
        let count = try await deliver {
            // As a process that stands still while others look for work.
            let first = try await deliver()
            await clock.advance(by: .seconds(59))
            let second = try await deliver()
            await clock.advance(by: .seconds(2))
            let third = try await deliver()
            #expect(first == 0 && second == 0 && third == 1)
        }
        #expect(count == 1)
        #expect(keys.withLock { $0.count } == 2 && keys.withLock { Set($0).count } == 1)
        #expect(try await texts() == [])
    }

    @Test("A worker that is cancelled gives the effects back at once, and has made no attempt")
    func cancelled() async throws {
        try await store.update("1", of: Office.self) { try $0.fire.mail(MailingState("1")) }
        let (began, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await store.deliver(Office.self) { _, _ in
                begin.yield()
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        for await _ in began { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.effects(of: Office.self).map(\.attempts) == [0])
        #expect(try await store.deliver(Office.self) { _, _ in } == 1)
    }

    @Test("A handler that is cancelled and throws an error of its own has made no attempt, either")
    func cancelledWithError() async throws {
        struct Interrupted: Error {}
        try await store.update("1", of: Office.self) { try $0.fire.mail(MailingState("1")) }
        let (began, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await store.deliver(Office.self) { _, _ in
                begin.yield()
                do { try await Task.sleep(for: .seconds(3_600)) } catch { throw Interrupted() }
            }
        }
        for await _ in began { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.effects(of: Office.self).map(\.attempts) == [0])
        #expect(try await store.deliver(Office.self) { _, _ in } == 1)
    }

    @Test("A handler that takes longer than the lease keeps it", .timeLimit(.minutes(20)))
    func renewed() async throws {
        let clock = ManualClock()
        try await store.update("1", of: Office.self, scheduler: clock.scheduler) {
            try $0.fire.mail(MailingState("1"))
        }
        let policy = DeliveryPolicy(lease: .milliseconds(900))
        let count = try await store.deliver(Office.self, policy: policy, scheduler: clock.scheduler) { _, _ in
            for _ in 0..<3 {
                await clock.advance(by: .milliseconds(800))
                let before = try #require(try await store.load("1")).revision
                // The second renewal from now on goes by the new date, however long it takes.
                while try await store.load("1")?.revision ?? 0 < before + 2 {
                    try await Task.sleep(for: .milliseconds(10))
                }
                let others = try await store.deliver(Office.self, policy: policy, scheduler: clock.scheduler) { _, _ in
                }
                #expect(others == 0)
            }
        }
        #expect(count == 1)
    }

    @Test("Delays grow up to the longest, and attempts that were too many park an effect")
    func delays() async throws {
        let clock = ManualClock()
        let policy = DeliveryPolicy(attempts: 5, backOff: BackOff(first: .seconds(10), limit: .seconds(60)))
        struct Failed: Error {}
        try await store.update("1", of: Office.self, scheduler: clock.scheduler) {
            try $0.fire.mail(MailingState("1"))
        }
        var waits: [Double] = []
        while try await store.effects(of: Office.self).contains(where: { !$0.isParked }) {
            let due = try #require(try await store.load("1")?.effectsDue)
            waits.append(due.timeIntervalSince(clock.scheduler.date))
            // A little more, because neither clocks nor dates are exact.
            await clock.advance(by: .seconds(max(0, due.timeIntervalSince(clock.scheduler.date)) + 0.001))
            try await store.deliver(Office.self, policy: policy, scheduler: clock.scheduler) { _, _ in throw Failed() }
        }
        #expect(waits.count == 5)
        for (wait, longest) in zip(waits, [0, 10, 20, 40, 60.0]) {
            #expect((0.75 * longest - 0.01...longest + 0.01).contains(wait), "\(waits)")
        }
    }

    struct Nameless: Effect { static var name: String { " " } }
    struct Namesake: Effect { static var name: String { "Mail" } }

    struct Wrong: Workflow {
        static var initial: any WorkflowState { QuietState() }
        static var states: [any WorkflowState.Type] { [QuietState.self] }
        static var effects: [any Effect.Type] { [Mail.self, Nameless.self, Namesake.self] }
    }

    @Test("Effects without a name, or with one name, are mistakes of the workflow")
    func problems() {
        let names = [Nameless.self, Mail.self, Namesake.self].map { String(reflecting: $0 as Any.Type) }
        #expect(
            Wrong.diagnostics == [
                .blankEffectName(typeName: names[0]), .duplicateEffectName("Mail", typeNames: [names[1], names[2]]),
            ]
        )
    }

    @Test(
        "A unit of work with several machines saves all or none, and starts again when one was changed",
        arguments: StoreTests.kinds
    )
    func several(kind: String) async throws {
        let place = try StorePlace(kind)
        let store = place.store
        var attempts = 0
        try await store.update(together: ["1", "2"], of: Office.self) { machines in
            attempts += 1
            try machines[0].fire.mail(MailingState("1"))
            try machines[1].fire.mail(MailingState("2"))
            if attempts == 1 { try await store.update("2", of: Office.self) { $0.activate() } }
        } saved: { transitions in
            #expect(transitions.map(\.count) == [1, 1])
        }
        #expect(attempts == 2)
        #expect(try await store.effects(of: Office.self).map(\.key.id).sorted() == ["1", "2"])
        struct Stop: Error {}
        await #expect(throws: Stop.self) {
            try await store.update(together: ["1", "2"], of: Office.self) { machines in
                try machines[0].fire.rest()
                throw Stop()
            }
        }
        #expect(try await store.ids(of: Office.self, in: MailingState.self) == ["1", "2"])
        await #expect(throws: StoreError.self) {
            try await store.update(together: ["1", "1"], of: Office.self, attempts: 2) { try $0[0].fire.rest() }
        }
    }
}
