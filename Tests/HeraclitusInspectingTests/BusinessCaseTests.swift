import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import HeraclitusTesting
import Testing

@testable import Fixtures

/// A log of business cases, run through a model with a restart at every event.
///
/// The journals show the misplaced lines.
@Suite("Logs of business cases") struct BusinessCaseTests {
    protocol ClaimState: WorkflowState {}
    final class RegisteredState: ClaimState, EmptyState {}
    final class CheckedState: ClaimState, EmptyState {}
    final class DecidedState: ClaimState {
        let amount: Int
        init(amount: Int) { self.amount = amount }
    }
    final class PaidState: ClaimState, EmptyState {}
    final class ClosedState: ClaimState, EmptyState {}

    struct Claim: Workflow {
        static var initial: any ClaimState { RegisteredState() }
        static var journal: Int { 50 }
        let check = Event(from: RegisteredState.self, CheckedState.self, to: CheckedState.self)
        let decide = Event(from: CheckedState.self, to: DecidedState.self)
        let pay = Event(from: DecidedState.self, to: PaidState.self)
            .guarded { decided, _, _ in if decided.amount == 0 { throw Objection(text: "nothing to pay") } }
        let reopen = Event(from: ClosedState.self, DecidedState.self, to: CheckedState.self)
        let close = Event(from: PaidState.self, DecidedState.self, to: ClosedState.self)
    }

    struct Line {
        let id: String
        let event: String
        let amount: Int

        /// Whether the line is misplaced.
        let isMisplaced: Bool
    }

    /// Mixed lines of typical cases, with some misplaced lines.
    private static func log(cases: Int, seed: UInt64) -> [Line] {
        var random = Numbers(state: seed)
        var waiting: [[Line]] = (0..<cases).map { number in
            let id = "claim-\(number)"
            let amount = Bool.random(using: &random) ? 100 + number : 0
            func line(_ event: String, isMisplaced: Bool = false) -> Line {
                Line(id: id, event: event, amount: amount, isMisplaced: isMisplaced)
            }
            let checks = Int.random(in: 1...3, using: &random)
            var lines = (0..<checks).map { _ in line("check") } + [line("decide")]
            if Int.random(in: 0..<5, using: &random) == 0 { lines += [line("reopen"), line("check"), line("decide")] }
            if amount > 0 { lines.append(line("pay")) }
            lines.append(line("close"))
            switch Int.random(in: 0..<10, using: &random) {
            // Paid before the decision.
            case 0: lines.insert(line("pay", isMisplaced: true), at: checks)
            // Closed twice.
            case 1: lines.append(line("close", isMisplaced: true))
            // An event outside the model.
            case 2: lines.insert(line("escalate", isMisplaced: true), at: 1)
            // Paid without an amount.
            case 3 where amount == 0: lines.insert(line("pay", isMisplaced: true), at: lines.count - 1)
            default: break
            }
            return lines
        }
        var log: [Line] = []
        while !waiting.isEmpty {
            let index = Int.random(in: waiting.indices, using: &random)
            log.append(waiting[index].removeFirst())
            if waiting[index].isEmpty { waiting.remove(at: index) }
        }
        return log
    }

    private struct Numbers: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    private static func fire(_ line: Line, in claim: StateMachine<Claim>) {
        switch line.event {
        case "decide": try? claim.fire.decide(DecidedState(amount: line.amount))
        default: try? claim.fire[named: line.event]()
        }
    }

    @Test("Replayed with a restart at every event, the journals show exactly the misplaced lines")
    func misfits() throws {
        let log = Self.log(cases: 300, seed: 1)
        var archives: [String: Data] = [:]
        var misplaced: [String: [String]] = [:]
        for line in log {
            let claim = try archives[line.id].map { try StateMachine<Claim>(archive: $0) } ?? StateMachine<Claim>()
            Self.fire(line, in: claim)
            archives[line.id] = try claim.archive()
            if line.isMisplaced { misplaced[line.id, default: []].append(line.event) }
        }
        var found: [String: [String]] = [:]
        for (id, archive) in archives {
            let claim = try StateMachine<Claim>(archive: archive)
            #expect(claim.isIn(ClosedState.self), "\(claim.journal.table)")
            let rejected = claim.journal.filter { $0.kind == .rejected }
            if !rejected.isEmpty { found[id] = rejected.compactMap(\.event) }
            #expect(rejected.allSatisfy { ["notAllowed", "unknownEvent", "declined"].contains($0.reason) })
            #expect(claim.journal.count == log.count { $0.id == id })
            #expect(claim.journal.misfits(by: TransitionValidator<Claim>()).isEmpty)
        }
        #expect(found == misplaced && found.count > 30)
    }

    @Test("A store shows the same, with the journal file as the log of all cases")
    func stored() async throws {
        let log = Self.log(cases: 40, seed: 4)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        let store = InMemoryStore().journaled(in: JournalFile(at: file))
        for line in log { try await store.workflow(Claim.self).update(line.id) { claim in Self.fire(line, in: claim) } }
        var read: [String] = []
        for try await line in JournalFile(at: file).lines {
            let entry = try line.result.get()
            read.append("\(entry.id) \(entry.occurrence.event ?? "") \(entry.occurrence.kind == .rejected)")
        }
        #expect(read == log.map { "\($0.id) \($0.event) \($0.isMisplaced)" })
    }
}
