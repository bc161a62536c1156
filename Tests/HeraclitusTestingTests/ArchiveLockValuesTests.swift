import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

// Changes that a lock finds although all its archives are readable.

@Suite("The values in archive locks") struct ArchiveLockValuesTests: ArchiveLockSuite {
    // MARK: Recorded values

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

    @Test("An added key has to be recorded, so that it cannot get lost later")
    func addedKey() throws {
        try inFolder { folder in
            try lock(Plain(), in: folder, recording: true)
            let error = #expect(throws: ArchiveLockNotRecorded.self) { try lock(WithCoupon(), in: folder) }
            #expect(error?.keys == ["Cart.coupon"] && error?.states == [] && error?.isWritten == false)
            #expect(
                error?.description
                    == "version-1.json does not have the keys Cart.coupon. Run the test once with `recording: true`.\n"
                    + "- Old processes keep Cart.coupon when they update the state, and write a state without it when they enter it: "
                    + "let the key be optional."
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

    @Test("Earlier recordings stay in the file when more is recorded")
    func recordedBefore() throws {
        try inFolder { folder in
            try lock(Plain(), in: folder, recording: true)
            try lock(WithGift(), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(OnlyGift(), in: folder) }
            #expect(error?.breaks.map(\.explanation) == ["\"gift\" is read, and was not stored."])
            // Each part is recorded once.
            let file = folder.appendingPathComponent("version-1.json")
            let before = try Data(contentsOf: file)
            try lock(WithGift(), in: folder, recording: true)
            #expect(try Data(contentsOf: file) == before)
        }
    }

    @Test("Keys that differ in each run need no recording")
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

    @Test("The time of a check grows with the number of new keys, not with its square")
    func manyKeys() throws {
        func time(of count: Int) throws -> Duration {
            func keys() -> [String: Int] {
                Dictionary(uniqueKeysWithValues: (0..<count).map { _ in (UUID().uuidString, 2) })
            }
            var time = Duration.zero
            try inFolder { folder in
                try lock(keys(), in: folder, recording: true)
                let others = keys()
                time = threadTime {
                    let error = #expect(throws: ArchiveLockNotRecorded.self) { try lock(others, in: folder) }
                    #expect(error?.keys.count == count && error?.rollout.count == 1)
                }
            }
            return time
        }
        _ = try time(of: 10)
        // Twenty times the keys take twenty times the time, or 400 times if each looks at the others.
        let few = try time(of: 200)
        #expect(try time(of: 4_000) < few * 50)
    }

    /// Values of which a later version reads only those with a short key.
    struct ShortKeys: Codable {
        let values: [String: Int]
        init(_ values: [String: Int]) { self.values = values }
        init(from decoder: any Decoder) throws {
            values = try [String: Int](from: decoder).filter { $0.key.utf8.count < 10 }
        }
        func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
    }

    @Test("The time of a check grows with the number of lost keys, not with its square")
    func manyLostKeys() throws {
        func time(of count: Int) throws -> Duration {
            let kept = Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", 2) })
            let lost = Dictionary(uniqueKeysWithValues: (0..<count).map { ("no longer read \($0)", 2) })
            var time = Duration.zero
            try inFolder { folder in
                try lock(kept.merging(lost) { $1 }, in: folder, recording: true)
                time = threadTime {
                    let error = #expect(throws: IncompatibleArchives.self) { try lock(ShortKeys(kept), in: folder) }
                    #expect(error?.breaks.count == count)
                }
            }
            return time
        }
        _ = try time(of: 10)
        let few = try time(of: 200)
        #expect(try time(of: 4_000) < few * 50)
    }

    enum Kind: String, Codable { case plain, fancy }
    enum PlainKind: String, Codable { case plain }
    enum LenientKind: String, Codable {
        case plain, other
        init(from decoder: any Decoder) throws { self = try Self(rawValue: String(from: decoder)) ?? .other }
    }
    struct Kinds<K: Codable & Sendable>: Codable, Sendable { var kind: K }
    struct Amount<Number: Codable & Sendable>: Codable, Sendable { var total: Number }

    @Test("Every sample is stored, also samples that no machine used")
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

    // MARK: Values that are read differently

    @Test("A value that is read as another one is a break, although it is readable")
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

    /// A value with the keys of an archive, but for its data.
    struct Ticket: Codable {
        var workflow = "w"
        var version = 1
        var state = "s"
        var format = 1
    }
    struct NotedTicket: Codable {
        var workflow = "w"
        var version = 1
        var state = "s"
        var format = 1
        var note = "n"
    }

    @Test("A value with some keys of an archive is compared like any other value")
    func likeAnArchive() throws {
        try inFolder { folder in
            try lock(Kinds(kind: NotedTicket()), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(Kinds(kind: Ticket()), in: folder) }
            #expect(
                error?.breaks.map(\.explanation) == [
                    #""kind.note" is stored and no longer read: it would be lost."#
                ]
            )
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

    @Test("Data that is itself a value or a list is compared, too, and the printed step names it")
    func wholeData() throws {
        try inFolder { folder in
            try lock([Kind.plain, .fancy], in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock([LenientKind.plain, .other], in: folder)
            }
            #expect(
                error?.breaks.map(\.explanation) == [
                    #"The data has other elements when an archive is read: ["plain","fancy"] and ["plain","other"]."#
                ]
            )
        }
        try inFolder { folder in
            try lock(Kind.fancy, in: folder, recording: true)
            try lock(Kind.fancy, in: folder)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(LenientKind.other, in: folder) }
            #expect(
                error?.breaks.map(\.explanation) == [
                    #"The data is "fancy" in an archive, and is "other" when that is read."#
                ]
            )
            #expect(
                error?.breaks.first?.remedy.contains(
                    """
                    .step("convert the data in Cart", in: 2, of: "Cart") { archive in
                        archive.data = …
                    """
                ) == true
            )
        }
        try inFolder { folder in
            try lock(Kind.fancy, in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(1, in: folder) }
            #expect(error?.breaks.map(\.explanation) == ["The data is string in archives, and is read as Int."])
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
        "A value read under another key, an omitted empty list, and values that differ each time are no breaks"
    )
    func harmless() throws {
        try inFolder { folder in
            try lock(Listing(), in: folder, recording: true)
            try lock(Sparse(), in: folder, recording: true, except: ["stamp"])
            try lock(Sparse(), in: folder, except: ["stamp"])
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

    @Test("Excepted properties are ignored")
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

    struct Item: Codable {
        var kind = Kind.fancy
    }
    struct PricedItem: Codable {
        var kind = LenientKind.other
        var currency = "EUR"
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            kind = try container.decode(LenientKind.self, forKey: .kind)
            currency = try container.decodeIfPresent(String.self, forKey: .currency) ?? "EUR"
        }
    }

    @Test("A new key of elements does not hide that another value of theirs is read differently")
    func elementsWithNewKeys() throws {
        try inFolder { folder in
            try lock(Kinds(kind: [Item()]), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock(Kinds(kind: [PricedItem()]), in: folder, recording: true)
            }
            #expect(error?.breaks.first?.explanation.contains(#""kind" has other elements"#) == true)
        }
    }

    struct NotedItem: Codable {
        var kind = Kind.fancy
        var note: String?
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(kind, forKey: .kind)
            try container.encode(note, forKey: .note)
        }
    }
    struct LenientItem: Codable { var kind = LenientKind.other }

