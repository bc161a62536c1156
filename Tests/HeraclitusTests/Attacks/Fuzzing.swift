import Foundation
import Testing

@testable import Fixtures

/// A process that fuzzes one decoder, without other users of time and memory.
///
/// The environment variables are those of ``Attack``. Each seed is tried once, because decoding is deterministic.
enum Fuzzing {
    /// A fault of a decoding.
    struct Fault: Error, CustomStringConvertible {
        let description: String

        init(_ what: String, _ bytes: Data) {
            description = "\(what): \(String(decoding: bytes, as: UTF8.self).prefix(2_000))"
        }
    }

    /// Tries seeds until the time is over or a fault is found.
    static func run(_ name: String, _ body: (inout FuzzingSource) async throws -> Void) async throws {
        let (first, goesOn) = Attack.replayed ?? (UInt64.random(in: 0..<1 << 32), true)
        print("Fuzzing of \(name): from seed \(first)\(goesOn ? "+" : "")")
        let end = ContinuousClock.now + .seconds(Attack.seconds)
        var seed = first
        repeat {
            var source = FuzzingSource(seed)
            do {
                try await body(&source)
            } catch {
                Issue.record(
                    "\(name): \(error)\nTry again with: HERACLITUS_SEED=\(seed) swift test --filter FuzzingTests"
                )
                return
            }
            seed &+= 1
        } while goesOn && ContinuousClock.now < end
        print("Fuzzing of \(name): \(seed &- first) seeds, no fault")
    }

    private static let time = Duration.seconds(10)
    private static let memoryPerByte = 40

    /// The error of the system's count of pages.
    private static let memoryBesides = 512 << 10

    /// Decodes bytes; throws if the time or the memory exceeds the budget for their size.
    static func decoding<Result>(_ bytes: Data, _ body: () async throws -> Result) async throws -> Result {
        var excess = ""
        for _ in 0..<3 {
            let memory = PeakMemory()
            let start = ContinuousClock.now
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            let growth = memory?.growth ?? 0
            let time = ContinuousClock.now - start
            if time <= Self.time, growth <= memoryPerByte * bytes.count + memoryBesides { return try result.get() }
            // The first use takes pages of the program, so the decoding is repeated.
            excess = "takes \(time) and \(growth) bytes of memory for \(bytes.count)"
        }
        throw Fault(excess, bytes)
    }
}
