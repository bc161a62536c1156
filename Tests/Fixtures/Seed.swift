import Foundation
import Heraclitus
import Testing

/// A reproducible source of random numbers: SplitMix64.
struct Seed: RandomNumberGenerator, Sendable {
    /// The number that determines all others.
    let start: UInt64
    private var state: UInt64

    init(_ start: UInt64) {
        self.start = start
        state = start
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A separate source for one of several threads.
    func branch(_ index: Int) -> Seed {
        var mixer = Seed(start ^ UInt64(truncatingIfNeeded: index &+ 1) &* 0xD134_2543_DE82_EF95)
        return Seed(mixer.next())
    }

    /// A number below a bound.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// Returns `true` in a percentage of the calls.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// A random element of a collection.
    mutating func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element {
        choices[choices.index(choices.startIndex, offsetBy: below(choices.count))]
    }
}

/// A suite that tries random programs until its time is over.
///
/// - `HERACLITUS_ATTACK_SECONDS` is the duration of each attack, by default 0.3 seconds.
/// - `HERACLITUS_SEED=42` repeats the program of one seed: threads meet differently each time.
/// - `HERACLITUS_SEED=42+` runs the programs of that seed and of the seeds after it, as the run that printed 42 did.
struct Attack: Sendable {
    /// The result of a round of an attack.
    struct Findings: Sendable {
        /// The number of operations.
        var count = 0

        /// The faults.
        var faults: [String] = []
    }

    /// The subject of the attack, for the report.
    let name: String

    /// The type of the suite, for the command that repeats the attack.
    let suite: String

    /// The counted unit, such as "operations".
    let unit: String

    init(_ name: String, suite: Any.Type, counting unit: String) {
        self.name = name
        self.suite = String(describing: suite)
        self.unit = unit
    }

    /// The duration of an attack, in seconds.
    static let seconds: Double = {
        let text = ProcessInfo.processInfo.environment["HERACLITUS_ATTACK_SECONDS"]
        return text.flatMap(Double.init) ?? 0.3
    }()

    /// The first seed, and whether to continue with the next ones.
    static let replayed: (seed: UInt64, goesOn: Bool)? = {
        guard let text = ProcessInfo.processInfo.environment["HERACLITUS_SEED"], !text.isEmpty else { return nil }
        guard let seed = UInt64(text.hasSuffix("+") ? String(text.dropLast()) : text) else {
            fatalError("HERACLITUS_SEED is a number, or a number and a plus sign: \(text)")
        }
        return (seed, text.hasSuffix("+"))
    }()

    /// Runs rounds until the time is over or a fault is found.
    ///
    /// The report has the seed of the fault.
    ///
    /// A round that hangs is a fault, too: it stops the process with its seed.
    /// - Parameters:
    ///   - patience: The number of seconds after which a round counts as hung.
    ///   - location: The test.
    ///   - round: Runs the program of a seed.
    /// - Throws: The error of a round.
    func run(
        patience: Double = 180,
        location: SourceLocation = #_sourceLocation,
        _ round: @escaping @Sendable (Seed) throws -> Findings
    ) async throws {
        let report = Box<String>()
        try await onOwnThread { report.value = try repeatRounds(patience: patience, round) }
        if let fault = report.value { Issue.record("\(fault)", sourceLocation: location) }
    }

    /// - Returns: The first fault; `nil` if there is none.
    private func repeatRounds(
        patience: Double,
        _ round: @escaping @Sendable (Seed) throws -> Findings
    ) throws -> String? {
        let (first, goesOn) = Self.replayed ?? (UInt64.random(in: 0..<1 << 32), true)
        print("\(name): from seed \(first)\(goesOn ? "+" : "")")
        let end = Date(timeIntervalSinceNow: Self.seconds)
        var rounds = 0
        var count = 0
        repeat {
            let seed = goesOn ? first &+ UInt64(rounds) : first
            let findings = try result(of: round, Seed(seed), patience: patience)
            rounds += 1
            count += findings.count
            if !findings.faults.isEmpty {
                let text = findings.faults.prefix(5).joined(separator: "\n")
                return "\(name), round \(rounds): \(findings.faults.count) faults\n\(text)\n\(replay(seed))"
            }
        } while Date() < end
        print("\(name): \(rounds) rounds, \(count) \(unit), no fault")
        return nil
    }

    /// Runs a round on its own thread, so that a hanging round is noticed.
    private func result(
        of round: @escaping @Sendable (Seed) throws -> Findings,
        _ seed: Seed,
        patience: Double
    ) throws -> Findings {
        let result = Box<Result<Findings, any Error>>()
        let done = onThread { result.value = Result { try round(seed) } }
        guard done.comes(within: patience), let found = result.value else {
            fatalError("\(name): hangs. \(replay(seed.start))")
        }
        return try found.get()
    }

    private func replay(_ seed: UInt64) -> String {
        "Try again with: HERACLITUS_SEED=\(seed) HERACLITUS_ATTACK_SECONDS=60 swift test --filter \(suite)"
    }

    /// A value that one thread writes before it signals another thread, which reads it.
    private final class Box<Value: Sendable>: Sendable {
        private let content = Lock<Value?>(nil)

        var value: Value? {
            get { content.withLock { $0 } }
            set { content.withLock { $0 = newValue } }
        }
    }
}
