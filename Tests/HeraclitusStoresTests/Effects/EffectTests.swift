import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

/// Saving and delivering effects, beyond the promises of stores.
@Suite("Effects") struct EffectTests {
    struct Mail: Effect, Equatable {
        let text: String
    }

    /// An effect that no workflow lists.
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

    /// A workflow whose initial state declares an effect.
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
        try await store.workflow(Office.self).effects().map { try ($0.effect(of: Office.knownEffects) as? Mail)?.text }
    }

    @Test("Updates and restorations have no effects")
    func none() async throws {
        try await store.save(StateMachine<Office>(resumingIn: MailingState("restored")), as: "1", expecting: 0)
        try await store.workflow(Office.self).update("1") { try $0.fire.correct(MailingState("new")) }
        try await store.workflow(Office.self).update("1") { $0.activate() }
        #expect(try await texts() == [])
        try await store.workflow(Office.self).update("1") { try $0.fire.mail(MailingState("again")) }
        #expect(try await texts() == ["again"])
    }

    @Test(
        "Effects of machines within a state are saved after the outer effects, including those of initial states"
    )
    func inner() async throws {
        try await store.workflow(Office.self).update("1") { try $0.fire.hold(OuterState(StateMachine())) }
        #expect(try await texts() == ["outer", "begun"])
        try await store.workflow(Office.self).update("1") { machine in
            try (machine.state as? OuterState)?.inner.fire.mail(MailingState("inside"))
        }
        #expect(try await texts() == ["outer", "begun", "inside"])
    }

    @Test("An event that was due has effects like any other event")
    func due() async throws {
        let clock = ManualClock()
        let scheduler = clock.scheduler
        try await store.workflow(Office.self, scheduler: scheduler).update("1") {
            try $0.fire.wait(WaitingState(scheduler.date + 10))
        }
        await clock.advance(by: .seconds(10))
        try await store.workflow(Office.self, scheduler: scheduler).fireDue()
        #expect(try await texts() == ["expired"])
    }

    @Test("An unlisted effect is an error, and the store stays unchanged")
    func unlisted() async throws {
        let error = await #expect(throws: ArchiveError.self) {
            try await store.workflow(Office.self).update("1") { try $0.fire.leak() }
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

    @Test("An effect is saved up to the readable depth, and rejected beyond it", arguments: 54...70)
    func depth(levels: Int) async throws {
        do {
            try await store.workflow(Abyss.self).update("1") { try $0.fire.dive(DeepState(levels)) }
        } catch ArchiveError.unwritableEffect("Deep", _) {
            #expect(levels > 60)
            #expect(try await store.load("1") == nil)
            return
        }
        #expect(levels <= 60)
        #expect(try await store.workflow(Abyss.self).machine("1") != nil)
        #expect(try await store.workflow(Abyss.self).deliver(to: EffectHandlers().others { _, _ in }).count == 1)
    }

    @Test("Ids with different UTF-8 have separate keys and archives, even if the strings are equal")
    func equivalentIDs() async throws {
        let ids = ["n\u{E9}", "ne\u{301}"]
        let keys = ids.map { EffectKey(id: $0, series: 1, index: 0) }
        #expect(keys[0] != keys[1] && Set(keys + keys).count == 2)
        let archives = ids.map {
            StoredArchive(id: $0, revision: 1, workflow: "", version: 1, state: "", archive: Data())
        }
        #expect(archives[0] != archives[1] && Set(archives + archives).count == 2)
        for id in ids { try await store.workflow(Office.self).update(id) { try $0.fire.mail(MailingState(id)) } }
        let seen = Lock<Set<EffectKey>>([])
        try await store.workflow(Office.self).deliver(
            to: EffectHandlers().on(Mail.self) { _, key in _ = seen.withLock { $0.insert(key) } }
        )
        #expect(seen.withLock { $0.count } == 2)
    }

    @Test("An effect keeps its key when its machine is saved again, also as the same object")
    func savedTwice() async throws {
        let office = store.workflow(Office.self)
        try await office.update("1") { try $0.fire.mail(MailingState("first")) }
        try await office.update("1") { try $0.fire.mail(MailingState("second")) }
        let keys = try await office.effects().map(\.key)
        #expect(keys.map(\.index) == [0, 1] && Set(keys.map(\.series)).count == 1)
        let (machine, second) = try #require(try await office.machine("1"))
        let third = try await office.save(machine, as: "1", expecting: second)
        try machine.fire.correct(MailingState("corrected"))
        try await office.save(machine, as: "1", expecting: third)
        #expect(try await office.effects().map(\.key) == keys)
        #expect(try await office.discard(keys[0]))
    }

    @Test("A machine of a store uses the given clock, and so do the effects of a unit of work")
    func ownClock() async throws {
        let clock = ManualClock()
        let office = store.workflow(Office.self, scheduler: clock.scheduler)
        try await office.update("1") { try $0.fire.wait(WaitingState(clock.date.addingTimeInterval(10))) }
        let archive = try #require(try await store.load("1")).archive
        let machine = try StateMachine<Office>(archive: archive, scheduler: clock.scheduler)
        machine.activate()
        await clock.advance(by: .seconds(11))
        #expect((machine.state as? MailingState)?.text == "expired")
        try await office.fireDue()
        #expect(try await store.load("1")?.effects?.date == clock.date)
    }

    @Test("Damaged effects are a failure with the id; other machines go on, and all data stays")
    func damaged() async throws {
        let office = store.workflow(Office.self)
        let damages = [(#""effects":["#, #""effects":[7,"#), (#""effects":["#, #""efects":["#)]
        for (round, damage) in damages.enumerated() {
            let id = "damaged \(round)"
            try await office.update(id) { try $0.fire.mail(MailingState("1")) }
            try await office.update("2") { try $0.fire.mail(MailingState("2")) }
            try await store.replaceInEffects(of: id, damage.0, with: damage.1)
            let content = try await store.load(id)?.effects?.content
            let error = await #expect(throws: StoreError.self) { try await office.effects() }
            guard case .damaged(id, _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            await #expect(throws: StoreError.self) { try await office.update(id) { try $0.fire.rest() } }
            let report = try await office.deliver(
                to: EffectHandlers().on(Mail.self) { _, key in #expect(key.id == "2") }
            )
            #expect(report.count == 1)
            guard case StoreError.damaged(id, _)? = report.failures.first?.error else {
                return #expect(Bool(false), "\(report)")
            }
            #expect(try await store.load(id)?.effects?.content == content)
            try await store.delete(id)
        }
    }

    @Test(
        "Effects with too large a next number are damaged, and a save of further effects leaves the row unchanged",
        arguments: ["9223372036854775807", "9007199254740993"]
    )
    func tooLargeNumber(next: String) async throws {
        let office = store.workflow(Office.self)
        try await office.update("1") { try $0.fire.mail(MailingState("1")) }
        try await store.replaceInEffects(of: "1", #""next":1"#, with: #""next":\#(next)"#)
        let stored = try await store.load("1")
        let error = await #expect(throws: StoreError.self) {
            try await office.update("1") { try $0.fire.mail(MailingState("2")) }
        }
        guard case .damaged("1", _) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await store.load("1") == stored)
        // An update of the state needs no effects.
        try await office.update("1") { try $0.fire.correct(MailingState("corrected")) }
        #expect(try await store.load("1")?.effects == stored?.effects)
    }

    @Test("An effect with unreadable data is parked at once, and the effects after it go on")
    func broken() async throws {
        let office = store.workflow(Office.self)
        try await office.update("1") { machine in
            try machine.fire.mail(MailingState("1"))
            try machine.fire.mail(MailingState("2"))
        }
        try await store.replaceInEffects(of: "1", #"{"text":"1"}"#, with: #"{"txt":"1"}"#)
        let report = try await office.deliver(to: EffectHandlers().on(Mail.self) { _, _ in })
        #expect(report.count == 1 && report.failureCount == 1)
        let failure = try #require(report.failures.first)
        #expect(failure.id == "1" && failure.effect?.name == "Mail" && failure.effect?.isParked == true)
        #expect("\(failure.error)".hasPrefix("The data of the effect \"Mail\" cannot be read"))
        let left = try await office.effects()
        #expect(left.map(\.isParked) == [true])
        #expect(left[0].error?.contains("text") == true)
    }

    @Test(
        "Leased effects stay with their worker until the lease ends; another worker then gets them with the same key"
    )
    func leases() async throws {
        // The first worker's process stands still, and so does its clock.
        let (clock, still) = (ManualClock(), ManualClock())
        try await store.workflow(Office.self, scheduler: clock.scheduler).update("1") {
            try $0.fire.mail(MailingState("1"))
        }
        let keys = Lock<[EffectKey]>([])
        @Sendable func deliver(_ clock: ManualClock, _ during: @escaping @Sendable () async throws -> Void = {})
            async throws -> Int
        {
            try await store.workflow(Office.self, scheduler: clock.scheduler).deliver(
                policy: DeliveryPolicy(lease: .seconds(60)),
                to: EffectHandlers().on(Mail.self) { _, key in
                    keys.withLock { $0.append(key) }
                    try await during()
                }
            ).count
        }
        let count = try await deliver(still) {
            let first = try await deliver(clock)
            await clock.advance(by: .seconds(59))
            let second = try await deliver(clock)
            await clock.advance(by: .seconds(2))
            let third = try await deliver(clock)
            #expect(first == 0 && second == 0 && third == 1)
        }
        #expect(count == 1)
        #expect(keys.withLock { $0.count } == 2 && keys.withLock { Set($0).count } == 1)
        #expect(try await texts() == [])
    }

    struct Interrupted: Error {}

    @Test(
        "A cancelled worker releases the effects at once without counting an attempt, for any error of its handler",
        arguments: [false, true]
    )
    func cancelled(withError: Bool) async throws {
        let office = store.workflow(Office.self)
        try await office.update("1") { try $0.fire.mail(MailingState("1")) }
        let (began, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await office.deliver(
                to: EffectHandlers().on(Mail.self) { _, _ in
                    begin.yield()
                    do { try await Task.sleep(for: .seconds(3_600)) } catch {
                        throw withError ? Interrupted() : error
                    }
                }
            )
        }
        for await _ in began { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await office.effects().map(\.attempts) == [0])
        #expect(try await office.deliver(to: EffectHandlers().on(Mail.self) { _, _ in }).count == 1)
    }

    @Test("Delays grow up to a limit, and an effect is parked after the last attempt")
    func delays() async throws {
        let clock = ManualClock()
        let office = store.workflow(Office.self, scheduler: clock.scheduler)
        let policy = DeliveryPolicy(attempts: 5, backOff: BackOff(first: .seconds(10), limit: .seconds(60)))
        try await office.update("1") { try $0.fire.mail(MailingState("1")) }
        var waits: [Double] = []
        while try await office.effects().contains(where: { !$0.isParked }) {
            let due = try #require(try await store.load("1")?.effects?.date)
            waits.append(due.timeIntervalSince(clock.scheduler.date))
            // The small addition covers rounding of clocks and dates.
            await clock.advance(by: .seconds(max(0, due.timeIntervalSince(clock.scheduler.date)) + 0.001))
            try await office.deliver(policy: policy, to: EffectHandlers().on(Mail.self) { _, _ in throw Interrupted() })
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

    @Test("Effects with an empty or repeated name are mistakes of the workflow")
    func problems() {
        let names = [Nameless.self, Mail.self, Namesake.self].map { String(reflecting: $0 as Any.Type) }
        let problems = Wrong.diagnostics
        #expect(problems.facts == ["blankEffectName \(names[0])", "duplicateEffectName Mail \(names[1]) \(names[2])"])
        #expect(problems[0].description.hasPrefix("The name of the effect `"))
        #expect(problems[1].description.hasPrefix("Several effects have the name"))
    }
}
