import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Runs of trees", .timeLimit(.minutes(20))) struct TreeRunTests {
    /// The context of the machines: records occurrences, and controls their work.
    final class Pit: Sendable {
        let journal = CallLog()
        let begun = Latch()
        let released = Latch()

        /// Called when waiting work is cancelled.
        let onCancel = Lock<(@Sendable () -> Void)?>(nil)
    }

    final class RestState: EmptyState {}
    final class DoneState: EmptyState {}
    final class DiggingState: EmptyState, Working {
        func work(_ call: WorkCall<Dig>) async throws {
            call.context.journal.write("dig \(Marker.value)")
            do {
                if call.context.journal.entries.count == 1 {
                    call.context.begun.open()
                    try await withTaskCancellationHandler {
                        try await call.context.released.wait()
                    } onCancel: {
                        call.context.onCancel.withLock { $0 }?()
                    }
                }
                try call.fire.find()
            } catch {
                call.context.journal.write("ended by \(type(of: error))")
                throw error
            }
        }
    }

    struct Dig: Workflow {
        typealias Context = Pit
        static var initial: any WorkflowState { RestState() }
        let begin = Event(from: RestState.self, to: DiggingState.self)
        let find = Event(from: DiggingState.self, to: DoneState.self)
    }

    final class SiteState: Composite {
        let dig: StateMachine<Dig>
        var regions: [any Region] { [dig] }
        init(_ dig: StateMachine<Dig>) { self.dig = dig }
        func copied() -> SiteState { SiteState(dig.copy()) }
    }

    struct Site: Workflow {
        typealias Context = Pit
        static var initial: any WorkflowState { RestState() }
        let open = Event(from: RestState.self, to: SiteState.self)
        let close = Event(from: SiteState.self, to: RestState.self)
        let finish = Event(from: SiteState.self, to: DoneState.self).whenFinal(\.dig)
    }

    /// A third level.
    final class LandState: Composite {
        let site: StateMachine<Site>
        var regions: [any Region] { [site] }
        init(_ site: StateMachine<Site>) { self.site = site }
        func copied() -> LandState { LandState(site.copy()) }
    }

    struct Land: Workflow {
        typealias Context = Pit
        static var initial: any WorkflowState { RestState() }
        let survey = Event(from: RestState.self, to: LandState.self)
        let finish = Event(from: LandState.self, to: DoneState.self).whenFinal(\.site)
    }

    private enum Marker {
        @TaskLocal static var value = "none"
    }

    private let pit = Pit()

    /// A land with a site with a dig at work, at the third level.
    private func land() throws -> (StateMachine<Land>, StateMachine<Site>, StateMachine<Dig>) {
        let dig = StateMachine<Dig>(context: pit)
        let site = StateMachine<Site>(resumingIn: SiteState(dig), context: pit)
        let land = StateMachine<Land>(resumingIn: LandState(site), context: pit)
        return (land, site, dig)
    }

    @Test("A run does the work of machines at any depth in child tasks, until its own machine has ended")
    func children() async throws {
        let (land, site, dig) = try self.land()
        pit.released.open()
        try await Marker.$value.withValue("run") {
            async let run: Void = land.run()
            while !dig.isActive { await Task.yield() }
            try dig.fire.begin()
            try await run
        }
        #expect(pit.journal.entries == ["dig run"])
        #expect(land.isIn(DoneState.self) && site.isIn(DoneState.self) && dig.isIn(DoneState.self))
    }

    @Test("Work in progress when the run begins is begun again by the run")
    func takenOver() async throws {
        let (land, _, dig) = try self.land()
        try dig.fire.begin()
        try await pit.begun.wait()
        try await Marker.$value.withValue("run") { try await land.run() }
        let entries = pit.journal.entries
        #expect(entries.first == "dig none" && entries.contains("dig run"))
        #expect(land.isIn(DoneState.self))
    }

    @Test("A cancelled run cancels the work in the tree and leaves all states, and the next run begins it again")
    func cancelled() async throws {
        let (land, site, dig) = try self.land()
        let heard = CallLog()
        dig.observe { heard.write($0.kind.rawValue) }
        let run = Task { try await Marker.$value.withValue("first") { try await land.run() } }
        while !dig.isActive { await Task.yield() }
        try dig.fire.begin()
        try await pit.begun.wait()
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        // A child task has ended before the run.
        #expect(pit.journal.entries == ["dig first", "ended by CancellationError"])
        // An error of cancelled work is no failure.
        #expect(heard.entries == ["transitioned"])
        #expect(land.isIn(LandState.self) && site.isIn(SiteState.self) && dig.isIn(DiggingState.self))
        await land.settled()
        #expect(dig.isIn(DiggingState.self))
        try await Marker.$value.withValue("second") { try await land.run() }
        #expect(pit.journal.entries.last == "dig second")
        #expect(land.isIn(DoneState.self))
    }

    @Test("Work of a region in progress before the run's machine is active is begun again by the run")
    func takenOverEarly() async throws {
        let dig = StateMachine<Dig>(context: pit)
        try dig.fire.begin()
        try await pit.begun.wait()
        let site = StateMachine<Site>(resumingIn: SiteState(dig), context: pit)
        try await Marker.$value.withValue("run") { try await site.run() }
        let entries = pit.journal.entries
        #expect(entries.first == "dig none" && entries.contains("dig run"))
        #expect(site.isIn(DoneState.self))
    }

    @Test("Work that begins after a cancelled run has suspended the tree has its own task")
    func begunAtTheEnd() async throws {
        let dig = StateMachine<Dig>(context: pit)
        try dig.fire.begin()
        try await pit.begun.wait()
        let site = StateMachine<Site>(context: pit)
        let run = Task { try await Marker.$value.withValue("run") { try await site.run() } }
        while !site.isActive { await Task.yield() }
        try site.fire.open(SiteState(dig))
        let other = Pit()
        // Work with a task keeps it. The run cancels it when the tree is suspended.
        pit.onCancel.withLock { onCancel in
            onCancel = {
                #expect(throws: Never.self) {
                    try site.fire.close()
                    try site.fire.open(SiteState(StateMachine<Dig>(resumingIn: DiggingState(), context: other)))
                }
            }
        }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        pit.onCancel.withLock { $0 = nil }
        try await other.begun.wait()
        #expect(other.journal.entries == ["dig none"])
        withExtendedLifetime(site) {}
    }

    @Test("Leaving the state that holds a machine ends its work, and the run goes on")
    func left() async throws {
        let dig = StateMachine<Dig>(context: pit)
        let site = StateMachine<Site>(resumingIn: SiteState(dig), context: pit)
        let run = Task { try await Marker.$value.withValue("run") { try await site.run() } }
        while !dig.isActive { await Task.yield() }
        try dig.fire.begin()
        try await pit.begun.wait()
        try site.fire.close()
        #expect(dig.isIn(DiggingState.self))
        // A resumed machine works in the run again.
        try site.fire.open(SiteState(dig))
        try await run.value
        #expect(pit.journal.entries.filter { $0.hasPrefix("dig") } == ["dig run", "dig run"])
        #expect(site.isIn(DoneState.self))
    }

    @Test("A region with its own run does its work there, and in no other run")
    func own() async throws {
        let (land, _, dig) = try self.land()
        pit.released.open()
        let inner = Task { try await Marker.$value.withValue("inner") { try await dig.run() } }
        while !dig.isActive { await Task.yield() }
        let outer = Task { try await Marker.$value.withValue("outer") { try await land.run() } }
        while !land.isActive { await Task.yield() }
        try dig.fire.begin()
        try await inner.value
        try await outer.value
        // The outer run may have begun the work again.
        #expect(Set(pit.journal.entries.filter { $0.hasPrefix("dig") }) == ["dig inner"])
    }

    @Test("A region with its own run is suspended with the outer run, and continues when fired or activated")
    func suspendedTogether() async throws {
        let (land, _, dig) = try self.land()
        let held = HeldExecutor()
        let inner = Task(executorPreference: held) {
            try await Marker.$value.withValue("inner") { try await dig.run() }
        }
        held.runWhatWaits()
        let outer = Task(executorPreference: held) {
            try await Marker.$value.withValue("outer") { try await land.run() }
        }
        // Both runs wait for work.
        held.runWhatWaits()
        try dig.fire.begin()
        held.runAlways()
        try await pit.begun.wait()
        outer.cancel()
        await #expect(throws: CancellationError.self) { try await outer.value }
        dig.activate()
        try await inner.value
        #expect(Set(pit.journal.entries.filter { $0.hasPrefix("dig") }) == ["dig inner"])
        #expect(dig.isIn(DoneState.self))
        withExtendedLifetime(land) {}
    }

    @Test("A machine has one run at a time: a second run throws, and a later one is accepted")
    func once() async throws {
        let site = StateMachine<Site>(resumingIn: SiteState(StateMachine(context: Pit())), context: Pit())
        let run = Task { try await site.run() }
        while !site.isActive { await Task.yield() }
        let error = await #expect(throws: InvalidTransition.self) { try await site.run() }
        #expect(error?.reason == .alreadyRunning)
        #expect(error?.errorDescription == "Site cannot be run in SiteState: another run is under way.")
        #expect(error?.recoverySuggestion == "Wait until that run returns, or cancel its task.")
        #expect(site.isActive)
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        let next = Task { try await site.run() }
        next.cancel()
        await #expect(throws: CancellationError.self) { try await next.value }
    }

    @Test("The release of the outermost machine ends the activity of machines that are still retained")
    func released() async throws {
        let clock = ManualClock()
        var kept: (site: StateMachine<Site>, dig: StateMachine<Dig>)?
        var trip: CompletionTests.BookedState?
        do {
            let (land, site, dig) = try self.land()
            try dig.fire.begin()
            try await pit.begun.wait()
            kept = (site, dig)
            let journey = StateMachine<CompletionTests.Journey>(scheduler: clock.scheduler)
            let booked = CompletionTests.BookedState()
            try journey.fire.book(booked)
            trip = booked
            #expect(clock.scheduler.count == 3)
            withExtendedLifetime((land, journey)) {}
        }
        #expect(clock.scheduler.count == 0 && trip?.train.isIn(CompletionTests.OpenState.self) == true)
        for _ in 0..<30_000 where pit.journal.entries.count < 2 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(pit.journal.entries == ["dig none", "ended by CancellationError"])
        let error = #expect(throws: InvalidTransition.self) { try kept?.dig.fire.find() }
        #expect(error?.reason == .notCurrent)
    }

    // MARK: Final states that hold machines

    final class EndState: Composite {
        let dig: StateMachine<Dig>
        var regions: [any Region] { [dig] }
        init(_ dig: StateMachine<Dig>) { self.dig = dig }
        func copied() -> EndState { EndState(dig.copy()) }
    }

    struct Ending: Workflow {
        typealias Context = Pit
        static var initial: any WorkflowState { RestState() }
        let end = Event(from: RestState.self, to: EndState.self)
    }

    @Test("Activity in a final state after the run has its own task")
    func afterwards() async throws {
        let dig = StateMachine<Dig>(context: pit)
        let machine = StateMachine<Ending>(resumingIn: EndState(dig), context: pit)
        pit.released.open()
        try await Marker.$value.withValue("run") { try await machine.run() }
        try dig.fire.begin()
        await machine.settled()
        #expect(dig.isIn(DoneState.self))
        #expect(pit.journal.entries == ["dig none"])
    }
}
