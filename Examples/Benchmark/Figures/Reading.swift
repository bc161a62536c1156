import Foundation
import Heraclitus

// Figures of archives that are large, deep or old, against Foundation's decoder on the same bytes.

extension Figure {
    static var reading: [Figure] {
        let numbers = (0..<15_000).map(String.init).joined(separator: ",")
        let many = repeatElement(numbers, count: 11).joined(separator: ",")
        let objects = repeatElement("{}", count: 350_000).joined(separator: ",")
        let amounts = repeatElement("51679768515708984.8", count: 52_000).joined(separator: ",")
        return figures("100 kB at depth 60", nested(numbers, 58), LargeArchive<Nested<Int>>.self)
            + figures("1 MB at depth 55", nested(many, 53), LargeArchive<Nested<Int>>.self)
            + figures("1 MB of empty objects", "[\(objects)]", LargeArchive<Nested<Empty>>.self)
            + figures("1 MB of amounts", "[\(amounts)]", LargeArchive<Nested<Decimal>>.self)
            + figures("43 kB of machines within machines", machines, LargeArchive<PlainMachine>.self, key: "inner")
    }

    /// An archive that is restored as it is, and one that is migrated.
    private static func figures<Plain: Decodable>(
        _ name: String,
        _ data: String,
        _ plain: Plain.Type,
        key: String = "content"
    ) -> [Figure] {
        [2, 1].map { version in
            let archive = Data(envelope(data, key: key, version: version).utf8)
            return Figure(
                name: "\(version == 2 ? "Restoring" : "Migrating") \(name)",
                unit: "ns",
                goal: 10,
                ours: perOperation { rounds in
                    for _ in 0..<rounds { keep(succeeding { try StateMachine<Large>(archive: archive) }) }
                },
                limit: perOperation { rounds in
                    for _ in 0..<rounds {
                        _ = succeeding { try JSONDecoder().decode(plain, from: archive) }
                        keep(rounds)
                    }
                }
            )
        }
    }

    private static func nested(_ elements: String, _ depth: Int) -> String {
        String(repeating: "[", count: depth) + elements + String(repeating: "]", count: depth)
    }

    private static func envelope(_ data: String, key: String, version: Int) -> String {
        #"{"activated":true,"data":{"\#(key)":\#(data)},"format":1,"revision":0,"state":"Large","version":\#(version),"#
            + #""workflow":"Large"}"#
    }

    /// Each in the data of the one before, all of them to be migrated.
    private static var machines: String {
        let text = String(repeating: "x", count: 1_200)
        return (0..<28).reduce("null") { inner, _ in
            #"{"activated":true,"data":{"text":"\#(text)","inner":\#(inner)},"#
                + #""format":1,"revision":0,"state":"Large","version":1,"workflow":"Large"}"#
        }
    }
}

/// A state that keeps anything, and maybe a machine.
private final class LargeState: Copying {
    static var name: String { "Large" }
    let content: JSONValue?
    let inner: StateMachine<Large>?
    init(content: JSONValue? = nil, inner: StateMachine<Large>? = nil) { (self.content, self.inner) = (content, inner) }
    func copied() -> LargeState { LargeState(content: content, inner: inner?.copy()) }
}

private struct Large: Workflow {
    static var initial: any WorkflowState { LargeState() }
    static var version: Int { 2 }
    static var migrations: [Migration] { [.unchanged(in: 2)] }
    let set = Event(updating: LargeState.self)
}

/// The same bytes as plain data, of which Foundation's decoder is told the types: all numbers, or all empty.
private struct LargeArchive<Element: Decodable>: Decodable {
    let version: Int
    let data: Content

    struct Content: Decodable {
        let content: Element?
        let inner: Element?
    }
}

/// Lists within lists, as deep as they say by their types; only what lies in the innermost is a list of something.
private struct Nested<Element: Decodable>: Decodable {
    let elements: [Element]

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        // The innermost is the first that has not one element alone.
        while list.count == 1 { list = try list.nestedUnkeyedContainer() }
        var elements: [Element] = []
        while !list.isAtEnd { elements.append(try list.decode(Element.self)) }
        self.elements = elements
    }
}

private struct Empty: Decodable {}

/// A machine with a machine in its data, as plain data.
private final class PlainMachine: Decodable {
    let version: Int
    let data: Content

    struct Content: Decodable {
        let text: String
        let inner: PlainMachine?
    }
}
