import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

private final class CartState: WorkflowState {
    let items: [String]
    let note: String
    init(items: [String], note: String) { (self.items, self.note) = (items, note) }
}

private final class PaidState: EmptyState {}

private struct Order: Workflow {
    static var initial: any WorkflowState { CartState(items: [], note: "") }

    let change = Event(updating: CartState.self)
    let pay = Event(from: CartState.self, to: PaidState.self)
}

private enum Later {
    final class CartState: WorkflowState {
        let items: [String]
        let remark: String
        init(items: [String], remark: String) { (self.items, self.remark) = (items, remark) }
    }

    struct Order: Workflow {
        static var initial: any WorkflowState { CartState(items: [], remark: "") }
        let change = Event(updating: CartState.self)
        let pay = Event(from: CartState.self, to: PaidState.self)
    }
}

@Suite("Locking archives") struct LockingArticleTests {
    private static let article = "Sources/HeraclitusTesting/HeraclitusTesting.docc/HeraclitusTesting.md"

    @Test("The page prints the recorded shape and the incompatible changes")
    func locking() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        func lock() throws {
            let samples: [Sample<Order>] = [.state(CartState(items: ["book"], note: "a present"))]
            try expectCompatible(Order.self, samples: samples, in: folder)
        }
        #expect(throws: ArchiveLockNotRecorded.self) { try lock() }
        try lock()
        let shape = try JSONValue(json: Data(contentsOf: folder.appendingPathComponent("version-1.json")))["states"]
        let printed = try #require(Documentation.blocks(Self.article, language: "json").first)
        #expect(try JSONValue(json: Data("{\(printed)}".utf8))["CartState"] == shape?["CartState"])

        let samples: [Sample<Later.Order>] = [.state(Later.CartState(items: ["book"], remark: "a present"))]
        let error = #expect(throws: IncompatibleArchives.self) {
            try expectCompatible(Later.Order.self, samples: samples, in: folder)
        }
        #expect(try Documentation.blocks(Self.article, language: "text").last == "\(try #require(error))\n")
    }
}
