import Foundation
import Heraclitus
import HeraclitusStores
import SQLStores
import SQLiteStore
import StoreTesting
import Testing

@Suite("Files of earlier releases") struct FormerFileTests {
    /// The table of version 2.
    private static let table = [
        """
        create table machines (
        id blob not null, id_hash blob not null, id_rest blob not null,
        revision integer not null check (revision > 0), token blob not null,
        workflow text, state text, due real, archive blob, effects real,
        primary key (id, id_hash),
        check ((workflow is null) = (state is null) and (archive is null) = (state is null))
        ) strict
        """,
        "create index machines_by_state on machines (workflow, state, id, id_rest) where state is not null",
        "create index machines_by_workflow on machines (workflow, id, id_rest) where state is not null",
        "create index machines_by_due on machines (workflow, due, id, id_rest) where due is not null",
        "create index machines_by_effects on machines (workflow, effects, id, id_rest) where effects is not null",
        "pragma application_id = 0x48657261",
    ]

    private func place(version: Int) throws -> Place {
        let place = try Place()
        let connection = try place.connection()
        for statement in Self.table + ["pragma user_version = \(version)"] { try connection.execute(statement) }
        if version == 1 {
            try connection.execute("drop index machines_by_effects")
            try connection.execute("alter table machines drop column effects")
        }
        return place
    }

    /// The archive of a counting meter, with effects within it as in earlier releases.
    private func archive(_ number: Int, outbox: String?) throws -> String {
        let archive = try StateMachine<Meter>(resumingIn: Meter.CountedState(number)).archive()
        let text = String(decoding: archive, as: UTF8.self)
        return outbox.map { text.dropLast() + #","outbox":\#($0)}"# } ?? text
    }

    /// Inserts a machine of version 2.
    private func insert(_ id: String, _ archive: String, effects: String, into place: Place) throws {
        let bytes = Data(id.utf8)
        let (start, rest) = (bytes.prefix(1_000), bytes.dropFirst(1_000))
        func literal(_ bytes: Data) -> String { "x'" + bytes.map { String(format: "%02x", $0) }.joined() + "'" }
        try place.change(
            """
            insert into machines (id, id_hash, id_rest, revision, token, workflow, state, due, archive, effects)
            values (\(literal(start)), \(rest.isEmpty ? "x''" : "x'01'"), \(literal(rest)), 3, x'01', 'Meter', 'CountedState', null,
            \(literal(Data(archive.utf8))), \(effects))
            """
        )
    }

    @Test(
        "A file of an earlier version is upgraded once, even if several stores open it at once",
        arguments: [1, 2]
    )
    func upgrade(version: Int) async throws {
        let place = try place(version: version)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 2..<8 { group.addTask { _ = try await place.store().count("\(number)") } }
            try await group.waitForAll()
        }
        let store = try await place.store()
        #expect(try await store.ids().count == 6)
        #expect(try await store.count("2") == 2)
        #expect(try place.text("pragma user_version") == ["3"])
        #expect(try place.text("pragma application_id") == ["\(0x4865_7261)"])
        #expect(try place.text("select name from sqlite_schema where name = 'machines_2'") == [])
    }

    @Test("An upgrade from version 2 keeps any id, the revisions of deleted machines, and effects")
    func machines() async throws {
        let place = try place(version: 2)
        let ids = ["1", "", "nul\0", "é", String(repeating: "long ", count: 500) + "a"]
        let outbox = #"{"effects":[{"data":{"number":7},"index":0,"name":"Reading","revision":3}]}"#
        for id in ids { try insert(id, archive(7, outbox: outbox), effects: "5.0", into: place) }
        try insert("none", archive(2, outbox: nil), effects: "null", into: place)
        try insert("damaged", archive(2, outbox: "7"), effects: "5.0", into: place)
        try insert("deleted", "{}", effects: "null", into: place)
        try place.change(
            "update machines set workflow = null, state = null, archive = null where id = cast('deleted' as blob)"
        )
        let store = try await place.store()
        let meters = store.workflow(Meter.self)
        let all = (ids + ["none", "damaged"]).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try await store.ids() == all)
        for id in ids {
            #expect(try await store.counted(id) == 7)
            let found = try #require(try await store.load(id))
            #expect(found.revision == 3 && found.version == nil && found.effects?.next == "Reading")
            #expect(found.archive == Data(try archive(7, outbox: nil).utf8))
        }
        #expect(try await store.count("none") == 3)
        await #expect(throws: StoreError.self) { try await store.load("damaged") }
        await #expect(throws: StoreError.self) { try await store.count("damaged") }
        let anew = StoredArchive(id: "deleted", revision: 0, workflow: "", version: 1, state: "", archive: Data())
        #expect(try await store.save(anew) == 4)
        let ledger = Ledger(at: place.folder.url.appending(path: "ledger"))
        let report = try await meters.deliver(to: ledger.handlers)
        #expect(report.count == ids.count + 1)
        #expect(try await meters.ids().count == ids.count + 2)
        #expect(try await store.delete("damaged"))
    }

    @Test("A program of version 2 with the file open changes nothing after the upgrade")
    func oldProgram() async throws {
        let place = try place(version: 2)
        try insert("1", archive(7, outbox: nil), effects: "null", into: place)
        let old = try place.connection()
        #expect(try old.text("select state from machines where id = x'31' and id_hash = x''") == ["CountedState"])
        let store = try await place.store()
        let before = try await store.load("1")
        for statement in [
            "update machines set revision = revision + 1, token = x'', archive = x'' where id = x'31' and id_hash = x''",
            "insert into machines (id, id_hash, id_rest, revision, token) values (x'', x'', x'', 1, x'')",
        ] {
            #expect(throws: (any Error).self) { try old.execute(statement) }
        }
        #expect(try await store.load("1") == before)
    }
}
