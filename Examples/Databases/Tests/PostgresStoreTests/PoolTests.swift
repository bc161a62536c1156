import Foundation
import SQLStores
import StoreTesting
import Synchronization
import Testing

@testable import PostgresStore

@Suite(
    "Connection pools",
    .enabled(
        if: Server.isExpected,
        "No PostgreSQL server is installed; HERACLITUS_NEEDS_POSTGRES makes that a failure."
    )
)
struct PoolTests {
    private let opened = Opened()
    private let pool: ConnectionPool

    /// The number of opened connections.
    private final class Opened: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    init() async throws {
        let (place, opened) = (try await Server.shared.value.place("postgres"), opened)
        let limits = PostgresConnection.Limits(connect: .seconds(5), statement: .seconds(10), network: .seconds(5))
        pool = ConnectionPool(size: 1, store: "shop") {
            opened.add()
            return try PostgresConnection(place, limits)
        }
    }

    /// The error of a call whose closure throws the given errors in turn, and then returns.
    private func outcome(_ errors: [any Error] = [], isChange: Bool = true) async -> (any Error)? {
        let calls = Mutex(0)
        do {
            try await pool.run(for: "1", isChange: isChange) { _, _ in
                let call = calls.withLock { calls in
                    defer { calls += 1 }
                    return calls
                }
                if call < errors.count { throw errors[call] }
            }
            return nil
        } catch {
            return error
        }
    }

    private func reason(_ errors: any Error..., isChange: Bool = true) async -> DatabaseError.Reason? {
        await reason(errors, isChange: isChange)
    }

    private func reason(_ errors: [any Error], isChange: Bool) async -> DatabaseError.Reason? {
        let error = await outcome(errors, isChange: isChange)
        let found = error as? DatabaseError
        #expect(found?.store == "shop" && found?.id == "1")
        return found?.reason
    }

    private let lost = ConnectionFailure.lost("cut")
    private let stale = ConnectionFailure.stale("closed")

    @Test("A statement on a stale connection is retried twice on new connections")
    func staleConnections() async throws {
        #expect(await outcome([stale, stale]) == nil)
        #expect(opened.count == 3)
        #expect(await reason(stale, stale, stale) == .inaccessible("closed"))
        // The next connection is new.
        #expect(await outcome() == nil)
        #expect(opened.count == 6)
    }

    @Test(
        "Any error after a connection was lost during a change leaves the outcome unclear; reads are never unclear"
    )
    func unclear() async throws {
        let busy = ConnectionFailure.refused(.busy)
        let own = DatabaseError(store: "", .busy)
        for error in [busy, own] as [any Error] {
            #expect(await reason(error) == .busy)
            #expect(await reason(lost, error) == .unclear("cut"))
            #expect(await reason(lost, error, isChange: false) == .busy)
        }
        #expect(await reason(lost, lost) == .unclear("cut"))
        #expect(await reason(lost, lost, isChange: false) == .inaccessible("cut"))
        #expect(await outcome([lost]) == nil)
        #expect(await outcome([lost, stale]) == nil)
    }

    @Test("A transaction that lost a race is retried a limited number of times", .timeLimit(.minutes(5)))
    func retries() async throws {
        let calls = Mutex(0)
        let error = await #expect(throws: DatabaseError.self) {
            try await pool.run(for: "1", isChange: true) { _, _ in
                calls.withLock { $0 += 1 }
                throw ConnectionFailure.retryable("again")
            }
        }
        #expect(error?.id == "1")
        #expect(error?.reason == .failed(code: "40001", "again"))
        #expect(calls.withLock { $0 } == 31)
        #expect(opened.count == 1)
    }

    @Test(
        "When all retries after a lost connection fail, a change is unclear and a read fails",
        .timeLimit(.minutes(5)),
        arguments: [true, false]
    )
    func retriesAfterLoss(isChange: Bool) async throws {
        let conflicts = Array(repeating: ConnectionFailure.retryable("again"), count: 31)
        let expected: DatabaseError.Reason = isChange ? .unclear("cut") : .failed(code: "40001", "again")
        #expect(await reason([lost] + conflicts, isChange: isChange) == expected)
    }
}
