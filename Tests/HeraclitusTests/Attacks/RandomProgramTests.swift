import Heraclitus
import Testing

@testable import Fixtures

/// Threads do random operations on shared machines.
///
/// A sequence of transitions explains everything that they have seen.
@Suite("Random programs") struct RandomProgramTests {
    private static let attack = Attack("Random programs", suite: Self.self, counting: "operations")

    @Test("A sequence of transitions explains the observations of any number of threads")
    func linearizable() async throws {
        try await Self.attack.run { try Self.round($0) }
    }

    private static func round(_ start: Seed) throws -> Attack.Findings {
        var seed = start
        let count = 2 + seed.below(15)
        let steps = 20 + seed.below(480 / count)
        let arenas = try (0..<1 + seed.below(3)).map { index in
            try MadeUpTables.workflow(seed.below(72)).arena(index, &seed)
        }
        let players = (0..<count).map { Player($0, start.branch($0)) }
        onThreads(count) { index in
            let player = players[index]
            Player.$current.withValue(player) {
                for _ in 0..<steps {
                    let choice = player.draw { $0.below(arenas.count) }
                    arenas[choice].step(player, nil)
                }
            }
        }
        var findings = Attack.Findings(count: players.reduce(0) { $0 + $1.operationCount })
        for arena in arenas {
            let history = arena.close(players)
            let faults = HistoryChecker.check(history)
            findings.faults += faults.map { "\(history.model.name), \(count) threads: \($0)" }
        }
        return findings
    }

    @Test("The model's tables agree with the validator")
    func models() {
        for number in stride(from: 0, through: 64, by: 8) { MadeUpTables.workflow(number).compareWithValidator() }
    }
}

extension AttackedWorkflow {
    fileprivate static func arena(_ index: Int, _ seed: inout Seed) throws -> any Arena {
        try RandomArena(Self.self, index, &seed)
    }

    fileprivate static func compareWithValidator() {
        // An empty state of these programs has a number, by which they tell objects apart.
        #expect(diagnostics.allSatisfy { $0.kind == "emptyStateWithData" })
        let (validator, listed) = (TransitionValidator<Self>(), Self.table.events)
        for event in model.events {
            for source in Model.states {
                let leaving = listed.filter { $0.transitions.contains { $0.from == source } }
                #expect(leaving.map(\.name) == model.allowed(in: source))
                for destination in Model.states {
                    let verdict = model.verdict(on: .fire(event: event.name, to: destination), in: source)
                    let isValid = (try? validator.validate(named: event.name, from: source, to: destination)) != nil
                    if case .rejected = verdict { #expect(!isValid) } else { #expect(isValid) }
                }
            }
        }
    }
}
