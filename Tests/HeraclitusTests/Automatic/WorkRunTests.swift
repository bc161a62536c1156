import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

// Tests of `run()`.

extension WorkTests {
    @Test("A run does the work in child tasks until a final state")
    func runs() async throws {
        let bench = Bench { busy, call in
            #expect(Marker.value == "run")
            try call.fire.finish(MadeState(busy.number))
        }
        let machine = machine(bench)
        machine.onTransition { transition in
            if let made = transition.destination as? MadeState { bench.journal.write("made \(made.number)") }
        }
        try await Marker.$value.withValue("run") {
            async let run: Void = machine.run()
            while !machine.isActive { await Task.yield() }
            try machine.fire.start(BusyState(5))
            try await run
        }
        #expect((machine.state as? MadeState)?.number == 5)
        #expect(bench.journal.entries == ["didEnter", "work 5", "didExit", "made 5"])
    }

    private enum Marker {
        @TaskLocal static var value = "none"
    }

    @Test("In a run, work begins after the callbacks of a later transition in the same turn")
    func begunWithinTurn() async throws {
        for _ in 0..<20 {
            let hasBegun = DispatchSemaphore(value: 0)
            let bench = Bench { _, _ in
                hasBegun.signal()
                try await Latch().wait()
            }
            let machine = machine(bench)
            machine.onTransition { [weak machine] transition in
                if transition.event == "start" { try? machine?.fire.progress(BusyState(2)) }
                if transition.event == "progress" { #expect(hasBegun.comes()) }
            }
            let run = Task { try await machine.run() }
            try await onOwnThread {
                while !machine.isActive { usleep(100) }
                try machine.fire.start(BusyState())
            }
            run.cancel()
            await #expect(throws: CancellationError.self) { try await run.value }
        }
    }

    @Test("A cancelled run leaves the machine in its state, and the next run begins the work again")
    func runsAgain() async throws {
        let bench = Bench { busy, call in
            if call.context.journal.entries.filter({ $0 == "work 1" }).count == 1 {
                call.context.begun.open()
                try await call.context.released.wait()
            }
            try call.fire.finish(MadeState(busy.number))
        }
        let machine = machine(bench)
        let first = Task { try await machine.run() }
        while !machine.isActive { await Task.yield() }
        try machine.fire.start(BusyState())
        try await bench.begun.wait()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(machine.isIn(BusyState.self) && machine.revision == 1)
        try await machine.run()
        #expect(machine.isIn(MadeState.self))
        #expect(bench.journal.entries == ["didEnter", "work 1", "work 1", "didExit"])
    }

    /// Runs a machine until its work has begun.
    private func working(_ bench: Bench) async throws -> (machine: StateMachine<Shop>, run: Task<Void, any Error>) {
        let machine = machine(bench)
        let run = Task { try await machine.run() }
        while !machine.isActive { await Task.yield() }
        try machine.fire.start(BusyState())
        try await bench.begun.wait()
        return (machine, run)
    }

    @Test("Work that throws because its run was cancelled has not failed, also if it throws before the run notices")
    func cancelledFirst() async throws {
        let bench = Bench { _, call in
            try await withTaskCancellationHandler {
                call.context.begun.open()
                try await call.context.released.wait()
            } onCancel: {
                // On the cancelling thread, which then tells the run.
                usleep(20_000)
            }
        }
        let (machine, run) = try await working(bench)
        try await onOwnThread { run.cancel() }
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(machine.isIn(BusyState.self) && machine.revision == 1)
    }

    @Test("Work whose run was cancelled fires no more, also before the run has returned")
    func firesWhileEnding() async throws {
        let bench = Bench { busy, call in
            call.context.begun.open()
            await call.context.released.waitStubbornly()
            let error = try #require(throws: InvalidTransition.self) {
                try call.fire.finish(MadeState(busy.number))
            }
            call.context.journal.write("\(error.reason)")
        }
        let (machine, run) = try await working(bench)
        // Cancels the work before it returns.
        run.cancel()
        bench.released.open()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(bench.journal.entries == ["didEnter", "work 1", "notCurrent"])
        #expect(machine.isIn(BusyState.self) && machine.revision == 1)
    }

    @Test("Fires of work that notices the cancellation of its run come too late")
    func firesWhenCancelled() async throws {
        let bench = Bench { busy, call in
            try await withTaskCancellationHandler {
                call.context.begun.open()
                while !Task.isCancelled { await Task.yield() }
                try call.fire.finish(MadeState(busy.number))
            } onCancel: {
                // On the cancelling thread, before it goes on.
                usleep(20_000)
            }
        }
        let (machine, run) = try await working(bench)
        try await onOwnThread { run.cancel() }
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(machine.isIn(BusyState.self) && machine.revision == 1)
    }

    @Test("While a cancelled run waits for its work, no other work begins; it begins at the next activation")
    func entersWhileEnding() async throws {
        let bench = Bench { busy, call in
            guard busy.number == 1 else { return try await Latch().wait() }
            call.context.begun.open()
            await call.context.released.waitStubbornly()
        }
        let (machine, run) = try await working(bench)
        run.cancel()
        try machine.fire.stop()
        try machine.fire.start(BusyState(2))
        // Leaves time for work that would begin.
        try await Task.sleep(for: .milliseconds(50))
        bench.released.open()
        await #expect(throws: CancellationError.self) { try await run.value }
        #expect(bench.journal.entries.filter { $0.hasPrefix("work") } == ["work 1"])
        #expect(machine.isIn(BusyState.self))
        machine.activate()
        while bench.journal.entries.last != "work 2" { await Task.yield() }
        withExtendedLifetime(machine) {}
    }

