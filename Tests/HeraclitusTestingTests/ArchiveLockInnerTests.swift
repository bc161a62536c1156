import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

// Changes outside the data of a state: in inner machines, in effects, and in states that no machine enters.

@Suite("Archive locks of more than data") struct ArchiveLockInnerTests: ArchiveLockSuite {
    // MARK: Machines within states

    final class ToneState<Content: Codable & Sendable>: WorkflowState {
        static var name: String { "tone" }
        let content: Content
        init(_ content: Content) { self.content = content }
        init(from decoder: any Decoder) throws { content = try Content(from: decoder) }
        func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
    }
    protocol BellKind: Sendable {
        associatedtype Content: Codable & Sendable
        static var content: Content { get }
        static var version: Int { get }
        static var migrations: [Migration] { get }
    }
    struct Bell<K: BellKind>: Workflow {
        static var name: String { "Bell" }
        static var version: Int { K.version }
        static var migrations: [Migration] { K.migrations }
        static var initial: any WorkflowState { ToneState(K.content) }
        let ring = Event(updating: ToneState<K.Content>.self)
    }
    final class House<K: BellKind>: Copying {
        static var name: String { "house" }
        let bells: [StateMachine<Bell<K>>]
        let bell: StateMachine<Bell<K>>
        init() { (bells, bell) = ([StateMachine()], StateMachine()) }
        func copied() -> House { House() }
    }
    struct Street<K: BellKind>: Workflow {
        static var name: String { "Street" }
        static var initial: any WorkflowState { House<K>() }
        let paint = Event(updating: House<K>.self)
    }