    @Test("A lost key or a null in an element does not hide that another value of the element is read differently")
    func elementsWithLostKeys() throws {
        let other = #""kind" has other elements when an archive is read:"#
        try inFolder { folder in
            try lock(Kinds(kind: [NotedItem()]), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock(Kinds(kind: [LenientItem()]), in: folder)
            }
            #expect(
                error?.breaks.map(\.explanation) == [
                    other + #" [{"kind":"fancy","note":null}] and [{"kind":"other"}]."#
                ]
            )
        }
        try inFolder { folder in
            try lock(Kinds(kind: [NotedItem(note: "n")]), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) {
                try lock(Kinds(kind: [LenientItem()]), in: folder)
            }
            #expect(
                error?.breaks.map(\.explanation) == [
                    #""kind[].note" is stored and no longer read: it would be lost."#,
                    other + #" [{"kind":"fancy","note":"n"}] and [{"kind":"other"}]."#,
                ]
            )
            try lock(Kinds(kind: [Item()]), in: folder, except: ["note"])
        }
    }

    struct Home: Codable {
        struct Address: Codable { var city = "Ulm" }
        var address = Address()
    }
    struct HomeWithCountry: Codable {
        struct Address: Codable {
            var city = "Ulm"
            var country: String? = "DE"
        }
        var address = Address()
    }

    @Test("A key added within a value is not said to be kept by old processes, which drop it")
    func addedInnerKey() throws {
        try inFolder { folder in
            try lock(Home(), in: folder, recording: true)
            let error = #expect(throws: ArchiveLockNotRecorded.self) { try lock(HomeWithCountry(), in: folder) }
            #expect(error?.keys == ["Cart.address.country"])
            #expect(error?.rollout.contains { $0.contains("Old processes keep") } == false)
            #expect(error?.rollout.contains { $0.contains("Old processes drop Cart.address.country") } == true)
        }
        // The work of an old process, which keeps the sentence true.
        let archive = Data(
            #"{"activated":true,"data":{"address":{"city":"Ulm","country":"DE"}},"format":1,"revision":0,"state":"Cart","version":1,"workflow":"Shop"}"#
                .utf8
        )
        try GivenContent.$content.withValue(Home()) {
            let old = try StateMachine<LockedShop<Home>>(archive: archive)
            #expect(try JSONValue(json: old.archive())["data"]?["address"]?["country"] == nil)
        }
    }
}
