import Crypto
import Foundation
import GRDB
import HeraclitusStores
import SQLiteStore
import StoreTesting
import Testing

@Suite("A sealed store on swift-crypto") struct SealedStoreTests {
    private let place: Place

    init() throws { place = try Place() }

    /// Seals with AES, and masks text values so that equal values stay equal.
    private func sealed(_ store: SQLiteStore, with key: SymmetricKey) -> some ArchiveStore {
        store.sealed(
            seal: { bytes in
                guard let sealed = try AES.GCM.seal(bytes, using: key).combined else {
                    throw CryptoKitError.incorrectParameterSize
                }
                return sealed
            },
            open: { try AES.GCM.open(AES.GCM.SealedBox(combined: $0), using: key) },
            sealValue: { value in
                guard case .text(let text) = value else { return value }
                let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
                return .text(Data(code).base64EncodedString())
            }
        )
    }

    private static let effects = WaitingEffects(
        content: Data("secret".utf8),
        next: "Mail",
        date: Date(timeIntervalSinceReferenceDate: 0),
        worker: nil
    )

    private static let row = StoredArchive(
        id: "1",
        revision: 0,
        workflow: "Lamp",
        version: 1,
        state: "On",
        values: ["buyer": .text("ada")],
        archive: Data(#"{"password":"secret"}"#.utf8),
        handled: Data("secret".utf8)
    )

    private func save(in store: some ArchiveStore) async throws {
        try await store.save([.save(Self.row, effects: (nil, Self.effects))])
    }

    private func expectDamage(_ store: some ArchiveStore) async {
        let error = await #expect(throws: StoreError.self) { try await store.load("1") }
        guard case .damaged("1", _) = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test("A sealed machine loads unchanged, and the file contains no secret")
    func comesBack() async throws {
        let store = sealed(try await place.store(), with: SymmetricKey(size: .bits256))
        try await save(in: store)
        var expected = Self.row
        (expected.revision, expected.effects) = (1, Self.effects)
        #expect(try await store.load("1") == expected)
        let query = { (buyer: String) in
            var query = ArchiveQuery()
            query.values = [.equal("buyer", .text(buyer))]
            return query
        }
        #expect(try await store.ids(query("ada")) == ["1"])
        #expect(try await store.ids(query("bob")) == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.url.path)
        let content = try names.map { try Data(contentsOf: place.folder.url.appending(path: $0)) }
        #expect(content.contains { $0.range(of: Data("Lamp".utf8)) != nil })
        for secret in ["secret", "ada", "password"] {
            #expect(content.allSatisfy { $0.range(of: Data(secret.utf8)) == nil }, "\(secret)")
        }
    }

    @Test("Another key shows a machine as damaged")
    func wrongKey() async throws {
        let base = try await place.store()
        try await save(in: sealed(base, with: SymmetricKey(size: .bits256)))
        await expectDamage(sealed(base, with: SymmetricKey(size: .bits256)))
    }

    @Test("A changed bit of a column shows a machine as damaged", arguments: ["archive", "handled", "effects_content"])
    func tampered(column: String) async throws {
        let base = try await place.store()
        let store = sealed(base, with: SymmetricKey(size: .bits256))
        try await save(in: store)
        let whole = try #require(try await base.load("1"))
        try await base.database.write { db in
            var bytes = try #require(try Data.fetchOne(db, sql: "select \(column) from machines"))
            bytes[bytes.count / 2] ^= 1
            try db.execute(sql: "update machines set \(column) = ?", arguments: [bytes])
        }
        #expect(try await base.load("1") != whole)
        await expectDamage(store)
    }
}
