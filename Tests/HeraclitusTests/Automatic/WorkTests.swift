import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Work", .timeLimit(.minutes(20))) struct WorkTests {
    func machine(_ bench: Bench) -> StateMachine<Shop> { StateMachine(context: bench) }

    @Test("Work begins after all callbacks, and fires the following event")
    func begins() async throws {
        let bench = Bench { busy, call in try call.fire.finish(MadeState(busy.number)) }
        let machine = machine(bench)
        machine.onTransition { bench.journal.write("observer \($0.event ?? "")") }
        try machine.fire.start(BusyState(7))
        await machine.settled()
        #expect((machine.state as? MadeState)?.number == 7)
        #expect(bench.journal.entries == ["didEnter", "observer start", "work 7", "didExit", "observer finish"])
    }

    @Test("A wait for work ends after all observers of its event, also if the event fires just then")
    func settledAfterCallbacks() async throws {
        for _ in 0..<3_000 {
            let bench = Bench { busy, call in try call.fire.finish(MadeState(busy.number)) }
            let machine = machine(bench)
            machine.onTransition { bench.journal.write("observer \($0.event ?? "")") }
            try machine.fire.start(BusyState(7))
            await machine.settled()
            #expect(bench.journal.entries.last == "observer finish")
        }
    }

    @Test("Work does not begin in a state that a callback has decided to leave")
    func left() async throws {
        let bench = Bench { _, _ in }
        let machine = machine(bench)
        let hasBegun = DispatchSemaphore(value: 0)
        let other = self.machine(Bench { _, _ in hasBegun.signal() })
        machine.willExit(BusyState.self) { _, _ in
            // Work that had begun would be before the other machine's work in the queue of tasks.
            #expect(throws: Never.self) { try other.fire.start(BusyState()) }
            #expect(hasBegun.comes())
            usleep(10_000)
        }
        try await onOwnThread { try machine.fire.start(BusyState(-1)) }
        await machine.settled()
        #expect(bench.journal.entries == ["didEnter", "didExit"])
    }

    @Test("Work is cancelled before `didExit`, and its `CancellationError` is no error")
    func cancelled() async throws {
        let bench = Bench { _, call in
            try await withTaskCancellationHandler {
                call.context.begun.open()
                try await call.context.released.wait()
            } onCancel: {
                call.context.journal.write("cancelled")
            }
        }
        let machine = machine(bench)
        let heard = CallLog()
        machine.observe { heard.write($0.kind.rawValue) }
        try machine.fire.start(BusyState())
        try await bench.begun.wait()
        try machine.fire.stop()
        #expect(bench.journal.entries == ["didEnter", "work 1", "cancelled", "didExit"])
        await machine.settled()
        #expect(heard.entries == ["transitioned", "transitioned"])
    }

    @Test("Work that ignores its cancellation holds up no one, and its fires come too late")
    func stubborn() async throws {
        let bench = Bench { busy, call in
            guard busy.number == 1 else { return try await Latch().wait() }
            call.context.begun.open()
            await call.context.released.waitStubbornly()
            defer { call.context.ended.open() }
            do throws(InvalidTransition) {
                try call.fire.finish(MadeState(1))
            } catch {
                call.context.journal.write(error.reason.rawValue)
                throw error
            }
        }
        let machine = machine(bench)
        let heard = CallLog()
        machine.observe { heard.write($0.kind.rawValue) }
        try machine.fire.start(BusyState(1))
        try await bench.begun.wait()
        try machine.fire.stop()
        await machine.settled()
        try machine.fire.start(BusyState(2))
        bench.released.open()
        try await bench.ended.wait()
        #expect(bench.journal.entries.contains("notCurrent"))
        #expect((machine.state as? BusyState)?.number == 2)
        #expect(machine.revision == 3)
        #expect(heard.entries == ["transitioned", "transitioned", "transitioned", "rejected"])
    }

    @Test("An error of work after its state was left is no failure, because its cancellation may cause the error")
    func failsLate() async throws {
        let bench = Bench.failing
        let machine = machine(bench)
        let heard = CallLog()
        machine.observe { heard.write($0.kind.rawValue) }
        weak var working: BusyState?
        working = try start(machine)
        try await bench.begun.wait()
        try machine.fire.progress(BusyState(2))
        try machine.fire.stop()
        // The machine keeps the state that it has left last.
        try machine.fire.start(BusyState(3))
        try machine.fire.stop()
        bench.released.open()
        // The work retains the state until its end.
        while working != nil { await Task.yield() }
        #expect(heard.entries == Array(repeating: "transitioned", count: 5))
    }

    private func start(_ machine: StateMachine<Shop>) throws -> BusyState {
        let state = BusyState(1)
        try machine.fire.start(state)
        return state
    }

    @Test("An error during the exit of the state is reported, and fires nothing")
    func failsMeanwhile() async throws {
        let bench = Bench { _, call in
            call.context.begun.open()
            await call.context.released.waitStubbornly()
            call.context.journal.write("throws")
            throw Spoilt()
        }
        let machine = machine(bench)
        let heard = CallLog()
        machine.observe { occurrence in
            heard.write(occurrence.kind.rawValue)
            if occurrence.kind == .failed { bench.ended.open() }
        }
        machine.willExit(BusyState.self) { _, _ in
            bench.released.open()
            while !bench.journal.entries.contains("throws") { usleep(1_000) }
            // Leaves time for the error to get to the machine.
            usleep(100_000)
        }
        try machine.fire.start(BusyState(1))
        try await bench.begun.wait()
        try await onOwnThread { try machine.fire.stop() }
        try await bench.ended.wait()
        #expect(heard.entries == ["transitioned", "transitioned", "failed"])
    }

    @Test("An error fires the state's event, whose callbacks see it; so does an unrequested cancellation")
    func fails() async throws {
        let errors: [any Error] = [Spoilt(), CancellationError()]
        let bench = Bench { busy, _ in throw errors[busy.number - 1] }
        for number in 1...2 {
            let machine = machine(bench)
            let heard = CallLog()
            machine.onTransition { heard.write("\($0.event ?? "") \($0.failure.map { "\($0)" } ?? "")") }
            try machine.fire.start(BusyState(number))
            await machine.settled()
            let text = number == 1 ? "spoilt" : "CancellationError()"
            #expect((machine.state as? BrokenState)?.reason == "\(number) \(text)")
            #expect(heard.entries == ["start ", "fail \(text)"])
        }
    }

    @Test("Work that cancels its own task and throws has failed")
    func cancelsItself() async throws {
        let bench = Bench { _, _ in
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            try Task.checkCancellation()
        }
        let machine = machine(bench)
        try machine.fire.start(BusyState(1))
        await machine.settled()
        #expect((machine.state as? BrokenState)?.reason == "1 CancellationError()")
    }

    @Test("If the event is rejected, observers get the rejection and the error")
    func rejected() async throws {
        let machine = machine(Bench { _, _ in throw Spoilt() })
        let heard = CallLog()
        machine.observe { heard.write("\($0.kind) \($0.message)") }
        try machine.fire.start(BusyState(13))
        await machine.settled()
        #expect(machine.isIn(BusyState.self))
        #expect(heard.entries.count == 3)
        #expect(heard.entries[1].hasPrefix("rejected Shop cannot fire \"fail\" in BusyState"))
        #expect(heard.entries[2] == "failed the work of BusyState has failed: spoilt")
    }

    private final class LoneState: WorkflowState, EmptyState, Working {
        func work(_ call: WorkCall<Lone>) async throws { throw Spoilt() }
    }

    private struct Lone: Workflow {
        static var initial: any WorkflowState { LoneState() }
        let again = Event(to: LoneState.self)
    }

    @Test("Without such an event, observers get the error")
    func observed() async throws {
        let machine = StateMachine<Lone>()
        let heard = CallLog()
        machine.observe { heard.write("\($0.level): \($0)") }
        machine.observe { occurrence in
            guard occurrence.kind == .failed else { return }
            heard.write(
                "\(occurrence.kind) \(occurrence.source) \(occurrence.state is LoneState) \(occurrence.error is Spoilt)"
            )
            let data = try? JSONEncoder().encode(occurrence)
            let read = data.flatMap { try? JSONDecoder().decode(Occurrence.self, from: $0) }
            heard.write("\(read?.kind.rawValue ?? "")")
        }
        machine.activate()
        await machine.settled()
        #expect(
            heard.entries == [
                "error: Lone the work of LoneState has failed: spoilt", "failed LoneState true true", "failed",
            ]
        )
    }

    @Test("Work may update its state at any rate, and the updates keep it going")
    func progress() async throws {
        let bench = Bench { _, call in
            for number in 2...1_000 { try call.fire.progress { _ in BusyState(number) } }
            try call.fire.finish { busy in MadeState(busy.number) }
        }
        let machine = machine(bench)
        try machine.fire.start(BusyState())
        await machine.settled()
        #expect((machine.state as? MadeState)?.number == 1_000)
        #expect(machine.revision == 1_001)
        #expect(bench.journal.entries == ["didEnter", "work 1", "didExit"])
    }

    @Test("An update without a takeover cancels the work and begins it again")
    func restarts() async throws {
        let bench = Bench { busy, call in
            if busy.number == 1 {
                call.context.begun.open()
                try await call.context.released.wait()
            }
            try call.fire.finish(MadeState(busy.number))
        }
        let machine = machine(bench)
        try machine.fire.start(BusyState(1))
        try await bench.begun.wait()
        try machine.fire.progress(BusyState(2, restarts: true))
        await machine.settled()
        #expect((machine.state as? MadeState)?.number == 2)
        #expect(bench.journal.entries == ["didEnter", "work 1", "work 2", "didExit"])
    }

    @Test("Completed work does not begin again with an update")
    func completed() async throws {
        let bench = Bench { _, _ in }
        let machine = machine(bench)
        try machine.fire.start(BusyState(1))
        await machine.settled()
        let takings = CallLog()
        try machine.fire.progress(BusyState(2, takings: takings))
        await machine.settled()
        #expect(bench.journal.entries == ["didEnter", "work 1"])
        #expect(takings.entries == ["1"])
    }

    @Test("Fires of one turn are bound to the result of the fire before")
    func inTurn() async throws {
        let bench = Bench { _, call in
            try call.machine?.perform { _ in
                try call.fire.progress(BusyState(2))
                try call.fire.finish { busy in MadeState(busy.number) }
                let late = #expect(throws: InvalidTransition.self) { try call.fire.progress(BusyState(3)) }
                #expect(late?.reason == .notCurrent)
            }
        }
        let machine = machine(bench)
        try machine.fire.start(BusyState(1))
        await machine.settled()
        #expect((machine.state as? MadeState)?.number == 2)
    }

    @Test("Work leaves its machine unretained and is cancelled with it; later fires are rejected")
    func dropped() async throws {
        let bench = Bench { _, call in
            call.context.begun.open()
            try? await call.context.released.wait()
            call.context.journal.write("\(Task.isCancelled) \(call.machine == nil)")
            do throws(InvalidTransition) {
                try call.fire.finish(MadeState(1))
            } catch {
                call.context.journal.write("\(error)")
            }
            call.context.ended.open()
        }
        weak var gone: StateMachine<Shop>?
        do {
            let machine = machine(bench)
            gone = machine
            try machine.fire.start(BusyState())
            try await bench.begun.wait()
            withExtendedLifetime(machine) {}
        }
        try await bench.ended.wait()
        #expect(gone == nil)
        #expect(
            bench.journal.entries.suffix(2) == [
                "true true",
                "Shop cannot be fired by its work in BusyState: the state object, or the one that holds this machine, is no longer current.",
            ]
        )
    }

    @Test("Work with the last reference to its machine releases it")
    func releasedByItself() async throws {
        let bench = Bench { _, call in
            var machine = call.machine
            call.context.begun.open()
            await call.context.released.waitStubbornly()
            #expect(machine != nil)
            machine = nil
            call.context.journal.write("\(Task.isCancelled) \(call.machine == nil)")
            call.context.ended.open()
        }
        do {
            let machine = machine(bench)
            try machine.fire.start(BusyState())
            try await bench.begun.wait()
            withExtendedLifetime(machine) {}
        }
        bench.released.open()
        try await bench.ended.wait()
        #expect(bench.journal.entries.last == "true true")
    }

    @Test("A restored machine begins its work when it is activated, and a copy begins its own")
    func restoredAndCopied() async throws {
        let waiting = Bench { _, _ in try await Latch().wait() }
        let original = machine(waiting)
        try original.fire.start(BusyState(3))
        let bench = Bench { busy, call in try call.fire.finish(MadeState(busy.number)) }
        let restored = try StateMachine<Shop>(archive: original.archive(), context: bench)
        let copy = restored.copy()
        await restored.settled()
        #expect(bench.journal.entries == [])
        restored.activate()
        await restored.settled()
        #expect(bench.journal.entries == ["didRestore", "work 3", "didExit"])
        #expect(restored.isIn(MadeState.self) && copy.isIn(BusyState.self))
        copy.activate()
        await copy.settled()
        #expect(copy.isIn(MadeState.self))

        let second = original.copy()
        #expect(second.isActive)
        while waiting.journal.entries.count(where: { $0 == "work 3" }) < 1 { await Task.yield() }
        second.activate()
        while waiting.journal.entries.count(where: { $0 == "work 3" }) < 2 { await Task.yield() }
        #expect(waiting.journal.entries.filter { $0 == "didEnter" }.count == 1)
        try second.fire.stop()
        #expect(original.isIn(BusyState.self))
    }

    @Test("Due events of a restored machine fire first, and may leave the work unneeded")
    func dueFirst() async throws {
        let bench = Bench { _, _ in }
        let machine = StateMachine<Shop>(resumingIn: BusyState(1, until: .distantPast), context: bench)
        machine.activate()
        await machine.settled()
        #expect((machine.state as? BrokenState)?.reason == "late")
        #expect(bench.journal.entries == ["didRestore", "didExit"])
    }

    @Test("Work does not begin in a store's unit of work")
    func passive() async throws {
        let bench = Bench { _, _ in }
        let store = InMemoryStore()
        let takings = CallLog()
        try await store.workflow(Shop.self, context: bench).update("1") {
            try $0.fire.start(BusyState())
            await $0.settled()
            #expect("\($0)" == "Shop in BusyState, revision 1, passive: the work of its state does not run")
            // There is no work to take over.
            try $0.fire.progress(BusyState(2, takings: takings))
            // Leaves time for work that would begin.
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(bench.journal.entries == ["didEnter"])
        #expect(takings.entries == [])
        #expect(try await store.workflow(Shop.self, context: bench).ids(in: [BusyState.self]) == ["1"])
    }
}

