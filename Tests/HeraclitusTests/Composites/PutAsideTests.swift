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
}
