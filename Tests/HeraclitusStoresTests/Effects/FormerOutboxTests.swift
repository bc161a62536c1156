import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("Effects that earlier releases kept within archives") struct FormerOutboxTests {
    typealias Office = EffectTests.Office

    private static let outbox =
        #""outbox":{"at":"2026-01-01T12:00:00Z","effects":[{"data":{"text":"1"},"name":"Mail"},"#
        + #"{"attempts":2,"data":{"text":"2"},"error":"no","index":0,"name":"Mail","parked":true,"revision":3}],"worker":"w"}"#
    private static let begin = #""activated":true,"data":{"text":"a \"outbox\":{},"}"#
    private static let end = #""format":1,"revision":2,"state":"MailingState","version":1,"workflow":"Office""#

    /// A row of an earlier release, which had no column for the version.
    private static func row(_ archive: String, version: Int? = nil) -> StoredArchive {
        StoredArchive(
            id: "1",
            revision: 5,
            workflow: Office.name,
            version: version,
            state: "MailingState",
            archive: Data(archive.utf8)
        )
    }

    @Test("Former effects get their own column, and the rest of the archive keeps its bytes")
    func bytes() throws {
        let (outbox, begin, end) = (Self.outbox, Self.begin, Self.end)
        for (archive, rest) in [
            ("{\(begin),\(end),\(outbox)}", "{\(begin),\(end)}"), ("{\(outbox),\(begin),\(end)}", "{\(begin),\(end)}"),
            ("{\(begin) , \(outbox) ,\(end) }\n", "{\(begin),\(end)}"), ("{ \(outbox) }", "{}"),
        ] {
            let row = try Self.row(archive).splittingOutbox()
            #expect(String(decoding: row.archive, as: UTF8.self) == rest)
            let effects = try #require(row.effects)
            #expect(effects.worker == "w" && effects.next == "Mail")
            #expect(effects.date == ISO8601DateFormatter().date(from: "2026-01-01T12:00:00Z"))
            #expect(row.revision == 5 && row.state == "MailingState" && row.version == nil)
        }
    }

    @Test("Former effects keep their keys, attempts and errors, and are delivered after the lease")
    func delivered() async throws {
        let row = try Self.row("{\(Self.begin),\(Self.end),\(Self.outbox)}").splittingOutbox()
        let store = InMemoryStore()
        try await store.save([.save(row.with(revision: 0), effects: (nil, row.effects))])
        let office = store.workflow(Office.self)
        let effects = try await office.effects()
        #expect(
            effects.map(\.key) == [EffectKey(id: "1", series: 5, index: 0), EffectKey(id: "1", series: 3, index: 0)]
        )
        #expect(effects.map(\.attempts) == [0, 2] && effects.map(\.isParked) == [false, true])
        #expect(effects[1].error == "no")
        try await office.update("1") { try $0.fire.mail(EffectTests.MailingState("3")) }
        let texts = Lock<[String]>([])
        let handlers = EffectHandlers().on(EffectTests.Mail.self) { mail, _ in texts.withLock { $0.append(mail.text) } }
        #expect(try await office.deliver(to: handlers).count == 2)
        #expect(texts.withLock { $0 } == ["1", "3"])
        try await office.retry(effects[1].key)
        #expect(try await office.deliver(to: handlers).count == 1)
    }

    @Test("A row without former effects stays unchanged, and damaged effects are an error with the id")
    func others() throws {
        for row in [
            Self.row("{}"), Self.row("{\"data\":{\(Self.outbox)}}"), Self.row("{\(Self.outbox)}", version: 1),
            Self.row(#"{"text":"outbox"}"#),
        ] {
            #expect(try row.splittingOutbox() == row)
        }
        for archive in [#"{"outbox":7}"#, #"{"outbox":{}}"#, #"{"outbox":"#] {
            let error = #expect(throws: StoreError.self) { try Self.row(archive).splittingOutbox() }
            guard case .damaged("1", _)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
        }
    }

    @Test("Former effects with the largest revision and number are read, and further effects follow them")
    func largest() async throws {
        let largest = "9223372036854775807"
        let numbered =
            #""outbox":{"effects":[{"data":{"text":"1"},"name":"Mail"},{"data":{"text":"2"},"index":\#(largest),"#
            + #""name":"Mail","revision":\#(largest)}]}"#
        for outbox in [numbered, numbered.replacing(#""index":\#(largest),"#, with: "")] {
            let row = try Self.row("{\(Self.begin),\(Self.end),\(outbox)}").with(revision: Int.max).splittingOutbox()
            let store = InMemoryStore()
            try await store.save([.save(row.with(revision: 0), effects: (nil, row.effects))])
            let office = store.workflow(Office.self)
            try await office.update("1") { try $0.fire.mail(EffectTests.MailingState("3")) }
            let effects = try await office.effects()
            #expect(effects.map { $0.data["text"]?.stringValue } == ["1", "2", "3"])
            #expect(Set(effects.map(\.key)).count == 3)
            let handlers = EffectHandlers().on(EffectTests.Mail.self) { _, _ in }
            #expect(try await office.deliver(to: handlers).count == 3)
        }
    }
}
