import Foundation
import Heraclitus
import Testing

@testable import Fixtures

@Suite("Bad archives") struct BadArchiveTests {
    static let good =
        #"{"activated":true,"data":{"byteCount":7},"format":1,"revision":3,"state":"CompletedState","version":1,"workflow":"Download"}"#

    static func error(_ text: String) -> ArchiveError? {
        do throws(ArchiveError) {
            _ = try StateMachine<Download>(archive: Data(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    /// The error of the good archive with one text replaced.
    static func error(_ old: String, _ new: String) throws -> String {
        try #require(good.contains(old))
        return try #require(error(good.replacingOccurrences(of: old, with: new))).description
    }

    @Test("The good archive is read, also with other key orders, unknown keys and white space")
    func good() {
        #expect(Self.error(Self.good) == nil)
        #expect(
            Self.error(
                """
                {"state" : "CompletedState", "new": {"from": ["the", "future"]}, "workflow": "Download", "format": 1,
                 "version": 1, "data": {"byteCount": 7, "more": 1}, "revision": 3, "activated": true}
                """
            ) == nil
        )
    }

    @Test("A newer format is an error also with members of other types, for every decoder")
    func newerFormat() throws {
        let newer = Self.good.replacingOccurrences(of: "\"format\":1", with: "\"format\":2")
            .replacingOccurrences(of: "true", with: "{\"at\":\"noon\"}")
            .replacingOccurrences(of: "3", with: "\"three\"")
        let expected = ArchiveError.unknownFormat(2, supported: 1, path: "").description
        #expect(Self.error(newer)?.description == expected)
        let decoding = #expect(throws: ArchiveError.self) {
            try JSONDecoder().decode(StateMachine<Download>.self, from: Data(newer.utf8))
        }
        #expect(decoding?.description == expected)
    }

    @Test("Each kind of mistake has its own error with the problem and the place")
    func kinds() throws {
        #expect(
            try Self.error("\"format\":1", "\"format\":2")
                .hasPrefix("The archive has format 2; this library reads up to format 1.")
        )
        #expect(
            try Self.error("\"format\":1", "\"format\":0") == "The content is malformed at format: 0 is not a format."
        )
        #expect(
            try Self.error("\"Download\"", "\"Upload\"")
                == "The archive is of the workflow \"Upload\", not of \"Download\"."
        )
        #expect(
            try Self.error("\"version\":1", "\"version\":2")
                == "The archive was written by version 2 of the workflow; this program has version 1."
        )
        #expect(
            try Self.error("\"version\":1", "\"version\":-1")
                == "The content is malformed at version: -1 is not a version."
        )
        #expect(
            try Self.error("\"version\":1", "\"version\":0")
                == "The content is malformed at version: 0 is not a version."
        )
        #expect(
            try Self.error("CompletedState", "ComplatedState")
                .hasPrefix("The workflow has no state \"ComplatedState\"; its states are CompletedState, ")
        )
        #expect(
            try Self.error("\"revision\":3", "\"revision\":-3")
                == "The content is malformed at revision: -3 is not a revision."
        )
        #expect(try Self.error("\"revision\":3", "\"revision\":9223372036854775807").contains("at revision"))
        #expect(try !Self.error("\"revision\":3", "\"revision\":1e400").isEmpty)
        #expect(try Self.error("\"revision\":3", "\"revision\":\"3\"").contains("malformed at revision"))
        #expect(
            try Self.error("\"revision\":3,", "")
                == "The content is malformed at revision: the key \"revision\" is missing."
        )
        #expect(try Self.error("\"activated\":true", "\"activated\":1").contains("malformed at activated"))
        #expect(
            try Self.error("{\"byteCount\":7}", "{}")
                == "The data of the state \"CompletedState\" cannot be read at data.byteCount: the key \"byteCount\" is missing."
        )
        #expect(try Self.error("\"byteCount\":7", "\"byteCount\":\"many\"").contains("at data.byteCount"))
        #expect(try Self.error("\"data\":{\"byteCount\":7},", "").contains("at data"))
        #expect(try Self.error("{\"byteCount\":7}", "null").contains("at data"))
    }

    @Test(
        "Data that is no archive is a typed error",
        arguments: [
            "", " ", "null", "[]", "{}", "7", "\"text\"", "{", "}", "nonsense", "{\"a\":", "\u{0}", "[[[[",
            "{\"format\":1}", "{\"format\":null}", "\u{FEFF}{}",
        ]
    )
    func nothing(_ text: String) throws {
        let error = try #require(Self.error(text))
        #expect(!error.description.isEmpty)
        #expect(error.errorDescription == error.description)
    }

    @Test(
        "Names of types outside the workflow are unknown states",
        arguments: ["GasState", "Swift.String", "HeraclitusTests.IdleState", "NSObject", ""]
    )
    func foreignTypes(_ name: String) throws {
        guard
            case .unknownState(name, _, "state") = try #require(
                Self.error(Self.good.replacingOccurrences(of: "CompletedState", with: name))
            )
        else {
            Issue.record("must be an unknown state")
            return
        }
    }

    @Test("An archive truncated anywhere is a typed error")
    func truncated() {
        let bytes = Data(Self.good.utf8)
        for count in 0..<bytes.count {
            #expect(throws: ArchiveError.self) { try StateMachine<Download>(archive: bytes.prefix(count)) }
        }
    }

    @Test("An archive with any bit flipped is restored or is a typed error")
    func flipped() {
        let bytes = Array(Self.good.utf8)
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                do throws(ArchiveError) {
                    let machine = try StateMachine<Download>(archive: Data(flipped))
                    #expect(machine.state is CompletedState)
                    #expect(throws: InvalidTransition.self) { try machine.fire.cancel() }
                } catch {
                    #expect(!error.description.isEmpty)
                }
            }
        }
    }

    @Test("Random bytes are a typed error")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            #expect(throws: ArchiveError.self) { try StateMachine<Download>(archive: Data(bytes)) }
        }
    }

    @Test("Deep nesting and long texts are typed errors or data")
    func large() {
        for depth in [100, 1_000, 100_000] {
            let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(Self.error(deep) != nil)
            _ = Self.error(
                Self.good.replacingOccurrences(of: "\"byteCount\":7", with: "\"byteCount\":7,\"more\":\(deep)")
            )
        }
        #expect(
            Self.error(
                Self.good.replacingOccurrences(of: "CompletedState", with: String(repeating: "x", count: 1 << 20))
            ) != nil
        )
    }

    @Test("An archive with a hundred thousand keys is data")
    func huge() {
        // One half is in the state's data, one half beside it.
        let keys = (0..<50_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        let many = Self.good.replacingOccurrences(of: "\"byteCount\":7", with: "\"byteCount\":7,\(keys)")
        #expect(Self.error(many.dropLast() + ",\(keys)}") == nil)
    }

    @Test("An archive of an older version with any bit flipped, or truncated anywhere, is migrated or is a typed error")
    func older() {
        let good =
            Array(
                #"{"activated":true,"data":{"url":"a","due":"2026-01-01T00:00:00Z"},"format":1,"revision":4,"state":"Waiting","#
                    .utf8
            ) + Array(#""version":1,"workflow":"Ticket"}"#.utf8)
        var restored = 0
        for index in good.indices {
            for bit in 0..<8 {
                var bytes = good
                bytes[index] ^= 1 << bit
                do throws(ArchiveError) {
                    _ = try StateMachine<Ticket>(archive: Data(bytes))
                    restored += 1
                } catch {
                    #expect(!error.description.isEmpty)
                }
            }
            #expect(throws: ArchiveError.self) { try StateMachine<Ticket>(archive: Data(good[..<index])) }
        }
        #expect(restored > 0)
    }

    @Test("A machine at the largest revision can still be fired, archived and restored")
    func largestRevision() throws {
        let text = Self.good.replacingOccurrences(of: "\"revision\":3", with: "\"revision\":9007199254740992")
            .replacingOccurrences(of: "CompletedState", with: "IdleState")
        let machine = try StateMachine<Download>(archive: Data(text.utf8))
        try machine.fire.cancel()
        #expect(machine.revision == 9_007_199_254_740_992)
        #expect(try StateMachine<Download>(archive: machine.archive()).state is CancelledState)
    }

    // A machine within a state of a machine.
    final class OuterState: Copying {
        let inner: [StateMachine<Download>]
        init(_ inner: [StateMachine<Download>]) { self.inner = inner }
        func copied() -> OuterState { OuterState(inner.map { $0.copy() }) }
    }
    struct Outer: Workflow {
        static var initial: any WorkflowState { OuterState([]) }
        let set = Event(updating: OuterState.self)
    }

    @Test("The error of a mistake in an inner machine has its path")
    func nested() throws {
        let machine = StateMachine<Outer>(resumingIn: OuterState([StateMachine(), StateMachine()]))
        let text = String(decoding: try machine.archive(), as: UTF8.self)
        let bad = text.replacingOccurrences(of: "IdleState", with: "IdolState")
        #expect(
            throws: ArchiveError.self,
            performing: { try StateMachine<Outer>(archive: Data(bad.utf8)) }
        )
        do throws(ArchiveError) { _ = try StateMachine<Outer>(archive: Data(bad.utf8)) } catch {
            #expect(error.description.contains("no state \"IdolState\" at data.inner[0].state"))
        }
        #expect((try StateMachine<Outer>(archive: Data(text.utf8)).state as? OuterState)?.inner.count == 2)
    }
}