    @Test("Work of a state entered at the end of a cancelled run begins then or at the next activation")
    func entersAtTheEnd() async throws {
        for round in 0..<100 {
            let bench = Bench { busy, call in
                defer { call.context.journal.write("end \(busy.number)") }
                try await Latch().wait()
            }
            let machine = machine(bench)
            let run = Task { try await machine.run() }
            while !machine.isActive { await Task.yield() }
            try machine.fire.start(BusyState())
            async let entering: Void = onOwnThread {
                for number in 2...4 {
                    usleep(UInt32(round % 10) * 5)
                    try machine.fire.stop()
                    try machine.fire.start(BusyState(number))
                }
            }
            run.cancel()
            await #expect(throws: CancellationError.self) { try await run.value }
            try await entering
            machine.activate()
            func count(_ entry: String) -> Int { bench.journal.entries.count { $0 == entry } }
            // The order is open, because cancelled work may be late.
            while count("work 4") == count("end 4") { await Task.yield() }
            withExtendedLifetime(machine) {}
        }
    }

    @Test("A cancelled wait for a settled machine ends")
    func settlingCancelled() async throws {
        let bench = Bench { _, call in
            call.context.begun.open()
            try await call.context.released.wait()
        }
        let machine = machine(bench)
        try machine.fire.start(BusyState())
        try await bench.begun.wait()
        let settling = Task { await machine.settled() }
        try await Task.sleep(for: .milliseconds(20))
        settling.cancel()
        await settling.value
        #expect(machine.isIn(BusyState.self))
    }

    /// Waits until the first work is released.
    ///
    /// Work begun by a run waits for its end.
    private static func isFromBeforeRun(_ call: WorkCall<Shop>) async throws -> Bool {
        let isFirst = call.context.journal.entries.count { $0 == "work 1" } == 1
        call.context.begun.open()
        if isFirst { await call.context.released.waitStubbornly() } else { try await Latch().wait() }
        return isFirst
    }

    /// Begins work, lets a run begin it again and end, and then lets the first work go on.
    private func releaseAfterRun(_ machine: StateMachine<Shop>, _ bench: Bench) async throws {
        try machine.fire.start(BusyState())
        try await bench.begun.wait()
        let run = Task { try await machine.run() }
        while bench.journal.entries.count(where: { $0 == "work 1" }) < 2 { await Task.yield() }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        bench.released.open()
        try await bench.ended.wait()
        // Leaves time for work that would begin.
        try await Task.sleep(for: .milliseconds(50))
    }

    @Test("An error of work from before a run is no failure after it, and restarts nothing")
    func failsAfterRun() async throws {
        let bench = Bench { _, call in
            guard try await Self.isFromBeforeRun(call) else { return }
            call.context.ended.open()
            throw Spoilt()
        }
        let machine = machine(bench)
        machine.observe { if $0.kind == .failed { bench.journal.write("failed") } }
        try await releaseAfterRun(machine, bench)
        for _ in 0..<100 { await Task.yield() }
        #expect(bench.journal.entries.count { $0 == "work 1" } == 2)
        #expect(!bench.journal.entries.contains("failed"))
    }

    @Test("A fire after a run by work from before it is rejected, and restarts nothing")
    func firesAfterRun() async throws {
        let bench = Bench { busy, call in
            guard try await Self.isFromBeforeRun(call) else { return }
            defer { call.context.ended.open() }
            let error = try #require(throws: InvalidTransition.self) {
                try call.fire.finish(MadeState(busy.number))
            }
            call.context.journal.write("\(error.reason)")
        }
        let machine = machine(bench)
        machine.observe { bench.journal.write("\($0.kind)") }
        try await releaseAfterRun(machine, bench)
        #expect(
            bench.journal.entries == ["didEnter", "transitioned", "work 1", "work 1", "rejected", "notCurrent"]
        )
        #expect(machine.isIn(BusyState.self) && machine.revision == 1)
        machine.activate()
        while bench.journal.entries.count(where: { $0 == "work 1" }) < 3 { await Task.yield() }
        withExtendedLifetime(machine) {}
    }

    @Test("A machine without its context cannot run, and a machine in a final state returns at once")
    func runsNothing() async throws {
        let archive = try machine(Bench { _, _ in }).archive()
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .archived
        let machine = try decoder.decode(StateMachine<Shop>.self, from: archive)
        let error = await #expect(throws: InvalidTransition.self) { try await machine.run() }
        #expect(error?.reason == .missingContext)
        #expect(error?.description.hasPrefix("Shop cannot be run in RestState: the machine has no context yet") == true)
        try await StateMachine<Shop>(resumingIn: MadeState(1), context: Bench { _, _ in }).run()
    }

    @Test("A run leaves completed work alone, also if it is cancelled")
    func completedBefore() async throws {
        let bench = Bench { _, _ in }
        let machine = machine(bench)
        try machine.fire.start(BusyState())
        await machine.settled()
        let run = Task { try await machine.run() }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
        machine.activate()
        await machine.settled()
        #expect(bench.journal.entries == ["didEnter", "work 1"])
    }

    @Test("A run begins failed work again")
    func failedBefore() async throws {
        let bench = Bench { busy, call in
            if call.context.journal.entries.filter({ $0 == "work 13" }).count == 1 { throw CocoaError(.fileNoSuchFile) }
            try call.fire.finish(MadeState(busy.number))
        }
        let machine = machine(bench)
        // The builder of the event after a failure declines the number 13.
        try machine.fire.start(BusyState(13))
        await machine.settled()
        #expect(machine.isIn(BusyState.self))
        try await machine.run()
        #expect(bench.journal.entries == ["didEnter", "work 13", "work 13", "didExit"])
    }
}
