import Foundation
import Heraclitus
import HeraclitusStores
import HeraclitusTesting
import SQLStores
import SQLiteStore
import StoreTesting
import Synchronization
import Testing

/// When connections are lost, whatever is done through them.
private final class Losses: Sendable {
    enum Moment {
        case before
        case after
    }

    /// Of the next statements that change something, when the connection is lost.
    let next = Mutex<[Moment]>([])

    /// How many statements that change something come before these.
    let skipped = Mutex(0)

    /// What others do while the connection is lost.
    let others = Mutex<(@Sendable (SQLiteConnection) throws -> Void)?>(nil)

    /// What others do right before the next statement that begins so; an error of theirs is the statement's.
    let before = Mutex<[(statement: String, others: @Sendable (SQLiteConnection) throws -> Void)]>([])

    /// The first parameters of the statements that changed something: usually ids.
    let changed = Mutex<[SQLValue]>([])

    func moment() -> Moment? {
        let isSkipped = skipped.withLock { skipped in
            skipped -= 1
            return skipped >= 0
        }
        return isSkipped ? nil : next.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

/// A connection that can be lost.
private final class LosableConnection: SQLConnection {
    private let connection: SQLiteConnection
    private let losses: Losses
    private var isLost = false

    init(_ connection: SQLiteConnection, _ losses: Losses) { (self.connection, self.losses) = (connection, losses) }

    func forEachRow(
        of statement: SQLStatement,
        _ parameters: [SQLValue],
        _ body: () throws -> Void
    ) throws -> Int {
        #expect(!isLost, "A connection is used that was lost.")
        let others = losses.before.withLock { before in
            before.firstIndex { statement.sql.hasPrefix($0.statement) }.map { before.remove(at: $0).others }
        }
        try others?(connection)
        let isChange = !statement.sql.hasPrefix("select")
        if isChange, let first = parameters.first { losses.changed.withLock { $0.append(first) } }
        let moment = isChange ? losses.moment() : nil
        if moment == nil { return try connection.forEachRow(of: statement, parameters, body) }
        if moment != .before { try connection.forEachRow(of: statement, parameters) {} }
        isLost = true
        try losses.others.withLock { $0 }?(connection)
        throw ConnectionFailure.lost("cut")
    }

    func integer(_ column: Int) -> Int? { connection.integer(column) }
    func real(_ column: Int) -> Double? { connection.real(column) }
    func text(_ column: Int) -> String? { connection.text(column) }
    func bytes(_ column: Int) -> Data? { connection.bytes(column) }
    func isNull(_ column: Int) -> Bool { connection.isNull(column) }
}

private struct LosableStore: SQLStore {
    let readers: ConnectionPool<LosableConnection>
    var writers: ConnectionPool<LosableConnection> { readers }
    let losses = Losses()

    init(_ place: Place) {
        readers = ConnectionPool(size: 1, store: "losable") { [losses] in
            LosableConnection(try place.connection(), losses)
        }
    }
}

@Suite("Connections that are lost while something is changed") struct LossTests {
    private let place: Place
    private let store: LosableStore
    private let other: SQLiteStore

    init() async throws {
        place = try Place()
        other = try await place.store()
        store = LosableStore(place)
    }

    private func lose(_ moments: Losses.Moment..., others: (@Sendable (SQLiteConnection) throws -> Void)? = nil) {
        store.losses.next.withLock { $0 = moments }
        store.losses.others.withLock { $0 = others }
    }

    /// What others do: a save, with a token of theirs.
    private static func save(_ connection: SQLiteConnection) throws {
        try connection.run(SQLStatement("update machines set revision = revision + 1, token = randomblob(16)"))
    }

    private func expectUnclear(_ body: () async throws -> Void) async {
        let error = await #expect(throws: DatabaseError.self) { try await body() }
        guard case .unclear = error?.reason else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(error?.id == "1")
    }

    @Test("A store of one's own keeps what stores promise")
    func conformance() async throws {
        var kept: [Place] = []
        let failures = try await StoreConformance.failures {
            let place = try Place()
            kept.append(place)
            _ = try await place.store()
            return LosableStore(place)
        }
        #expect(failures == [])
    }

    @Test("A save is done once, whether the connection is lost before or after it")
    func saves() async throws {
        for moment in [Losses.Moment.before, .after] {
            let found = try await other.load("1")?.revision ?? 0
            lose(moment)
            #expect(try await store.save(archive("1", replacing: found, content: "[\(found)]")) == found + 1)
            #expect(try await other.load("1") == archive("1", replacing: found + 1, content: "[\(found)]"))
        }
        lose(.before)
        #expect(try await store.save(archive("2")) == 1)
        lose(.after)
        #expect(try await store.save(archive("3")) == 1)
    }

    @Test("Units of work whose saves lose their connections are done once each")
    func units() async throws {
        for number in 1...40 {
            lose(number % 2 == 0 ? .after : .before)
            try await store.pass("1", attempts: 1)
            #expect(try await other.passed("1") == number)
        }
    }

    @Test(
        "If others have saved since, a save that was not done is a conflict, and one that nobody can know about is unclear"
    )
    func others() async throws {
        try await other.save(archive("1"))
        lose(.before) { try Self.save($0) }
        await #expect(throws: StoreError.self) { try await store.save(archive("1", replacing: 1)) }
        #expect(try await other.load("1")?.revision == 2)
        lose(.after) { try Self.save($0) }
        await expectUnclear { try await store.save(archive("1", replacing: 2)) }
        #expect(try await other.load("1")?.revision == 4)
        lose(.after) {
            try $0.run(SQLStatement("update machines set token = x'', workflow = null, state = null, archive = null"))
        }
        await expectUnclear { try await store.save(archive("1", replacing: 4)) }
    }

    @Test("A save whose connection was lost does not bring back what others have deleted since; it is unclear")
    func notBroughtBack() async throws {
        lose(.after, others: Self.delete)
        await expectUnclear { try await store.save(archive("1")) }
        #expect(try await other.load("1") == nil)
        // Nobody can know whether this one was saved and deleted since, either.
        lose(.before)
        await expectUnclear { try await store.save(archive("1")) }
        #expect(try await other.load("1") == nil)
        #expect(try await store.save(archive("1")) == 2)
    }

    @Test("A save that was not done before its connection was lost meets what others have saved first as a conflict")
    func othersFirst() async throws {
        lose(.before) {
            let values = "x'31', x'', x'', 1, x'01', 'Lamp', 'On', null, cast('{}' as blob), null"
            try $0.run(SQLStatement("insert into machines values (\(values))"))
        }
        let error = await #expect(throws: StoreError.self) { try await store.save(archive("1")) }
        guard case .conflict("1", 0, 1) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(try await other.load("1") == archive("1", replacing: 1))
    }

    @Test("A delete is done once, whether the connection is lost before or after it")
    func deletes() async throws {
        for moment in [Losses.Moment.before, .after] {
            let revision = try await other.save(archive("1"))
            lose(moment)
            #expect(try await store.delete("1", expecting: revision))
            #expect(try await other.load("1") == nil)
            try await other.save(archive("1"))
            lose(moment)
            #expect(try await store.delete("1"))
        }
    }

    /// What others do: a delete, with a token of theirs.
    private static func delete(_ connection: SQLiteConnection) throws {
        try connection.run(
            SQLStatement(
                "update machines set token = x'', workflow = null, state = null, due = null, archive = null, effects = null"
            )
        )
    }

    /// What others do after a delete: they save anew.
    private static func saveAnew(_ connection: SQLiteConnection) throws {
        try connection.run(
            SQLStatement(
                "update machines set revision = revision + 1, token = x'01', workflow = '', state = '', archive = x''"
            )
        )
    }

    @Test("If others have saved or deleted since, a delete is what can be known of it: done, a conflict, or unclear")
    func deletesAmongOthers() async throws {
        let first = try await other.save(archive("1"))
        lose(.before, others: Self.save)
        await expectUnclear { try await store.delete("1", expecting: first) }
        lose(.before, others: Self.delete)
        await #expect(throws: StoreError.self) { try await store.delete("1", expecting: first + 1) }
        #expect(try await other.load("1") == nil)
        let anew = try await other.save(archive("1"))
        lose(.after, others: Self.saveAnew)
        await expectUnclear { try await store.delete("1", expecting: anew) }
        #expect(try await other.load("1")?.revision == anew + 1)
    }

    @Test("A delete of any revision whose connection was lost leaves what others have saved since")
    func deletesOfAny() async throws {
        let first = try await other.save(archive("1"))
        for (number, others) in [Self.save, Self.saveAnew].enumerated() {
            lose(number == 0 ? .before : .after, others: others)
            await expectUnclear { try await store.delete("1") }
            #expect(try await other.load("1")?.revision == first + number + 1)
        }
        lose(.before, others: Self.delete)
        #expect(try await store.delete("1") == false)
        #expect(try await store.delete("1") == false)
    }

    @Test("A delete of any revision deletes also what others save at that moment")
    func deletesAmid() async throws {
        try await other.save(archive("1"))
        store.losses.before.withLock { $0 = [("update machines set token", Self.save)] }
        #expect(try await store.delete("1"))
        #expect(try await other.load("1") == nil)
    }

    @Test(
        "Several are saved once, whether the connection is lost at the beginning, amid or at the end of it",
        arguments: 0..<7,
        [false, true]
    )
    func several(statement: Int, isUnit: Bool) async throws {
        let ids = (0..<5).map { "\($0)" }
        // "begin", five archives, "commit".
        for (round, moment) in [Losses.Moment.before, .after].enumerated() {
            store.losses.skipped.withLock { $0 = statement }
            lose(moment)
            let archives = ids.map { archive($0, replacing: round) }
            let revisions: [Int?] =
                isUnit ? try await store.save(together: archives) : try await store.save(each: archives)
            #expect(revisions == Array(repeating: round + 1, count: 5))
            let isLost = store.losses.next.withLock { $0.isEmpty }
            #expect(isLost)
        }
    }

    @Test("Those who are saved together are so in the order of their ids, so that no two wait for one another")
    func order() async throws {
        let ids = ["b", "é", "a", "B", ""]
        try await store.save(together: ids.map { archive($0) })
        try await store.save(each: ids.map { archive($0, replacing: 1) })
        let sorted = ["", "B", "a", "b", "é"].map { SQLValue.bytes(Data($0.utf8)) }
        #expect(store.losses.changed.withLock { $0 } == sorted + sorted)
    }

    @Test("What others change between a change and the look at what is there is no conflict with itself")
    func inBetween() async throws {
        try await other.save(archive("1"))
        store.losses.before.withLock { $0 = [("select revision, token", Self.delete)] }
        #expect(try await store.save(archive("1")) == 2)
        store.losses.before.withLock { $0 = [("select revision, token", Self.save)] }
        #expect(try await store.delete("1", expecting: 3))
        #expect(try await other.load("1") == nil)
    }

    @Test("A connection whose transaction cannot be undone is not used again, and what is saved afterwards stays")
    func notUndone() async throws {
        try await other.save(archive("1"))
        let refusal = DatabaseError.Reason.failed(code: "7", "No.")
        store.losses.before.withLock { before in
            before = ["commit", "rollback"].map { ($0, { _ in throw ConnectionFailure.refused(refusal) }) }
        }
        let error = await #expect(throws: DatabaseError.self) {
            try await store.save(together: [archive("2"), archive("3")])
        }
        #expect(error?.reason == refusal)
        #expect(try await store.save(archive("1", replacing: 1)) == 2)
        #expect(try await other.load("1")?.revision == 2)
        #expect(try await other.ids() == ["1"])
    }

    @Test("A connection that is lost again and again is an error, and nothing is done twice")
    func again() async throws {
        lose(.before, .before)
        await expectUnclear { try await store.save(archive("1")) }
        #expect(try await other.load("1") == nil)
        #expect(try await store.save(archive("1")) == 1)
    }
}
