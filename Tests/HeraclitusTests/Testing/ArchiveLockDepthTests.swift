import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

// Changes that an archive lock finds although what it has stored can still be read, or lies deeper than the data of a state.

@Suite("The depth of the archive lock") struct ArchiveLockDepthTests {
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    /// What the lock of one workflow says of another one that has taken its place.
    private func breaks<Old: Workflow, New: Workflow>(
        _ old: [Sample<Old>],
        _ new: [Sample<New>],
        except: Set<String> = []
    ) throws -> [IncompatibleArchives.Break] where Old.Context == Void, New.Context == Void {
        var breaks: [IncompatibleArchives.Break] = []
        try inFolder { folder in
            try expectCompatible(Old.self, samples: old, in: folder, recording: true, except: except)
            do {
                try expectCompatible(New.self, samples: new, in: folder, recording: true, except: except)
            } catch let error as IncompatibleArchives {
                breaks = error.breaks
            }
        }
        return breaks
    }

    // MARK: What is recorded

    /// A state whose data is of another type in each version of the program.
    final class Cart<Content: Codable & Sendable>: WorkflowState {
        static var name: String { "Cart" }
        let content: Content
        init(_ content: Content) { self.content = content }
        init(from decoder: any Decoder) throws { content = try Content(from: decoder) }
        func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
    }
    struct Shop<Content: Codable & Sendable>: Workflow {
        static var name: String { "Shop" }
        static var version: Int { (Content.self as? any Versioned.Type)?.version ?? 1 }
        static var migrations: [Migration] { (Content.self as? any Versioned.Type)?.migrations ?? [] }
        static var initial: any WorkflowState {
            guard let content = Given.content as? Content else { preconditionFailure("Nothing is given.") }
            return Cart(content)
        }
        let change = Event(updating: Cart<Content>.self)
    }
    protocol Versioned {
        static var version: Int { get }
        static var migrations: [Migration] { get }
    }
    enum Given {
        @TaskLocal static var content: (any Sendable)?
    }

    /// Changes the content of a cart from one type to another one, in the order in which these contents are recorded.
    private func lock<Content: Codable & Sendable>(
        _ contents: Content...,
        in folder: URL,
        recording: Bool = false,
        except: Set<String> = []
    ) throws {
        try Given.$content.withValue(contents[0]) {
            let samples: [Sample<Shop<Content>>] = contents.map { content in .state(Cart(content)) }
            try expectCompatible(Shop<Content>.self, samples: samples, in: folder, recording: recording, except: except)
        }
    }

    struct Plain: Codable { var items = ["a"] }
    struct WithCoupon: Codable {
        var items = ["a"]
        var coupon: String? = "ten"
    }
    struct WithVoucher: Codable {
        var items = ["a"]
        var voucher: String? = "ten"
    }
    struct WithGift: Codable {
        var items = ["a"]
        var gift: Bool? = true
    }
    struct OnlyGift: Codable {
        var items = ["a"]
        var gift = true
    }

