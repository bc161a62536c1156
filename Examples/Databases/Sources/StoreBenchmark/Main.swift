import Foundation
import Heraclitus
import PostgresStore
import SQLStores
import SQLiteStore

/// What stores cost beside the same SQL by hand, on the same table, by turns.
@main struct StoreBenchmark {
    static let usage = """
        usage: store-benchmark sqlite FILE [SECONDS]
               store-benchmark postgres DATABASE [SECONDS]

        It makes machines in an empty database and measures for SECONDS, 5 if they are left out.
        """

    static func main() async throws {
        let arguments = CommandLine.arguments
        let seconds = arguments.count == 4 ? Double(arguments[3]) : 5
        guard [3, 4].contains(arguments.count), let seconds, seconds > 0 else { return print(usage) }
        switch arguments[1] {
        case "sqlite":
            let file = URL(filePath: arguments[2])
            let store = try await SQLiteStore(at: file)
            let hand = ConnectionPool(size: 1, store: "by hand") {
                try SQLiteConnection(path: file.path, busyTimeout: .seconds(10), sizeLimit: nil)
            }
            try await measure(store, hand, seconds)
        case "postgres":
            let database = arguments[2]
            let store = try await PostgresStore(database)
            let limits = PostgresConnection.Limits(connect: .seconds(5), statement: .seconds(10), network: .seconds(5))
            let hand = ConnectionPool(size: 1, store: "by hand") { try PostgresConnection(database, limits) }
            try await measure(store, hand, seconds)
        default: print(usage)
        }
    }

    private static func measure<Connection: SQLConnection>(
        _ store: any ArchiveStore,
        _ hand: ConnectionPool<Connection>,
        _ seconds: Double
    ) async throws {
        let count = 20_000
        let archive = try StateMachine<Counting>().archive()
        guard try await store.ids().isEmpty else { return print("There are machines already.") }
        for start in stride(from: 0, to: count, by: 1_000) {
            try await store.save(
                each: (start..<(start + 1_000)).map {
                    StoredArchive(
                        id: "\($0)",
                        revision: 0,
                        workflow: Counting.name,
                        state: "CountState",
                        archive: archive
                    )
                }
            )
        }
        let ids = (0..<200).map { "\($0)" }
        try await compare("a unit of work, load and save", seconds) {
            try await hand.run(for: nil, isChange: true) { connection, _ in
                for id in ids { try byHand(connection, id) }
            }
        } store: {
            for id in ids {
                guard let loaded = try await store.load(id) else { fatalError("\(id) is gone.") }
                try await store.save(loaded)
            }
        }
        try await compare("a unit of work with a machine that fires", seconds) {
            try await hand.run(for: nil, isChange: true) { connection, _ in
                for id in ids { try byHand(connection, id) }
            }
        } store: {
            for id in ids {
                try await store.update(id, of: Counting.self) { machine in
                    try machine.fire.count { CountState($0.number + 1) }
                }
            }
        }
        try await compare("\(count) ids by state", seconds) {
            try await hand.run(for: nil) { connection, _ in
                var ids: [String] = []
                try connection.forEachRow(of: list, [.text(Counting.name), .text("CountState")]) {
                    if let id = connection.text(0) { ids.append(id) }
                }
                precondition(ids.count == count)
            }
        } store: {
            let ids = try await store.ids(of: Counting.name, in: "CountState")
            precondition(ids.count == count)
        }
    }

    private static let select = SQLStatement("select revision, archive from machines where id = ?1 and id_hash = ?2")
    private static let update = SQLStatement(
        "update machines set revision = revision + 1, archive = ?4 where id = ?1 and id_hash = ?2 and revision = ?3"
    )
    private static let list = SQLStatement(
        "select id, id_rest from machines where workflow = ?1 and state = ?2 and state is not null order by id, id_rest"
    )

    private static func byHand(_ connection: some SQLConnection, _ id: String) throws {
        let key = [SQLValue.bytes(Data(id.utf8)), .bytes(Data())]
        guard
            let (revision, archive) = try connection.row(
                of: select,
                key,
                { (connection.integer(0), connection.bytes(1)) }
            )
        else { fatalError("It is gone.") }
        try connection.run(update, key + [.integer(revision ?? 0), .bytes(archive ?? Data())])
    }

    /// Measures two by turns, and tells the medians.
    private static func compare(
        _ what: String,
        _ seconds: Double,
        _ hand: () async throws -> Void,
        store: () async throws -> Void
    ) async throws {
        var (byHand, byStore): ([Double], [Double]) = ([], [])
        let end = ContinuousClock.now + .seconds(seconds)
        repeat {
            byHand.append(try await time(hand))
            byStore.append(try await time(store))
        } while ContinuousClock.now < end || byHand.count < 3
        let (hand, store) = (median(byHand), median(byStore))
        let ratio = (store / hand).formatted(.number.precision(.fractionLength(2)))
        print("\(what): by hand \(text(hand)), store \(text(store)), ratio \(ratio), \(byHand.count) pairs")
    }

    private static func time(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .milliseconds(1)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func text(_ milliseconds: Double) -> String {
        milliseconds.formatted(.number.precision(.fractionLength(1))) + " ms"
    }
}

final class CountState: WorkflowState {
    let number: Int
    init(_ number: Int) { self.number = number }
}

struct Counting: Workflow {
    static var initial: any WorkflowState { CountState(0) }
    let count = Event(updating: CountState.self)
}
