import Foundation
import Heraclitus
import Testing

@testable import Fixtures

/// A line that is open as long as the object lives.
private final class Line: Sendable {
    let journal: CallLog
    init(_ journal: CallLog) {
        self.journal = journal
        journal.write("opened")
    }
    deinit { journal.write("closed") }
}

private final class QuietState: EmptyState {}
private final class TalkingState: WorkflowState, Working {
    let subject: String
    let number: Int

    /// A line, which archives leave out.
    private let kept = Lock<Line?>(nil)
    var line: Line? { kept.withLock { $0 } }
    private enum CodingKeys: CodingKey { case subject, number }

    init(_ subject: String, to number: Int = 1) {
        self.subject = subject
        self.number = number
    }

    func work(_ call: WorkCall<PhoneCall>) async throws {
        let bench = call.context
        kept.withLock { $0 = Line(bench.journal) }
        bench.begun.open()
        // All lines but the first wait for the end of the conversation.
        if number == 1 { try await bench.released.wait() } else { try await Task.sleep(for: .seconds(600)) }
        // The work goes on with the latest data of the machine's state.
        let now = call.machine?.state as? TalkingState
        bench.journal.write("\(now?.subject ?? "") \(now?.line != nil) \(now === self || line == nil)")
        try call.fire.hangUp()
    }

    func continuesWork(of old: TalkingState) -> Bool {
        guard old.number == number else { return false }
        let line = old.kept.withLock { line in
            defer { line = nil }
            return line
        }
        kept.withLock { $0 = line }
        return true
    }
}

private struct PhoneCall: Workflow {
    final class Phone: Sendable {
        let journal = CallLog()
        let begun = Latch()
        let released = Latch()
    }
    typealias Context = Phone
    static var initial: any WorkflowState { QuietState() }
    let dial = Event(from: QuietState.self, to: TalkingState.self)
    let change = Event(updating: TalkingState.self)
    let hangUp = Event(from: TalkingState.self, to: QuietState.self)
}

@Suite("Handing over", .timeLimit(.minutes(20))) struct HandoverTests {
    @Test("An update hands over a live object of the state, and the work goes on with it")
    func handingOver() async throws {
        let phone = PhoneCall.Phone()
        let machine = StateMachine<PhoneCall>(context: phone)
        try machine.fire.dial(TalkingState("weather"))
        try await phone.begun.wait()
        let line = try #require((machine.state as? TalkingState)?.line)
        try machine.fire.change(TalkingState("food"))
        try machine.fire.change(TalkingState("work"))
        #expect((machine.state as? TalkingState)?.line === line)
        #expect((machine.previousState as? TalkingState)?.line == nil)
        phone.released.open()
        await machine.settled()
        #expect(machine.isIn(QuietState.self))
        #expect(phone.journal.entries == ["opened", "work true true"])
        // The machine keeps the previous state until the next transition, and this test keeps the line, too.
        withExtendedLifetime(line) {}
    }

    @Test("Work that has not begun when its state is updated begins with the new data, without a handover")
    func updatedBeforeItBegins() async throws {
        let phone = PhoneCall.Phone()
        phone.released.open()
        let machine = StateMachine<PhoneCall>(context: phone)
        let held = HeldExecutor()
        let run = Task(executorPreference: held) { try await machine.run() }
        // The run waits for work, which begins only in a task of this executor.
        for _ in 0..<30_000 where machine.revision == 0 && !machine.isActive {
            held.runWhatWaits()
            try await Task.sleep(for: .milliseconds(1))
        }
        held.runWhatWaits()
        weak var first: TalkingState?
        do {
            let talking = TalkingState("weather")
            first = talking
            try machine.fire.dial(talking)
        }
        // A handover now would be empty, and the work would then open a line in the old state.
        try machine.fire.change(TalkingState("food"))
        try machine.fire.change(TalkingState("work"))
        #expect(first == nil)
        for _ in 0..<30_000 where !machine.isIn(QuietState.self) {
            held.runWhatWaits()
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(phone.journal.entries == ["opened", "work true true"])
        run.cancel()
        held.runAlways()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test("A live object is released with its last state, and an archive opens its own")
    func handedOverAndGone() async throws {
        let phone = PhoneCall.Phone()
        let machine = StateMachine<PhoneCall>(context: phone)
        try machine.fire.dial(TalkingState("weather"))
        try await phone.begun.wait()
        try machine.fire.change(TalkingState("food"))
        let json = try machine.archive()
        #expect(phone.journal.entries == ["opened"])
        // A call to another number: the old line is closed with its state.
        try machine.fire.change(TalkingState("food", to: 2))
        for _ in 0..<30_000 where phone.journal.entries.count(where: { $0 == "opened" }) < 2 {
            try await Task.sleep(for: .milliseconds(10))
        }
        try machine.fire.change(TalkingState("work", to: 2))
        #expect(phone.journal.entries.sorted() == ["closed", "opened", "opened"])
        try machine.fire.hangUp()
        try machine.fire.dial(TalkingState("", to: 3))
        try machine.fire.hangUp()
        let later = PhoneCall.Phone()
        later.released.open()
        let restored = try StateMachine<PhoneCall>(archive: json, context: later)
        restored.activate()
        await restored.settled()
        #expect(later.journal.entries.prefix(2) == ["opened", "food true true"])
    }
}
