public import HeraclitusStores

/// Checks that a store keeps the promises of `ArchiveStore`.
///
/// ```swift
/// @Test func store() async throws {
///     let failures = try await StoreConformance.failures { try await DatabaseStore(inMemory: true) }
///     #expect(failures == [])
/// }
/// ```
public enum StoreConformance {
    /// Checks every promise of a store.
    ///
    /// The deliveries and workers of the library need no more than these promises.
    /// - Parameter makeStore: Makes an empty store for each check.
    /// - Returns: A sentence for each broken promise.
    /// - Throws: The error of `makeStore`.
    public nonisolated(nonsending) static func failures(
        _ makeStore: () async throws -> any ArchiveStore
    ) async throws -> [String] {
        var failures: [String] = []
        for (name, run) in checks {
            let check = StoreCheck(of: try await makeStore())
            do {
                try await run(check)
            } catch {
                check.add("threw \(error)")
            }
            failures += check.failures.map { "\(name): \($0)" }
        }
        return failures
    }

    private static let checks: [(String, @Sendable (StoreCheck) async throws -> Void)] = [
        ("keeping", { try await $0.keeping() }), ("ids", { try await $0.keepingIDs() }),
        ("conflicts", { try await $0.conflicts() }), ("deleting", { try await $0.deleting() }),
        ("deleting at once", { try await $0.deletingAtOnce() }), ("finding", { try await $0.finding() }),
        ("finding by values", { try await $0.findingByValues() }), ("pages", { try await $0.pages() }),
        ("versions", { try await $0.versions() }), ("deadlines", { try await $0.deadlines() }),
        ("loading several", { try await $0.several() }), ("saving together", { try await $0.transactions() }),
        ("transfers", { try await $0.transfers() }), ("ringing", { try await $0.ringing() }),
        ("keeping effects", { try await $0.keepingEffects() }),
        ("claiming effects", { try await $0.claimingEffects() }),
        ("claiming due machines", { try await $0.claimingDue() }),
        ("listing claimed machines", { try await $0.listingClaimed() }),
        ("claiming at once", { try await $0.claimingAtOnce() }),
    ]
}
