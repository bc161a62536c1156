import Foundation
import Heraclitus
import HeraclitusInspecting
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("Long names in errors") struct LongNameTests {
    /// Names as a caller may send them.
    ///
    /// The second is one character.
    enum Name: CaseIterable {
        case manyCharacters, oneCharacter

        var text: String {
            switch self {
            case .manyCharacters: String(repeating: "a", count: 10_000)
            case .oneCharacter: "e" + String(repeating: "\u{301}", count: 5_000)
            }
        }
    }

    final class ColourState: WorkflowState {
        enum Colour: String, Codable, Sendable { case red }
        let colour: Colour
        let tints: [String: Int]
        init() { (colour, tints) = (.red, [:]) }
    }
    final class BoiledState: EmptyState {}
    struct Paint: Workflow {
        static var initial: any WorkflowState { ColourState() }
        let paint = Event(updating: ColourState.self)
        let boil = Event(from: ColourState.self, to: BoiledState.self)
    }

    private static func texts(of error: any Error) -> [String] {
        let localized = error as? any LocalizedError
        return ["\(error)", localized?.errorDescription, localized?.failureReason, localized?.recoverySuggestion]
            .compactMap(\.self)
    }

    private func expectShort(_ error: (any Error)?, sourceLocation: SourceLocation = #_sourceLocation) {
        let texts = error.map(Self.texts) ?? []
        let isShortened = texts.first?.unicodeScalars.contains("…") == true
        #expect(isShortened, sourceLocation: sourceLocation)
        let lengths = texts.map(\.unicodeScalars.count)
        #expect(lengths.allSatisfy { $0 < 2_000 }, sourceLocation: sourceLocation)
    }

    @Test("Errors of fires and actions shorten names in texts only", arguments: Name.allCases)
    func machines(of name: Name) throws {
        let name = name.text
        let machine = StateMachine<Paint>()
        let fired = #expect(throws: InvalidTransition.self) { try machine.fire[named: name]() }
        expectShort(fired)
        let isWhole = fired?.event == name
        #expect(isWhole)
        expectShort(#expect(throws: InvalidTransition.self) { try machine.enter(named: name) })
        let performed = #expect(throws: InvalidTransition.self) { _ = try machine.perform(named: name) }
        expectShort(performed)
        let isActionWhole = performed?.action == name
        #expect(isActionWhole)
        let validator = TransitionValidator<Paint>()
        for (source, destination) in [(name, name), ("ColourState", name), (name, "BoiledState")] {
            expectShort(
                #expect(throws: InvalidTransition.self) {
                    try validator.validate(named: "boil", from: source, to: destination)
                }
            )
        }
    }

    @Test("Texts of archive errors shorten names, keys and values", arguments: Name.allCases)
    func archives(of name: Name) throws {
        let name = name.text
        let archive = String(decoding: try StateMachine<Paint>().archive(), as: UTF8.self)
        for (old, new) in [
            ("\"Paint\"", "\"\(name)\""), ("\"ColourState\"", "\"\(name)\""), ("\"red\"", "\"\(name)\""),
            ("\"tints\":{}", "\"tints\":{\"\(name)\":\"x\"}"),
        ] {
            let changed = archive.replacing(old, with: new)
            try #require(changed != archive)
            expectShort(
                #expect(throws: ArchiveError.self) { _ = try StateMachine<Paint>(archive: Data(changed.utf8)) }
            )
        }
        let event = Data("{\"name\":\"\(name)\",\"from\":[],\"to\":[]}".utf8)
        func decode<E: Decodable>(as type: E.Type) throws { _ = try JSONDecoder().decode(type, from: event) }
        #expect(throws: DecodingError.self) {
            do {
                try decode(as: type(of: Paint.events.boil))
            } catch let DecodingError.dataCorrupted(context) {
                #expect(context.debugDescription.unicodeScalars.count < 2_000)
                throw DecodingError.dataCorrupted(context)
            }
        }
    }

    @Test("Texts of all errors with foreign names shorten them", arguments: Name.allCases)
    func payloads(of name: Name) {
        let name = name.text
        struct Failure: Error { let text: String }
        let failure = Failure(text: name)
        let archiveErrors: [ArchiveError] = [
            .notJSON(explanation: name), .malformed(path: name, explanation: name),
            .unknownFormat(2, supported: 1, path: name), .wrongWorkflow(name, expected: "Paint", path: name),
            .newerVersion(2, supported: 1, path: name), .inaccessibleFile(name, explanation: name),
            .failedMigration(name, version: 2, path: name, underlyingError: failure),
            .unknownState(name, known: ["ColourState"], path: name),
            .brokenState(name, path: name, underlyingError: failure),
            .unwritableState(name, underlyingError: failure), .unknownEffect(name, known: []),
            .brokenEffect(name, underlyingError: failure), .unwritableEffect(name, underlyingError: failure),
        ]
        for error in archiveErrors { expectShort(error) }
        let storeErrors: [StoreError] = [
            .conflict(id: name, expected: 1, found: 0), .conflict(id: name, expected: 0, found: 1),
            .conflict(id: name, expected: 1, found: 2), .tooManyConflicts(id: name, attempts: 2),
            .damaged(id: name, explanation: name), .noTransactions(ids: [name, name]),
            .ambiguousID(name, taken: name), .repeatedID(name), .effectsChanged(id: name), .unitEnded(id: name),
            .uncollectedEffects(id: name, state: name), .missingHandlers([name]),
        ]
        for error in storeErrors { expectShort(error) }
        for finding in Self.findings(about: name) {
            let scalars = finding.description.unicodeScalars
            let isShortened = scalars.contains("…") && scalars.count < 2_000
            #expect(isShortened)
        }
    }

    /// A finding of each kind, from tables with long names.
    private static func findings(about name: String) -> [WorkflowProblem] {
        func table(_ events: [(String, String, String)], finals: [String] = []) -> TransitionTable {
            let states = ["A"] + Set(events.flatMap { [$0.1, $0.2] }).subtracting(["A"]).sorted()
            var table = TransitionTable(
                named: "w",
                states: states,
                initial: "A",
                events: events.map { .init(named: $0.0, [.init(from: $0.1, to: $0.2)]) }
            )
            table.declaredFinals = finals
            return table
        }
        let (other, third) = (name + "2", name + "3")
        let findings = [
            table([(name, name, other)]), table([(name, "A", name), (other, "A", name)], finals: [third]),
            table([(name, "A", name), (other, name, "A")], finals: [name]),
            table([("a", "A", "B"), ("b", "A", name), ("c", name, name)], finals: ["B"]),
        ]
        .flatMap(\.findings)
        let kinds = [
            "deadEnd", "endlessState", "leftFinal", "sameEvents", "unknownFinal", "unreachableEvent",
            "unreachableState",
        ]
        #expect(Set(findings.map(\.kind)).sorted() == kinds)
        return findings
    }

    @Test("A name of 200 characters stays, and a longer one keeps its beginning and its end")
    func limit() {
        let name = String(repeating: "ä", count: 199) + "z"
        #expect(StoreError.repeatedID(name).description.contains("\"\(name)\""))
        let text = StoreError.repeatedID("y" + name).description
        #expect(text.contains("\"yä") && text.contains("äz\"") && !text.contains(name))
    }
}
