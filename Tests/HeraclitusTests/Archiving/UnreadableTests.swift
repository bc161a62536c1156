import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

/// Data that could not be read again is rejected when it is written.
@Suite("Unreadable data") struct UnreadableTests {
    final class PriceState: WorkflowState {
        let prices: [String: [Decimal]]
        init(_ price: Decimal) { prices = ["list": [1, price]] }
    }

    struct Shop: Workflow {
        static var initial: any WorkflowState { PriceState(1) }
        let set = Event(updating: PriceState.self)
    }

    final class ChainState: WorkflowState {
        let link: Link?
        let text: String
        init(depth: Int, text: String = "") {
            link = (0..<depth).reduce(nil) { link, _ in Link(next: link) }
            self.text = text
        }
    }

    final class Link: Codable, Sendable {
        let next: Link?
        init(next: Link?) { self.next = next }
    }

    struct Chain: Workflow {
        static var initial: any WorkflowState { ChainState(depth: 1) }
        let set = Event(updating: ChainState.self)
    }

    /// A later version of the chain.
    struct NewerChain: Workflow {
        static var initial: any WorkflowState { ChainState(depth: 1) }
        static var name: String { "Chain" }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.step("note", in: 2) { archive in archive.data["note"] = "seen" }] }
        let set = Event(updating: ChainState.self)
    }

    @Test("A NaN Decimal is rejected at the save, with its key", arguments: ["archive", "lines", "store"])
    func notANumber(way: String) async throws {
        let machine = StateMachine<Shop>(resumingIn: PriceState(.nan))
        let place = try StorePlace("directory")
        let file = try #require(place.folder).appendingPathComponent("lines")
        do {
            switch way {
            case "archive": _ = try machine.archive()
            case "lines": try Archive.write([machine], to: file)
            default: try await place.store.save(machine, as: "1", expecting: 0)
            }
            Issue.record("It was written.")
        } catch ArchiveError.unwritableState("PriceState", let error) {
            guard case EncodingError.invalidValue(_, let context) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(context.codingPath.map(\.stringValue) == ["data", "prices", "list", "Index 1"])
        }
        #expect(try place.files == [])
        #expect(throws: ArchiveError.self) { try machine.archive(prettyPrinted: true) }
        await #expect(throws: ArchiveError.self) {
            func made() -> StateMachine<Shop> { machine }
            try await place.store.workflow(Shop.self).update("1", creating: made) { _ in }
        }
    }

    @Test("The text NaN is a text")
    func text() throws {
        let machine = StateMachine<Chain>(resumingIn: ChainState(depth: 1, text: "NaN \" N"))
        let restored = try StateMachine<Chain>(archive: machine.archive())
        #expect((restored.state as? ChainState)?.text == "NaN \" N")
    }

    @Test("Data up to the depth limit is readable, and deeper data is rejected at the save")
    func depth() throws {
        var written = 0
        for depth in 490..<530 {
            let machine = StateMachine<Chain>(resumingIn: ChainState(depth: depth))
            switch Result(catching: { try machine.archive() }) {
            case .success(let archive):
                #expect(throws: Never.self) { try StateMachine<Chain>(archive: archive) }
                // A migration can read it, too.
                #expect(throws: Never.self) { try StateMachine<NewerChain>(archive: archive) }
                written += 1
            case .failure(let error):
                guard case ArchiveError.unwritableState("ChainState", _) = error else {
                    Issue.record(error)
                    return
                }
            }
        }
        #expect((15...21).contains(written))
    }

    @Test("Data over the reader's limit is written only with a larger limit")
    func size() throws {
        let machine = StateMachine<Chain>(resumingIn: ChainState(depth: 1, text: String(repeating: "x", count: 1_000)))
        let archive = try machine.archive()
        guard
            case .tooLarge(archive.count, limit: 500) = #expect(
                throws: ArchiveError.self,
                performing: { try machine.archive(limit: 500) }
            )
        else {
            Issue.record("It was written.")
            return
        }
        #expect(try machine.archive(limit: archive.count) == archive)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        #expect(throws: ArchiveError.self) { try Archive.write([machine], to: file, limit: 500) }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("Raw data with a number beyond Decimal is rejected at the save", arguments: ["1e400", "1x"])
    func raw(digits: String) {
        let info: UserInfo = ["amount": JSONValue.decimal(digits)]
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(info) }
    }
}
