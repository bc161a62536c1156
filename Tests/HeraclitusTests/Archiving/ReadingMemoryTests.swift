import Foundation
import Heraclitus
import Testing

@testable import Fixtures

/// Memory use of reading the most demanding shapes, in a process without other work.
@Suite("Memory of reading", .enabled(if: PeakMemory.isCounted)) struct ReadingMemoryTests {
    enum Shape: CaseIterable {
        case numbers, emptyLists, emptyObjects, listsOfOne, objectsOfOne, deepLists, deepObjects, distinctKeys, sameKeys
        case shortTexts, escapes, longText, amounts, space

        /// Some hundred kilobytes of JSON in a list or an object.
        var json: String {
            switch self {
            case .numbers: list("1")
            case .emptyLists: list("[]")
            case .emptyObjects: list("{}")
            case .listsOfOne: list("[1]")
            case .objectsOfOne: list(#"{"":1}"#)
            case .deepLists: list(String(repeating: "[", count: 50) + String(repeating: "]", count: 50))
            case .deepObjects: list(String(repeating: #"{"":"#, count: 50) + "1" + String(repeating: "}", count: 50))
            // One key more than a dictionary of this size holds, so it doubles.
            case .distinctKeys:
                "{" + (0..<25_000).map { "\"\(String($0 + 60_000, radix: 36))\":1" }.joined(separator: ",") + "}"
            case .sameKeys: "{" + repeatElement(#""":1"#, count: 50_000).joined(separator: ",") + "}"
            case .shortTexts: list(#""a""#)
            case .escapes: list(#""\n\u00e9""#)
            case .longText: #"[""# + String(repeating: "x", count: Self.size) + #""]"#
            case .amounts: list("51679768515708984.8")
            case .space: "[" + String(repeating: " ", count: Self.size) + "1]"
            }
        }

        private static let size = 250_000

        private func list(_ element: String) -> String {
            "[" + repeatElement(element, count: Self.size / (element.utf8.count + 1)).joined(separator: ",") + "]"
        }
    }

    /// A way of reading the bytes.
    enum Way: CaseIterable {
        case reading, migrating, restoring

        func run(_ bytes: Data) throws {
            switch self {
            case .reading: _ = try JSONValue(json: bytes)
            case .migrating, .restoring: _ = try StateMachine<Pile>(archive: bytes)
            }
        }

        /// The bytes for this way of reading.
        func bytes(of json: String) -> Data {
            switch self {
            case .reading: Data(json.utf8)
            case .migrating: ReadingMemoryTests.archive(json, "Old", version: 1)
            case .restoring: ReadingMemoryTests.archive(json, "Pile", version: 2)
            }
        }
    }

    @Test("Reading takes at most forty times the bytes, for any shape")
    func memory() async {
        await #expect(processExitsWith: .success) {
            // The first use allocates memory that later uses share.
            for way in Way.allCases { try way.run(way.bytes(of: #"[{"a":[1,"b"]}]"#)) }
            for shape in Shape.allCases {
                let json = shape.json
                // An archive has each key once.
                for way in Way.allCases where shape != .sameKeys || way == .reading {
                    let bytes = way.bytes(of: json)
                    let growth = try #require(try PeakMemory.growth { try way.run(bytes) })
                    let factor = Double(growth) / Double(bytes.count)
                    #expect(factor <= 40, "\(shape), \(way): \(factor) times the bytes")
                }
            }
        }
    }

    fileprivate static func archive(_ json: String, _ state: String, version: Int) -> Data {
        Data(
            (#"{"activated":true,"data":{"content":\#(json)},"format":1,"revision":0,"state":"\#(state)","version":\#(version),"#
                + #""workflow":"Pile"}"#).utf8
        )
    }

    final class PileState: WorkflowState {
        static var name: String { "Pile" }
        let content: JSONValue?
        init() { content = nil }
    }

    struct Pile: Workflow {
        static var initial: any WorkflowState { PileState() }
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [.state("Old", becomes: "Pile", in: 2)]
        }
        let change = Event(updating: PileState.self)
    }
}