    @Test("A key that was added has to be recorded, so that it cannot get lost later")
    func addedKey() throws {
        try inFolder { folder in
            try lock(Plain(), in: folder, recording: true)
            let error = #expect(throws: ArchiveLockNotRecorded.self) { try lock(WithCoupon(), in: folder) }
            #expect(error?.keys == ["Cart.coupon"] && error?.states == [] && error?.isWritten == false)
            #expect(
                error?.description
                    == "version-1.json does not have the keys Cart.coupon. Run the test once with `recording: true`."
            )
            try lock(WithCoupon(), in: folder, recording: true)
            try lock(WithCoupon(), in: folder)
            let lost = #expect(throws: IncompatibleArchives.self) { try lock(WithVoucher(), in: folder) }
            #expect(
                lost?.breaks.map(\.explanation) == [
                    "\"coupon\" is stored and no longer read: it would be lost. \"voucher\" is new, and of the same type."
                ]
            )
            #expect(lost?.breaks.first?.remedy.contains("archive.data[\"voucher\"] = archive.data[\"coupon\"]") == true)
        }
    }

    @Test("What was recorded before stays in the file when more is recorded")
    func recordedBefore() throws {
        try inFolder { folder in
            try lock(Plain(), in: folder, recording: true)
            try lock(WithGift(), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(OnlyGift(), in: folder) }
            #expect(error?.breaks.map(\.explanation) == ["\"gift\" is read, and was not stored."])
            // Nor is it recorded twice.
            let file = folder.appendingPathComponent("version-1.json")
            let before = try Data(contentsOf: file)
            try lock(WithGift(), in: folder, recording: true)
            #expect(try Data(contentsOf: file) == before)
        }
    }

    @Test("Keys that are others in each run need not be recorded")
    func randomKeys() throws {
        struct Random: Codable {
            var counts: [String: Int]
            init() { counts = [UUID().uuidString: 1] }
        }
        final class Box: WorkflowState {
            static var name: String { "Box" }
            let counts: [String: Int]
            init() { counts = [UUID().uuidString: 1] }
        }
        struct Boxes: Workflow {
            static var initial: any WorkflowState { Box() }
            let change = Event(updating: Box.self)
        }
        try inFolder { folder in
            try expectCompatible(Boxes.self, samples: [.state(Box())], in: folder, recording: true)
            try expectCompatible(Boxes.self, samples: [.state(Box())], in: folder)
        }
    }

    enum Kind: String, Codable { case plain, fancy }
    enum PlainKind: String, Codable { case plain }
    enum LenientKind: String, Codable {
        case plain, other
        init(from decoder: any Decoder) throws { self = try Self(rawValue: String(from: decoder)) ?? .other }
    }
    struct Kinds<K: Codable & Sendable>: Codable, Sendable { var kind: K }
    struct Amount<Number: Codable & Sendable>: Codable, Sendable { var total: Number }

    @Test("Every sample is stored, also those that no machine was driven with")
    func everySample() throws {
        try inFolder { folder in
            try lock(Kinds(kind: Kind.plain), Kinds(kind: .fancy), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock(Kinds(kind: PlainKind.plain), in: folder)
            }
            #expect(error?.breaks.first?.explanation.contains("\"kind\"") == true)
        }
        try inFolder { folder in
            try lock(Amount(total: 20.0), Amount(total: 19.99), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(Amount(total: 20), in: folder) }
            #expect(error?.breaks.first?.explanation.contains("\"total\"") == true)
        }
    }

    // MARK: What is read as something else

    @Test("A value that is read as another one is a break, although it can be read")
    func otherValues() throws {
        try inFolder { folder in
            try lock(Amount(total: 700_000_000.0), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock(Amount(total: Date(timeIntervalSinceReferenceDate: 0)), in: folder)
            }
            #expect(
                error?.breaks.map(\.explanation) == [
                    "\"total\" is 700000000 in an archive, and is \"2023-03-08T20:26:40Z\" when that is read."
                ]
            )
            #expect(error?.breaks.first?.remedy.contains("archive.data[\"total\"] = …") == true)
        }
        try inFolder { folder in
            try lock(Kinds(kind: Kind.plain), Kinds(kind: .fancy), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock(Kinds(kind: LenientKind.plain), Kinds(kind: .other), in: folder)
            }
            #expect(
                error?.breaks.map(\.explanation)
                    == ["\"kind\" is \"fancy\" in an archive, and is \"other\" when that is read."]
            )
        }
        try inFolder { folder in
            try lock(Amount(total: [700_000_000.0]), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock(Amount(total: [Date(timeIntervalSinceReferenceDate: 0)]), in: folder)
            }
            #expect(error?.breaks.first?.explanation.hasPrefix("\"total\" has other elements") == true)
        }
    }

    @Test("Values of all kinds are read as they were written")
    func sameValues() throws {
        struct Values: Codable {
            var doubles = [1e16: 1e22, 0.1 + 0.2: -0.0]
            var large = 1e16
            var huge = Double.greatestFiniteMagnitude
            var small = Double.leastNonzeroMagnitude
            var sum = 0.1 + 0.2
            var zero = -0.0
            var float = Float(0.1)
            var unsigned = UInt64.max
            var signed = Int.min
            var decimal = Decimal(string: "12345678901234567890.123456789")
            var date = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456)
            var past = Date.distantPast
            var url = URL(string: "https://example.org/a?b=c#d")
            var data = Data([0, 255, 10])
            var text = "\u{0} \" \\ / é e\u{301} 👩‍👩‍👧"
            var none: Int?
            var id = UUID()
            var duration = Duration.seconds(1.5)
            var ranges = 1..<3
        }
        try inFolder { folder in
            try lock(Values(), in: folder, recording: true)
            try lock(Values(), in: folder)
        }
    }

    @Test("An element of a list that is read as another one is a break, wherever the list is")
    func elements() throws {
        try inFolder { folder in
            try lock(Kinds(kind: [[Kind.plain, .fancy]]), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock(Kinds(kind: [[LenientKind.plain, .other]]), in: folder)
            }
            #expect(
                error?.breaks.map(\.explanation) == [
                    #""kind" has other elements when an archive is read: [["plain","fancy"]] and [["plain","other"]]."#
                ]
            )
        }
    }

    struct Listing: Codable {
        var name = "n"
        var tags: [String] = []
    }
    struct Sparse: Codable {
        var who = "n"
        var stamp = Int.random(in: 0...Int.max)
        enum CodingKeys: CodingKey { case who, name, stamp }
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            who =
                try container.decodeIfPresent(String.self, forKey: .who)
                ?? container.decode(String.self, forKey: .name)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(who, forKey: .who)
            try container.encode(Int.random(in: 0...Int.max), forKey: .stamp)
        }
    }

    @Test(
        "A value that is read under another key, an empty list that is left out, and what is new each time are no breaks"
    )
    func harmless() throws {
        try inFolder { folder in
            try lock(Listing(), in: folder, recording: true)
            try lock(Sparse(), in: folder, recording: true, except: ["stamp"])
            try lock(Sparse(), in: folder, except: ["stamp"])
        }
    }

    // MARK: Later versions

    struct Phone: Codable { var phone: String? = "1" }
    struct Telephone: Codable, Versioned {
        var telephone: String? = "1"
        static var version: Int { 2 }
        static var migrations: [Migration] { [.unchanged(in: 2)] }
    }
    struct NoPhone: Codable, Versioned {
        var name = "n"
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [
                .step("phones go", in: 2) { archive in
                    archive.data["phone"] = nil
                    archive.data["name"] = "n"
                }
            ]
        }
    }

    @Test("A later version has to read what its steps leave; what they drop is their affair")
    func later() throws {
        try inFolder { folder in
            try lock(Phone(), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock(Telephone(), in: folder, recording: true)
            }
            #expect(error?.breaks.first?.explanation.hasPrefix("\"phone\" is stored and no longer read") == true)
            #expect(error?.breaks.first?.remedy.hasPrefix(".step(\"phone becomes telephone in Cart\", in: 2") == true)
            try lock(NoPhone(), in: folder, recording: true)
            try lock(NoPhone(), in: folder)
        }
    }

    // MARK: Steps that can be pasted

    struct Line: Codable, Equatable {
        var title = "t"
        var price = 2
    }
    struct Address: Codable, Equatable {
        var city = "c"
        var zip = 1
    }
    struct Order: Codable {
        var address = Address()
        var lines = [Line(), Line(title: "u", price: 3)]
    }
    struct LaterLine: Codable, Equatable {
        var name = "t"
        var price = 2
    }
    struct LaterAddress: Codable, Equatable {
        var town = "c"
        var zip = 1
    }
    struct Renamed: Codable {
        var address = LaterAddress()
        var lines = [Line(), Line(title: "u", price: 3)]
    }
    struct RenamedTwice: Codable, Versioned {
        var address = LaterAddress()
        var lines = [LaterLine(), LaterLine(name: "u", price: 3)]
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [
                .step("address.city becomes address.town in Cart", in: 2, of: "Cart") { archive in
                    let moved = archive.data["address"]?["city"]
                    archive.data["address"]?["town"] = moved
                    archive.data["address"]?["city"] = nil
                },
                .step("lines[].title becomes lines[].name in Cart", in: 2, of: "Cart") { archive in
                    if let list = archive.data["lines"]?.arrayValue {
                        archive.data["lines"] = .array(
                            list.map { element in
                                var element = element
                                element["name"] = element["title"]
                                element["title"] = nil
                                return element
                            }
                        )
                    }
                },
            ]
        }
    }
    struct OtherLines: Codable {
        var address = Address()
        var lines = [LaterLine(), LaterLine(name: "u", price: 3)]
    }

    @Test("The steps for what is nested and for the elements of lists do what they say")
    func pasted() throws {
        try inFolder { folder in
            try lock(Order(), in: folder, recording: true)
            let nested = #expect(throws: IncompatibleArchives.self) { try lock(Renamed(), in: folder) }
            let listed = #expect(throws: IncompatibleArchives.self) { try lock(OtherLines(), in: folder) }
            let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
            func compact(_ text: some StringProtocol) -> String { String(text.filter { !$0.isWhitespace }) }
            for error in [nested, listed] {
                let remedy = try #require(error?.breaks.first?.remedy)
                // Below the version that it needs.
                let step = remedy[(remedy.firstIndex(of: "\n") ?? remedy.startIndex)...]
                #expect(error?.breaks.count == 1 && step.contains(" becomes "))
                #expect(compact(source).contains(compact(step)), "\(step)")
            }
            try lock(RenamedTwice(), in: folder, recording: true)
            try lock(RenamedTwice(), in: folder)
            let archive = try Shop<Order>.archive(of: Cart(Order()))
            let cart = try Shop<RenamedTwice>.state(from: archive) as? Cart<RenamedTwice>
            #expect(cart?.content.address == LaterAddress())
            #expect(cart?.content.lines == [LaterLine(), LaterLine(name: "u", price: 3)])
        }
    }

    @Test("Where several keys may have become one, the step does not guess")
    func severalCandidates() throws {
        struct Before: Codable {
            var street = "s"
            var city = "c"
        }
        struct After: Codable {
            var line = "s"
            var place = "c"
        }
        try inFolder { folder in
            try lock(Before(), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(After(), in: folder) }
            #expect(
                error?.breaks.first?.explanation.hasSuffix("\"city\" and \"street\" are stored, and no longer read.")
                    == true
            )
            #expect(error?.breaks.first?.remedy.contains("= … }") == true)
        }
    }

    @Test("The elements of a set may be in any order")
    func sets() throws {
        try inFolder { folder in
            for _ in 0..<3 { try lock(Amount(total: Set((0..<50).map { "\($0)" })), in: folder, recording: true) }
        }
    }

    final class Cache: WorkflowState {
        static var name: String { "Cache" }
        let stamp: Int
        let content: String
        init() { (stamp, content) = (Int.random(in: 0...Int.max), "c") }
        enum CodingKeys: CodingKey { case stamp, content }
        init(from decoder: any Decoder) throws {
            stamp = Int.random(in: 0...Int.max)
            content = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .content)
        }
    }
    struct Caching: Workflow {
        static var initial: any WorkflowState { Cache() }
        let change = Event(updating: Cache.self)
    }

    @Test("Properties that need not survive an archive are left out")
    func excepted() throws {
        try inFolder { folder in
            let samples: [Sample<Caching>] = [.state(Cache())]
            #expect(throws: ExerciseFailure.self) { try expectCompatible(Caching.self, samples: samples, in: folder) }
            for isRecording in [true, false] {
                try expectCompatible(
                    Caching.self,
                    samples: samples,
                    in: folder,
                    recording: isRecording,
                    except: ["stamp"]
                )
            }
        }
    }

    // MARK: Names

    @Test("Names with quotation marks, backslashes and points are written as code that compiles")
    func names() throws {
        struct Strange: Codable {
            var before = 1
            enum CodingKeys: String, CodingKey { case before = "a.b\"c\\d" }
        }
        struct Other: Codable {
            var after = 1
            enum CodingKeys: String, CodingKey { case after = "x[0].y" }
        }
        try inFolder { folder in
            try lock(Strange(), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(Other(), in: folder) }
            let remedy = try #require(error?.breaks.first?.remedy)
            #expect(remedy.contains(#"    archive.data["x[0].y"] = archive.data["a.b\"c\\d"]"#))
        }
    }

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
    final class House<K: BellKind>: WorkflowState {
        static var name: String { "house" }
        let bells: [StateMachine<Bell<K>>]
        let bell: StateMachine<Bell<K>>
        init() { (bells, bell) = ([StateMachine()], StateMachine()) }
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

    @Test("The migrations of a machine within a state are its own")
    func innerMigrations() throws {
        let found: [IncompatibleArchives.Break] = try breaks(
            [Sample<Street<First>>.state(House<First>())],
            [Sample<Street<Renaming>>.state(House<Renaming>())]
        )
        #expect(found == [])
    }

    @Test("The step for a machine within a state belongs to its own workflow")
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

    final class Hut: WorkflowState {
        static var name: String { "house" }
        let bells: [StateMachine<Bell<First>>]
        init() { bells = [StateMachine()] }
    }
    struct Lane: Workflow {
        static var name: String { "Street" }
        static var initial: any WorkflowState { Hut() }
        let paint = Event(updating: Hut.self)
    }

    @Test("A machine that is no longer in its state would be lost")
    func lostMachine() throws {
        let lost: [IncompatibleArchives.Break] = try breaks(
            [Sample<Street<First>>.state(House<First>())],
            [Sample<Lane>.state(Hut())]
        )
        #expect(lost.map(\.explanation) == ["\"bell\" is stored and no longer read: it would be lost."])
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

    @Test("Effects that could not be carried out any more are breaks")
    func effects() throws {
        let none: [Sample<Post<Mail>>] = []
        #expect(try breaks(none, [Sample<Post<Mail>>]()) == [])
        let renamed = try breaks(none, [Sample<Post<Letter>>]())
        #expect(renamed.map(\.explanation) == ["The effect \"Mail\" is gone. Those that are stored would be parked."])
        let changed = try breaks(none, [Sample<Post<OtherMail>>]())
        #expect(changed.count == 1 && changed.first?.explanation.contains("receiver") == true)
        let short = try breaks(none, [Sample<Post<ShortMail>>]())
        #expect(short.map(\.explanation) == ["\"subject\" of the effect \"Mail\" is stored and no longer read."])
        let loud = try breaks(none, [Sample<Post<LoudMail>>]())
        let other = "\"to\" of the effect \"Mail\" is \"a\" in an archive, and is \"A\" when that is read."
        #expect(loud.map(\.explanation) == [other])
    }

    // MARK: States that no machine comes to

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

    @Test("A state that no machine came to, and that no sample makes from nothing, is named")
    func unreached() throws {
        try inFolder { folder in
            let built: [Sample<Guarded>] = [.state { (_: OpenState) in PaidState(total: 1) }]
            let error = #expect(throws: ArchiveLockNotRecorded.self) {
                try expectCompatible(Guarded.self, samples: built, in: folder, recording: true)
            }
            #expect(error?.unreached == ["PaidState"] && error?.description.hasSuffix(".state(PaidState(…)).") == true)
            // A sample is enough, whatever the guard says.
            let samples: [Sample<Guarded>] = [.state(PaidState(total: 1))]
            try expectCompatible(Guarded.self, samples: samples, in: folder, recording: true)
            try expectCompatible(Guarded.self, samples: samples, in: folder)
        }
    }
}

extension ArchiveLockDepthTests.BellKind {
    static var version: Int { 1 }
    static var migrations: [Migration] { [] }
}