    struct X: Codable { var x = 1 }
    struct Y: Codable { var y = 1 }
    struct XAndN: Codable {
        var x = 1
        var n = 1
    }
    enum First: BellKind {
        static var content: X { X() }
    }
    enum Renaming: BellKind {
        static var content: Y { Y() }
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [
                .step("x becomes y", in: 2, of: "tone") { archive in
                    archive.data["y"] = archive.data["x"]
                    archive.data["x"] = nil
                }
            ]
        }
    }
    enum Adding: BellKind {
        static var content: XAndN { XAndN() }
    }
    enum Forgetting: BellKind {
        struct Nothing: Codable { var z: Int? }
        static var content: Nothing { Nothing() }
    }

    @Test("The migrations of an inner machine are its own")
    func innerMigrations() throws {
        let found: [IncompatibleArchives.Break] = try breaks(
            [Sample<Street<First>>.state(House<First>())],
            [Sample<Street<Renaming>>.state(House<Renaming>())]
        )
        #expect(found == [])
    }

    @Test("The step for an inner machine belongs to its own workflow")
    func innerBreaks() throws {
        let added: [IncompatibleArchives.Break] = try breaks(
            [Sample<Street<First>>.state(House<First>())],
            [Sample<Street<Adding>>.state(House<Adding>())]
        )
        let step = """
            // In the workflow Bell:
            static var version: Int { 2 }  // in `migrations`:
            .step("add n in tone", in: 2, of: "tone") { archive in
                if archive.data["n"] == nil { archive.data["n"] = 0 }
            },
            """
        #expect(added.map(\.remedy) == [step])
        #expect(
            added.first?.state == "house" && added.first?.explanation.contains("bell.data.n") == true
                || added.first?.explanation.contains("bells[].data.n") == true
        )
        let lost: [IncompatibleArchives.Break] = try breaks(
            [Sample<Street<First>>.state(House<First>())],
            [Sample<Street<Forgetting>>.state(House<Forgetting>())]
        )
        #expect(
            lost.map(\.explanation) == [
                "\"bell.data.x\" is stored and no longer read: it would be lost. "
                    + "\"bells[].data.x\" is stored and no longer read: it would be lost."
            ]
        )
        #expect(
            lost.allSatisfy { $0.remedy.contains("// In the workflow Bell:\n") && $0.remedy.contains("of: \"tone\"") }
        )
    }

    final class Town<K: BellKind>: Copying {
        static var name: String { "town" }
        let streets: [StateMachine<Street<K>>]
        init() { streets = [StateMachine()] }
        func copied() -> Town { Town() }
    }
    struct Country<K: BellKind>: Workflow {
        static var name: String { "Country" }
        static var initial: any WorkflowState { Town<K>() }
        let grow = Event(updating: Town<K>.self)
    }

    @Test("A change of a machine in a machine is found at its place")
    func machinesInMachines() throws {
        let added: [IncompatibleArchives.Break] = try breaks(
            [Sample<Country<First>>.state(Town<First>())],
            [Sample<Country<Adding>>.state(Town<Adding>())]
        )
        #expect(added.map(\.state) == ["town"])
        #expect(added.first?.explanation.hasPrefix("\"streets[].data.bell") == true)
        #expect(added.first?.explanation.hasSuffix(".data.n\" is read, and was not stored.") == true)
        #expect(added.first?.remedy.contains("if archive.data[\"n\"] == nil { archive.data[\"n\"] = 0 }") == true)
        let lost: [IncompatibleArchives.Break] = try breaks(
            [Sample<Country<First>>.state(Town<First>())],
            [Sample<Country<Forgetting>>.state(Town<Forgetting>())]
        )
        #expect(
            lost.map(\.explanation) == [
                "\"streets[].data.bell.data.x\" is stored and no longer read: it would be lost. "
                    + "\"streets[].data.bells[].data.x\" is stored and no longer read: it would be lost."
            ]
        )
    }

    final class Hut: Copying {
        static var name: String { "house" }
        let bells: [StateMachine<Bell<First>>]
        init() { bells = [StateMachine()] }
        func copied() -> Hut { Hut() }
    }
    struct Lane: Workflow {
        static var name: String { "Street" }
        static var initial: any WorkflowState { Hut() }
        let paint = Event(updating: Hut.self)
    }

    @Test("An inner machine that is no longer in its state would be lost")
    func lostMachine() throws {
        let lost: [IncompatibleArchives.Break] = try breaks(
            [Sample<Street<First>>.state(House<First>())],
            [Sample<Lane>.state(Hut())]
        )
        #expect(lost.map(\.explanation) == ["\"bell\" is stored and no longer read: it would be lost."])
    }

    struct Avenue: Workflow {
        static var name: String { "Street" }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.values(under: "x", in: 2) { _ in }] }
        static var initial: any WorkflowState { House<First>() }
        let paint = Event(updating: House<First>.self)
    }

    @Test("A step for values that only inner machines have is reported, because it leaves inner machines alone")
    func innerValues() throws {
        let found: [IncompatibleArchives.Break] = try breaks(
            [Sample<Street<First>>.state(House<First>())],
            [Sample<Avenue>.state(House<First>())]
        )
        let explanation = "The step \"convert values under x\" matches nothing that older versions have stored."
        #expect(found.map(\.explanation) == [explanation])
    }

    struct Items: Codable { var items: [Int] = [] }
    enum Lists: BellKind {
        static var content: Items { Items() }
    }
    enum ChangedLists: BellKind {
        static var content: Items { Items() }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.values(under: "items", in: 2) { _ in }] }
    }

    @Test("A step for values whose lists are empty in the lock counts as used")
    func emptyLists() throws {
        let found: [IncompatibleArchives.Break] = try breaks(
            [Sample<Bell<Lists>>.state(ToneState(Items()))],
            [Sample<Bell<ChangedLists>>.state(ToneState(Items()))]
        )
        #expect(found.map(\.explanation) == [])
    }

    // MARK: Effects

    protocol MailKind: Effect {
        static func sample() -> Self
    }
    struct Mail: MailKind {
        static var name: String { "Mail" }
        let to: String
        let subject: String?
        static func sample() -> Mail { Mail(to: "a", subject: "b") }
    }
    struct Letter: MailKind {
        let to: String
        let subject: String?
        static func sample() -> Letter { Letter(to: "a", subject: "b") }
    }
    struct OtherMail: MailKind {
        static var name: String { "Mail" }
        let receiver: String
        static func sample() -> OtherMail { OtherMail(receiver: "a") }
    }
    struct ShortMail: MailKind {
        static var name: String { "Mail" }
        let to: String
        static func sample() -> ShortMail { ShortMail(to: "a") }
    }
    struct LoudMail: MailKind {
        static var name: String { "Mail" }
        let to: String
        let subject: String?
        static func sample() -> LoudMail { LoudMail(to: "A", subject: "B") }
        init(to: String, subject: String?) { (self.to, self.subject) = (to, subject) }
        enum CodingKeys: CodingKey { case to, subject }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            to = try container.decode(String.self, forKey: .to).uppercased()
            subject = try container.decodeIfPresent(String.self, forKey: .subject)
        }
    }
    struct Card: Codable {
        var secret: String? = "s"
        var stamp = 1
        init() {}
        init(from decoder: any Decoder) {
            secret = nil
            stamp = 0
        }
    }
    struct Charge: MailKind {
        static var name: String { "Charge" }
        let card: Card
        static func sample() -> Charge { Charge(card: Card()) }
    }
    struct Payer: Codable {
        var id = 1
        var secret = "s"
    }
    struct Entry: Codable {
        var price = 1
        var secret = "s"
    }
    struct Bill: MailKind {
        static var name: String { "Bill" }
        var payer = Payer()
        var entries = [Entry()]
        static func sample() -> Bill { Bill() }
    }
    struct OpenPayer: Codable { var id = 1 }
    struct OpenEntry: Codable { var price = 1 }
    struct OpenBill: MailKind {
        static var name: String { "Bill" }
        var payer = OpenPayer()
        var entries = [OpenEntry()]
        static func sample() -> OpenBill { OpenBill() }
    }
    struct Invalid: Error {}
    struct UnreadableMail: MailKind {
        static var name: String { "Mail" }
        let to: String
        static func sample() -> UnreadableMail { UnreadableMail(to: "a") }
        init(to: String) { self.to = to }
        init(from decoder: any Decoder) throws { throw Invalid() }
    }
    struct UnwritableMail: MailKind {
        static var name: String { "Mail" }
        var isRead = false
        static func sample() -> UnwritableMail { UnwritableMail() }
        init() {}
        init(from decoder: any Decoder) { isRead = true }
        func encode(to encoder: any Encoder) throws {
            if isRead { throw Invalid() }
            try ["to": "a"].encode(to: encoder)
        }
    }
    final class SentState<M: MailKind>: EmptyState, Effecting {
        static var name: String { "sent" }
        var effects: [any Effect] { [M.sample()] }
    }
    struct Post<M: MailKind>: Workflow {
        static var name: String { "Post" }
        static var effects: [any Effect.Type] { [M.self] }
        static var initial: any WorkflowState { SentState<M>() }
        let again = Event(updating: SentState<M>.self)
    }

    /// A workflow with the code that the lock prints for `OpenBill`.
    struct LaterPost: Workflow {
        static var name: String { "Post" }
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [
                .effect("Bill", in: 2) { data in
                    if let list = data["entries"]?.arrayValue {
                        data["entries"] = .array(
                            list.map { element in
                                var element = element
                                element["secret"] = nil
                                return element
                            }
                        )
                    }
                    data["payer"]?["secret"] = nil
                }
            ]
        }
        static var effects: [any Effect.Type] { [OpenBill.self] }
        static var initial: any WorkflowState { SentState<OpenBill>() }
        let again = Event(updating: SentState<OpenBill>.self)
    }

    @Test("The code for nested data of effects, and for elements of their lists, works")
    func pastedForEffects() throws {
        let old: [Sample<Post<Bill>>] = []
        let found = try breaks(old, [Sample<Post<OpenBill>>]())
        #expect(found.count == 1)
        let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
        func compact(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        // One step has the code of both, because steps for one effect have the same name.
        let code = try #require(found.first?.remedy).split(separator: "\n").dropFirst(2).dropLast().joined()
        #expect(code.contains("secret") && compact(source).contains(compact(code)), "\(code)")
        #expect(try breaks(old, [Sample<LaterPost>]()) == [])
    }

    @Test("An effect whose own coding throws any error is a break")
    func throwingCoding() throws {
        let none: [Sample<Post<Mail>>] = []
        let explanation = "The data of the effect \"Mail\" cannot be read and written: Invalid()"
        let unreadable = try breaks(none, [Sample<Post<UnreadableMail>>]())
        #expect(unreadable.map(\.explanation) == [explanation])
        #expect(unreadable.first?.remedy.contains(".effect(\"Mail\", in: 2) { data in\n") == true)
        let unwritable = try breaks(none, [Sample<Post<UnwritableMail>>]())
        #expect(unwritable.map(\.explanation) == [explanation])
    }

    @Test("Effects that could no longer be carried out are breaks")
    func effects() throws {
        let none: [Sample<Post<Mail>>] = []
        #expect(try breaks(none, [Sample<Post<Mail>>]()) == [])
        let renamed = try breaks(none, [Sample<Post<Letter>>]())
        #expect(renamed.first?.remedy.contains(".effect(\"Mail\", becomes: …, in: 2),") == true)
        #expect(renamed.map(\.explanation) == ["The effect \"Mail\" is gone. Stored ones would wait for ever."])
        let changed = try breaks(none, [Sample<Post<OtherMail>>]())
        #expect(changed.count == 1 && changed.first?.explanation.contains("receiver") == true)
        let short = try breaks(none, [Sample<Post<ShortMail>>]())
        #expect(short.map(\.explanation) == ["\"subject\" of the effect \"Mail\" is stored and no longer read."])
        let loud = try breaks(none, [Sample<Post<LoudMail>>]())
        let other = "\"to\" of the effect \"Mail\" is \"a\" in an archive, and is \"A\" when that is read."
        #expect(loud.map(\.explanation) == [other])
    }

    @Test("Excepted properties of effects are ignored at any depth")
    func exceptedInEffects() throws {
        let none: [Sample<Post<Charge>>] = []
        let lost = "\"card.secret\" of the effect \"Charge\" is stored and no longer read."
        let changed = "\"card.stamp\" of the effect \"Charge\" is 1 in an archive, and is 0 when that is read."
        #expect(try breaks(none, none).map(\.explanation) == ["\(lost) \(changed)"])
        #expect(try breaks(none, none, except: ["secret"]).map(\.explanation) == [changed])
        #expect(try breaks(none, none, except: ["secret", "stamp"]) == [])
    }

    // MARK: Unreached states

    struct Declined: Error {}
    final class OpenState: EmptyState {}
    final class PaidState: WorkflowState {
        let total: Int
        init(total: Int) { self.total = total }
    }
    struct Guarded: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let pay = Event(from: OpenState.self, to: PaidState.self)
            .guarded { _, paid, _ in if paid.total < 10 { throw Declined() } }
    }

    @Test("A state that no machine has entered, and that no sample makes without a source, is named")
    func unreached() throws {
        try inFolder { folder in
            let built: [Sample<Guarded>] = [.state { (_: OpenState) in PaidState(total: 1) }]
            let error = #expect(throws: ArchiveLockNotRecorded.self) {
                try expectCompatible(Guarded.self, samples: built, in: folder, recording: true)
            }
            #expect(error?.unreached == ["PaidState"] && error?.description.hasSuffix(".state(PaidState(…)).") == true)
            // A sample is enough, for any decision of the guard.
            let samples: [Sample<Guarded>] = [.state(PaidState(total: 1))]
            try expectCompatible(Guarded.self, samples: samples, in: folder, recording: true)
            try expectCompatible(Guarded.self, samples: samples, in: folder)
        }
    }
}

extension ArchiveLockInnerTests.BellKind {
    static var version: Int { 1 }
    static var migrations: [Migration] { [] }
}
