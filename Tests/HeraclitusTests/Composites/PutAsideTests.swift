import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Machines that a holder has put aside") struct PutAsideTests {
    final class DoneState: EmptyState {}
    final class RunningState: EmptyState {}
    final class RipeningState: EmptyState, Aging {}

    struct Timer: Workflow {
        static var initial: any WorkflowState { RunningState() }
        let ring = Event(from: RunningState.self, RipeningState.self, to: DoneState.self).due(after: .seconds(10))
    }

    final class OpenState: Composite {
        let timer: StateMachine<Timer>
        var regions: [any Region] { [timer] }
        init(_ timer: StateMachine<Timer>) { self.timer = timer }
        func copied() -> OpenState { OpenState(timer.copy()) }
    }

    /// A state that keeps the machine for later without holding it.
    final class ShutState: WorkflowState, Copying {
        let timer: StateMachine<Timer>
        init(_ timer: StateMachine<Timer>) { self.timer = timer }
        func copied() -> ShutState { ShutState(timer.copy()) }
    }

    struct Drawer: Workflow {
        static var initial: any WorkflowState { ShutState(StateMachine()) }
        let open = Event(from: ShutState.self, to: OpenState.self)
        let shut = Event(from: OpenState.self, to: ShutState.self)
        // Machines in a state with deadlines that is about to be left stay inactive.
        let lose = Event(from: OpenState.self, to: DoneState.self).due(after: .seconds(1_000_000))
    }

    private let clock = ManualClock()

    /// A drawer that was shut after five of the ten seconds of its timer.
    private func shutDrawer(_ state: any WorkflowState = RunningState()) throws -> StateMachine<Drawer> {
        let timer = StateMachine<Timer>(entering: state, scheduler: clock.scheduler)
        let drawer = StateMachine<Drawer>(entering: ShutState(timer), scheduler: clock.scheduler)
        try drawer.fire.open { OpenState($0.timer) }
        clock.advance(by: .seconds(5))
        try drawer.fire.shut { ShutState($0.timer) }
        return drawer
    }

    private func timer(of drawer: StateMachine<Drawer>) throws -> StateMachine<Timer> {
        if let open = drawer.state as? OpenState { return open.timer }
        return try #require(drawer.state as? ShutState).timer
    }

    enum Way: CaseIterable { case same, copy, archive, encode }

    private func taken(_ drawer: StateMachine<Drawer>, _ way: Way) throws -> StateMachine<Drawer> {
        switch way {
        case .same: return drawer
        case .copy: return drawer.copy()
        case .archive: return try StateMachine(archive: drawer.archive(), scheduler: clock.scheduler)
        case .encode: return try JSONDecoder().decode(StateMachine<Drawer>.self, from: JSONEncoder().encode(drawer))
        }
    }

    @Test(
        "A fire of a machine that was put aside is rejected, also after an archive and as a copy",
        arguments: Way.allCases
    )
    func rejected(way: Way) throws {
        let timer = try timer(of: taken(shutDrawer(), way))
        let error = #expect(throws: InvalidTransition.self) { try timer.fire.ring() }
        #expect(error?.reason == .notCurrent)
    }

    @Test("The time of a machine stands still while it is put aside", arguments: [Way.same, .copy, .archive])
    func standsStill(way: Way) throws {
        let shut = try shutDrawer()
        clock.advance(by: .seconds(3_600))
        let drawer = try taken(shut, way)
        clock.advance(by: .seconds(3_600))
        try drawer.fire.open { OpenState($0.timer) }
        let timer = try timer(of: drawer)
        #expect(timer.isIn(RunningState.self))
        clock.advance(by: .seconds(4))
        #expect(timer.isIn(RunningState.self))
        clock.advance(by: .seconds(1))
        #expect(timer.isIn(DoneState.self))
    }

    @Test("The time in an aging state goes on while its machine is put aside")
    func aging() throws {
        let drawer = try shutDrawer(RipeningState())
        clock.advance(by: .seconds(3_600))
        try drawer.fire.open { OpenState($0.timer) }
        #expect(try timer(of: drawer).isIn(DoneState.self))
    }

    @Test("The time of a machine put aside before its entry begins when it is entered")
    func neverEntered() throws {
        let timer = StateMachine<Timer>(scheduler: clock.scheduler)
        let drawer = StateMachine<Drawer>(entering: ShutState(timer), scheduler: clock.scheduler)
        // Made long before it is put aside; that time does not count either.
        clock.advance(by: .seconds(100))
        // A queued event leaves the state before its machines are activated.
        let registration = drawer.didEnter(OpenState.self) { [unowned drawer] _, _ in
            #expect(throws: Never.self) { try drawer.fire.shut { ShutState($0.timer) } }
        }
        try drawer.fire.open { OpenState($0.timer) }
        #expect(!timer.isActive)
        registration.cancel()
        clock.advance(by: .seconds(3_600))
        try drawer.fire.open { OpenState($0.timer) }
        clock.advance(by: .seconds(9))
        #expect(timer.isIn(RunningState.self))
        clock.advance(by: .seconds(1))
        #expect(timer.isIn(DoneState.self))
    }

    @Test("The time of a machine stands still from the first time it is put aside until it is resumed")
    func twice() throws {
        let drawer = try shutDrawer()
        clock.advance(by: .seconds(95))
        // A queued event leaves the state before its machine is resumed.
        let registration = drawer.didEnter(OpenState.self) { [unowned drawer] _, _ in
            #expect(throws: Never.self) { try drawer.fire.shut { ShutState($0.timer) } }
        }
        try drawer.fire.open { OpenState($0.timer) }
        registration.cancel()
        clock.advance(by: .seconds(100))
        try drawer.fire.open { OpenState($0.timer) }
        let timer = try timer(of: drawer)
        clock.advance(by: .seconds(4))
        #expect(timer.isIn(RunningState.self))
        clock.advance(by: .seconds(1))
        #expect(timer.isIn(DoneState.self))
    }

    struct Chest: Workflow {
        static var initial: any WorkflowState { ShutState(StateMachine()) }
        let open = Event(from: ShutState.self, to: OpenState.self)
    }
    final class HeldState: Composite {
        let chest: StateMachine<Chest>
        let until: Date?
        var regions: [any Region] { [chest] }
        init(_ chest: StateMachine<Chest>, until: Date? = nil) { (self.chest, self.until) = (chest, until) }
        func copied() -> HeldState { HeldState(chest.copy(), until: until) }
    }
    final class KeptState: WorkflowState, Copying {
        let chest: StateMachine<Chest>
        init(_ chest: StateMachine<Chest>) { self.chest = chest }
        func copied() -> KeptState { KeptState(chest.copy()) }
    }
    struct Attic: Workflow {
        static var initial: any WorkflowState { KeptState(StateMachine()) }
        let hold = Event(from: KeptState.self, to: HeldState.self)
        let keep = Event(from: HeldState.self, to: KeptState.self).due(\.until).enters { KeptState($0.chest) }
    }

    @Test("A machine within a machine that was put aside before it was restored is put aside with it")
    func within() throws {
        let timer = StateMachine<Timer>(scheduler: clock.scheduler)
        let chest = StateMachine<Chest>(entering: OpenState(timer), scheduler: clock.scheduler)
        let held = HeldState(chest, until: clock.date.addingTimeInterval(6))
        let attic = StateMachine<Attic>(entering: held, scheduler: clock.scheduler)
        attic.activate()
        clock.advance(by: .seconds(5))
        let archive = try attic.archive()
        clock.advance(by: .seconds(2))
        let restored = try StateMachine<Attic>(archive: archive, scheduler: clock.scheduler)
        // The passed deadline leaves the state before its machines are restored.
        restored.activate()
        #expect(restored.isIn(KeptState.self))
        clock.advance(by: .seconds(93))
        try restored.fire.hold { HeldState($0.chest) }
        let inner = try #require(((restored.state as? HeldState)?.chest.state as? OpenState)?.timer)
        clock.advance(by: .seconds(2))
        #expect(inner.isIn(RunningState.self))
        clock.advance(by: .seconds(1))
        #expect(inner.isIn(DoneState.self))
    }

    @Test("A machine that its holder has taken again is put aside no more, also in an observer's archive and copy")
    func observed() throws {
        let drawer = try shutDrawer()
        let kept = Lock<[StateMachine<Drawer>]>([])
        let scheduler = clock.scheduler
        drawer.onTransition { transition in
            guard let drawer = transition.machine(as: Drawer.self) else { return }
            #expect(throws: Never.self) {
                let archived = try StateMachine<Drawer>(archive: drawer.archive(), scheduler: scheduler)
                kept.withLock { $0 += [archived, drawer.copy()] }
            }
        }
        clock.advance(by: .seconds(60))
        try drawer.fire.open { OpenState($0.timer) }
        clock.advance(by: .seconds(4))
        for drawer in kept.withLock({ $0 }) {
            drawer.activate()
            #expect(try timer(of: drawer).isIn(RunningState.self))
        }
        clock.advance(by: .seconds(1))
        for drawer in kept.withLock({ $0 }) + [drawer] { #expect(try timer(of: drawer).isIn(DoneState.self)) }
    }

    final class PairState: Composite {
        let first: StateMachine<Timer>
        let second: StateMachine<Timer>
        var regions: [any Region] { [first, second] }
        init(_ first: StateMachine<Timer>, _ second: StateMachine<Timer>) {
            (self.first, self.second) = (first, second)
        }
        func copied() -> PairState { PairState(first.copy(), second.copy()) }
    }
    final class NextPairState: Composite {
        let first: StateMachine<Timer>
        let second: StateMachine<Timer>
        var regions: [any Region] { [first, second] }
        init(_ first: StateMachine<Timer>, _ second: StateMachine<Timer>) {
            (self.first, self.second) = (first, second)
        }
        func copied() -> NextPairState { NextPairState(first.copy(), second.copy()) }
    }
    final class PairAsideState: WorkflowState, Copying {
        let pair: PairState
        init(_ pair: PairState) { self.pair = pair }
        func copied() -> PairAsideState { PairAsideState(pair.copied()) }
    }
    struct Pairs: Workflow {
        static var initial: PairState.Type { PairState.self }
        typealias AnyState = any WorkflowState
        let hold = Event(from: PairState.self, to: PairAsideState.self)
        let resume = Event(from: PairAsideState.self, to: PairState.self)
        let pass = Event(from: PairState.self, to: NextPairState.self)
        let back = Event(from: NextPairState.self, to: PairState.self)
    }

    /// A machine with two timers after five seconds, and the archives that the first hook of leaving them writes.
    private func pairs() -> (StateMachine<Pairs>, Box<Lock<[Data]>>) {
        let pair = PairState(StateMachine(), StateMachine())
        let machine = StateMachine<Pairs>(entering: pair, scheduler: clock.scheduler)
        machine.activate()
        let archives = Box(Lock<[Data]>([]))
        // The second machine is left first.
        pair.second.didExit(RunningState.self) { _, transition in
            guard let archive = try? transition.holder(as: Pairs.self)?.archive() else { return }
            archives.value.withLock { $0.append(archive) }
        }
        clock.advance(by: .seconds(5))
        return (machine, archives)
    }

    @Test("An archive of a hook of leaving a machine has all machines of the left state put aside")
    func whileLeaving() throws {
        let (machine, archives) = pairs()
        try machine.fire.hold { PairAsideState($0) }
        let archive = try #require(archives.value.withLock { $0.first })
        let data = try JSONValue(json: archive)["data"]?["pair"]
        #expect(data?["first"]?["left"] == "2001-01-01T00:00:05Z" && data?["second"]?["left"] == "2001-01-01T00:00:05Z")
        let restored = try StateMachine<Pairs>(archive: archive, scheduler: clock.scheduler)
        let aside = try #require(restored.state as? PairAsideState)
        let error = #expect(throws: InvalidTransition.self) { try aside.pair.first.fire.ring() }
        #expect(error?.reason == .notCurrent)
        clock.advance(by: .seconds(3_600))
        try restored.fire.resume { $0.pair }
        let pair = try #require(restored.state as? PairState)
        #expect(pair.first.isIn(RunningState.self) && pair.second.isIn(RunningState.self))
        clock.advance(by: .seconds(5))
        #expect(pair.first.isIn(DoneState.self) && pair.second.isIn(DoneState.self))
    }

    @Test("In an archive of a hook of leaving a machine that is taken along, the machine is not put aside")
    func takenAlong() throws {
        let (machine, archives) = pairs()
        try machine.fire.pass { NextPairState($0.first, $0.second) }
        let archive = try #require(archives.value.withLock { $0.first })
        // No program runs for an hour.
        clock.advance(by: .seconds(3_600))
        let restored = try StateMachine<Pairs>(archive: archive, scheduler: clock.scheduler)
        restored.activate()
        let next = try #require(restored.state as? NextPairState)
        #expect(next.first.isIn(DoneState.self) && next.second.isIn(DoneState.self))
    }

    @Test("In an archive of a hook of leaving a machine, a machine that comes back is not put aside")
    func comesBack() throws {
        let (first, second, third) = (StateMachine<Timer>(), StateMachine<Timer>(), StateMachine<Timer>())
        let machine = StateMachine<Pairs>(entering: PairState(first, second), scheduler: clock.scheduler)
        machine.activate()
        clock.advance(by: .seconds(2))
        try machine.fire.pass { _ in NextPairState(second, third) }
        clock.advance(by: .seconds(3))
        let archives = Box(Lock<[Data]>([]))
        third.didExit(RunningState.self) { _, transition in
            guard let archive = try? transition.holder(as: Pairs.self)?.archive() else { return }
            archives.value.withLock { $0.append(archive) }
        }
        try machine.fire.back { _ in PairState(first, second) }
        let archive = try #require(archives.value.withLock { $0.first })
        let returned = try JSONValue(json: archive)["data"]?["first"]
        #expect(returned?["left"] == nil && returned?["entered"] == "2001-01-01T00:00:03Z")
    }

    @Test("A deadline that a release adds to a machine put aside counts from the resumption")
    func addedWhileAside() throws {
        // Made by a release whose running state has no deadline, and therefore no date of entry.
        var json = try JSONValue(json: shutDrawer().archive())
        json["data"]?["timer"]?["entered"] = nil
        clock.advance(by: .seconds(3_600))
        let drawer = try StateMachine<Drawer>(archive: JSONEncoder().encode(json), scheduler: clock.scheduler)
        clock.advance(by: .seconds(100))
        try drawer.fire.open { OpenState($0.timer) }
        let timer = try timer(of: drawer)
        clock.advance(by: .seconds(9))
        #expect(timer.isIn(RunningState.self))
        clock.advance(by: .seconds(1))
        #expect(timer.isIn(DoneState.self))
    }
}