// MARK: - Definitions

extension WorkTests {
    private struct Idle: Workflow {
        static var initial: any WorkflowState { RestState() }
        let fail = Event(from: RestState.self, to: BrokenState.self).whenFailed { _, _ in BrokenState("") }
    }

    private struct Foreign: Workflow {
        static var initial: any WorkflowState { LoneState() }
        let once = Event(from: LoneState.self, to: RestState.self).whenFailed()
        let twice = Event(from: LoneState.self, to: RestState.self).whenFailed()
    }

    @Test("Failure events of states without work, duplicates, and work of another workflow are problems")
    func problems() {
        #expect(Idle.diagnostics.facts == ["eventWithoutWork fail"])
        let problems = Foreign.diagnostics
        #expect(problems.facts.contains("ambiguousWork LoneState once twice"))
        #expect(problems.facts.contains { $0.hasPrefix("foreignWork ") && $0.hasSuffix("LoneState Lone") })
        #expect(problems.filter { !$0.stopsTheProgram } == [])
        #expect(Shop.diagnostics.isEmpty)
    }

    @Test("The table lists automatic events; a table written before lists none")
    func table() throws {
        let table = Shop.table
        #expect(table["fail"]?.triggers == [.failure])
        #expect(table["expire"]?.triggers == [.due])
        #expect(table["stop"]?.triggers == [])
        let data = try JSONEncoder().encode(table)
        #expect(try JSONDecoder().decode(TransitionTable.self, from: data) == table)
        var json = try JSONDecoder().decode(JSONValue.self, from: data)
        json["events"] = [["name": "fail", "transitions": [], "ignored": []]]
        let old = try JSONDecoder().decode(TransitionTable.self, from: JSONEncoder().encode(json))
        #expect(old["fail"]?.triggers == [])
    }

    @Test("A machine without activity is settled")
    func settled() async {
        await StateMachine<Door>().settled()
        let machine = StateMachine<Lone>()
        await machine.settled()
        #expect(!machine.isActive)
    }
}
