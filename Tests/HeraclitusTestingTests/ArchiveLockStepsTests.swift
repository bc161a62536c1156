import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

// Locks of later versions, and the steps that they print.

@Suite("The steps that archive locks print") struct ArchiveLockStepsTests: ArchiveLockSuite {
    // MARK: Later versions

    struct Phone: Codable { var phone: String? = "1" }
    struct Telephone: Codable, VersionedContent {
        var telephone: String? = "1"
        static var version: Int { 2 }
        static var migrations: [Migration] { [.unchanged(in: 2)] }
    }
    struct NoPhone: Codable, VersionedContent {
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

    @Test("A later version has to read the result of its steps, which may drop data")
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

    struct Contacts: Codable {
        var buyer = "Ada"
        var contact = "Ada"
    }
    struct Customer: Codable, VersionedContent {
        var customer = "Ada"
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [
                .step("buyer becomes customer", in: 2) { archive in
                    archive.data["customer"] = archive.data["buyer"]
                    archive.data["buyer"] = nil
                }
            ]
        }
    }
    struct Reader: Codable {
        var client = Client()
        init() {}
        init(from decoder: any Decoder) throws { client = try Client(from: decoder) }
        func encode(to encoder: any Encoder) throws { try client.encode(to: encoder) }
    }
    struct Client: Codable, VersionedContent {
        var client = "Ada"
        enum CodingKeys: CodingKey { case client, buyer }
        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            client =
                try container.decodeIfPresent(String.self, forKey: .client)
                ?? container.decode(String.self, forKey: .buyer)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(client, forKey: .client)
        }
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [.step("contacts go", in: 2) { archive in archive.data["contact"] = nil }]
        }
    }
    struct Person: Codable { var name = "Ada" }
    struct Friend: Codable, VersionedContent {
        var nickname = "Ada"
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [.step("name is copied", in: 2) { archive in archive.data["nickname"] = archive.data["name"] }]
        }
    }

    @Test("A lost key is a break although a renamed key has the same value")
    func lostBesideRenamed() throws {
        try inFolder { folder in
            try lock(Contacts(), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(Customer(), in: folder, recording: true) }
            #expect(error?.breaks.map(\.explanation) == ["\"contact\" is stored and no longer read: it would be lost."])
        }
    }

    @Test("A value that a step drops, or leaves where it was after a copy, is not lost")
    func droppedOrCopied() throws {
        try inFolder { folder in
            try lock(Contacts(), in: folder, recording: true)
            try lock(Client(), in: folder, recording: true)
        }
        try inFolder { folder in
            try lock(Person(), in: folder, recording: true)
            try lock(Friend(), in: folder, recording: true)
        }
    }

    @Test("An excepted key with the value of a renamed key stays excepted")
    func exceptedBesideRenamed() throws {
        try inFolder { folder in
            try lock(Contacts(), in: folder, recording: true, except: ["contact"])
            try lock(Reader(), in: folder, recording: true, except: ["contact"])
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
    struct RenamedTwice: Codable, VersionedContent {
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

    @Test("The steps for nested data and for elements of lists work")
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
            let archive = try StateMachine<LockedShop<Order>>(resumingIn: LockedCart(Order())).archive()
            let later = try StateMachine<LockedShop<RenamedTwice>>(archive: archive)
            let cart = later.state as? LockedCart<RenamedTwice>
            #expect(cart?.content.address == LaterAddress())
            #expect(cart?.content.lines == [LaterLine(), LaterLine(name: "u", price: 3)])
        }
    }

    @Test("With several candidates for a renamed key, the step leaves the choice open")
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

    @Test("The code for a value of an empty key leaves the values of other keys alone")
    func emptyKeys() throws {
        struct Tags: Codable {
            var counts = ["": 1, "a": 1]
        }
        struct Known: Codable {
            var a = 1
        }
        struct KnownTags: Codable {
            var counts = Known()
        }
        try inFolder { folder in
            try lock(Tags(), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(KnownTags(), in: folder) }
            let lost = "\"counts.\" is stored and no longer read: it would be lost."
            #expect(error?.breaks.map(\.explanation) == [lost])
            #expect(error?.breaks.first?.remedy.contains(#"archive.data["counts"]?[""] = nil"#) == true)
        }
    }

    @Test("The step for a lost key in a list of lists says that the key is to be dropped")
    func listsOfLists() throws {
        struct Cell: Codable {
            var width = 2
            var height = 3
        }
        struct Flat: Codable {
            var width = 2
        }
        struct Grid<C: Codable & Sendable>: Codable, Sendable {
            var rows: [[C]]
        }
        try inFolder { folder in
            try lock(Grid(rows: [[Cell()]]), in: folder, recording: true)
            let error = #expect(throws: IncompatibleArchives.self) { try lock(Grid(rows: [[Flat()]]), in: folder) }
            #expect(error?.breaks.first?.remedy.contains("\n    // drop rows[][].height\n") == true)
        }
    }

    @Test("For another workflow in the folder, the lock says that each workflow needs its own")
    func sharedFolder() throws {
        let found = try breaks(
            [Sample<SampleTests.Resumed>.state(SampleTests.CountedState(1))],
            [Sample<SampleTests.Counting>.state(SampleTests.CountedState(1))]
        )
        #expect(
            found.contains { $0.explanation.contains("the folder is that of Resumed: each workflow needs its own") }
        )
    }
}
