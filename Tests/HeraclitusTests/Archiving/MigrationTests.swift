import Foundation
import Heraclitus
import Testing

@testable import Fixtures

@Suite("Migrations") struct MigrationTests {
    private static func ticket(
        _ state: String,
        _ data: String,
        version: Int,
        activated: Bool = true
    ) throws(ArchiveError) -> StateMachine<Ticket> {
        try StateMachine<Ticket>(archive: Data(archive(state, data, version: version, activated: activated).utf8))
    }

    private static func archive(_ state: String, _ data: String, version: Int, activated: Bool = true) -> String {
        """
        {"activated":\(activated),"data":\(data),"format":1,"revision":4,"state":"\(state)","version":\(version),\
        "workflow":"Ticket"}
        """
    }

    @Test("An archive of the first version goes through every step in order, and is written in the current version")
    func all() throws {
        let waiting = try Self.ticket("Waiting", #"{"url":"a"}"#, version: 1)
        #expect((waiting.state as? QueuedState)?.urls == ["a"])
        #expect(waiting.revision == 4 && !waiting.isActive)
        #expect(
            String(decoding: try waiting.archive(), as: UTF8.self)
                == Self.archive("Queued", #"{"urls":["a"]}"#, version: 3)
        )
        let paused = try Self.ticket("Paused", #"{"since":7,"url":"b"}"#, version: 1, activated: false)
        #expect((paused.state as? QueuedState)?.urls == ["b"])
        #expect(try Self.ticket("Done", "{}", version: 1).state is DoneState)
    }

    @Test("Only steps to versions after the archive's version run")
    func some() throws {
        let paused = try Self.ticket("Paused", #"{"since":7,"urls":["c","d"]}"#, version: 2)
        #expect((paused.state as? QueuedState)?.urls == ["c", "d"])
        let queued = try Self.ticket("Queued", #"{"urls":["e"]}"#, version: 3)
        #expect((queued.state as? QueuedState)?.urls == ["e"])
        #expect(throws: ArchiveError.self) { try Self.ticket("Waiting", #"{"url":"a"}"#, version: 3) }
        #expect(throws: ArchiveError.self) { try Self.ticket("Queued", #"{"urls":["e"]}"#, version: 4) }
    }

    @Test("Dates stay equal in each form in which they were written")
    func dates() throws {
        let text = try Self.ticket("Waiting", #"{"url":"a","due":"2026-11-21T08:00:00.25Z"}"#, version: 1)
        let due = try #require((text.state as? QueuedState)?.due)
        #expect(due.timeIntervalSinceReferenceDate.truncatingRemainder(dividingBy: 1) == 0.25)
        let number = Self.archive("Waiting", #"{"url":"a","due":12.5}"#, version: 1)
        let machine = try JSONDecoder().decode(StateMachine<Ticket>.self, from: Data(number.utf8))
        #expect((machine.state as? QueuedState)?.due == Date(timeIntervalSinceReferenceDate: 12.5))
    }

    @Test("A machine within a state migrates by its own workflow's steps, whether the outer one migrates or not")
    func nested() throws {
        let lamp =
            #"{"activated":true,"data":{},"format":1,"revision":2,"state":"Dark","version":1,"workflow":"TicketLamp"}"#
        for (state, data, version) in [
            ("Waiting", #"{"url":"a","lamp":\#(lamp)}"#, 1), ("Queued", #"{"urls":["a"],"lamp":\#(lamp)}"#, 3),
        ] {
            let ticket = try Self.ticket(state, data, version: version)
            let inner = try #require((ticket.state as? QueuedState)?.lamp)
            #expect(inner.state is TicketDarkState && inner.revision == 2)
        }
    }

    @Test("The error of a failed step has the step, the version and the place")
    func errors() throws {
        let failed = #expect(throws: ArchiveError.self) { try Self.ticket("Waiting", "{}", version: 1) }
        guard case .failedMigration("one url becomes a list", version: 2, path: "", let error) = failed else {
            Issue.record("\(String(describing: failed))")
            return
        }
        #expect(error as? NoURL == NoURL(state: "Queued"))
        #expect(failed?.description.contains("one url becomes a list") == true)

        let unknown = #expect(throws: ArchiveError.self) { try Self.ticket("Lost", #"{"url":"a"}"#, version: 1) }
        guard case .unknownState("Lost", known: ["Queued", "Done"], path: "state") = unknown else {
            Issue.record("\(String(describing: unknown))")
            return
        }
        let broken = #expect(throws: ArchiveError.self) { try Self.ticket("Waiting", #"{"url":7}"#, version: 1) }
        guard case .brokenState("Queued", path: "data.urls[0]", _) = broken else {
            Issue.record("\(String(describing: broken))")
            return
        }
        let lamp =
            #"{"activated":true,"data":{},"format":1,"revision":2,"state":"Lost","version":1,"workflow":"TicketLamp"}"#
        let inner = #expect(throws: ArchiveError.self) {
            try Self.ticket("Waiting", #"{"url":"a","lamp":\#(lamp)}"#, version: 1)
        }
        guard case .unknownState("Lost", known: ["Off", "On"], path: "data.lamp.state") = inner else {
            Issue.record("\(String(describing: inner))")
            return
        }
    }

    @Test("Machines within other values, and in property lists, migrate as well")
    func elsewhere() throws {
        struct Case: Codable { let tickets: [StateMachine<Ticket>] }
        let json = #"{"tickets":[\#(Self.archive("Waiting", #"{"url":"a"}"#, version: 1))]}"#
        let found = try JSONDecoder().decode(Case.self, from: Data(json.utf8))
        #expect((found.tickets[0].state as? QueuedState)?.urls == ["a"])

        struct Old: Encodable {
            let activated = true, format = 1, revision = 3, state = "Waiting", version = 1, workflow = "Ticket"
            let data = Content()
            struct Content: Encodable { let url = "p", due = Date(timeIntervalSinceReferenceDate: 99) }
        }
        let list = try PropertyListEncoder().encode(Old())
        let state = try PropertyListDecoder().decode(StateMachine<Ticket>.self, from: list).state
        #expect((state as? QueuedState)?.urls == ["p"])
        #expect((state as? QueuedState)?.due == Date(timeIntervalSinceReferenceDate: 99))
    }

    @Test("The decoder's user info reaches a migrated state")
    func userInfo() throws {
        let decoder = JSONDecoder()
        decoder.userInfo[Asking.key] = "told"
        let text =
            #"{"activated":true,"data":{},"format":1,"revision":0,"state":"AskingState","version":1,"workflow":"Asked"}"#
        let machine = try decoder.decode(StateMachine<Asked>.self, from: Data(text.utf8))
        #expect((machine.state as? AskingState)?.heard == "told")
    }

    private enum Asking { static let key = CodingUserInfoKey(rawValue: "asking")! }

    private final class AskingState: WorkflowState, EmptyState {
        let heard: String?
        init() { heard = nil }
        init(from decoder: any Decoder) throws { heard = decoder.userInfo[Asking.key] as? String }
        func encode(to encoder: any Encoder) throws {}
    }

    private struct Asked: Workflow {
        static var initial: any WorkflowState { AskingState() }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.unchanged(in: 2)] }
        let ask = Event(to: AskingState.self)
    }

    private struct Messy: Workflow {
        static var initial: any TicketState { DoneState() }
        static var version: Int { 5 }
        static var migrations: [Migration] {
            [
                .step("early", in: 1) { _ in }, .step("third", in: 3) { _ in }, .step("second", in: 2) { _ in },
                .step("third", in: 3) { _ in }, .step("late", in: 6) { _ in },
            ]
        }
        let go = Event(to: DoneState.self)
    }

    private struct Unversioned: Workflow {
        static var initial: any TicketState { DoneState() }
        static var migrations: [Migration] { [.unchanged(in: 2)] }
        let go = Event(to: DoneState.self)
    }

    @Test("Gaps, duplicates and steps out of place are problems of the definition")
    func diagnostics() {
        #expect(Ticket.diagnostics.isEmpty)
        #expect(
            Messy.diagnostics.facts == [
                "missingMigration 4", "missingMigration 5", "misplacedMigration early 1", "misplacedMigration second 2",
                "misplacedMigration late 6", "duplicateMigration third 3",
            ]
        )
        #expect(Messy.diagnostics[5].description.hasPrefix("Several migrations to version 3 have the name \"third\". "))
        #expect(Unversioned.diagnostics.facts == ["misplacedMigration leave everything as it is 2"])
        #expect(Messy.diagnostics.allSatisfy { $0.description.hasSuffix(".") })
    }

    final class PricedState: WorkflowState {
        static var name: String { "Priced" }
        let price: Decimal
        let weight: Double
        let count: UInt64
        init(_ price: Decimal, weight: Double, count: UInt64) {
            (self.price, self.weight, self.count) = (price, weight, count)
        }
    }

    struct Pricing: Workflow {
        static var initial: any WorkflowState { PricedState(0, weight: 0, count: 0) }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.state("Dear", becomes: "Priced", in: 2)] }
        let change = Event(updating: PricedState.self)
    }

    @Test(
        "Numbers keep every digit through a migration",
        arguments: [
            ("12345678901234567890.123456789", 0.1 + 0.2, UInt64.max), ("0.1", 1e300, 0),
            ("-0.00000000000000000000123456789012345", 2.2250738585072014e-308, 1 << 63),
            ("99999999999999999999999999", -1e22, 7),
        ]
    )
    func digits(price: String, weight: Double, count: UInt64) throws {
        let archive =
            #"{"activated":true,"data":{"count":\#(count),"price":\#(price),"weight":\#(weight)},"format":1,"#
            + #""revision":0,"state":"Dear","version":1,"workflow":"Pricing"}"#
        let state = try #require(
            try StateMachine<Pricing>(archive: Data(archive.utf8)).state as? PricedState
        )
        #expect(state.price == Decimal(string: price))
        #expect(state.weight == weight && state.count == count)
    }

    @Test("Amounts survive a migration, raw data, and a user info read by any decoder")
    func amounts() throws {
        var generator = SystemRandomNumberGenerator()
        let amounts =
            ["51679768515708984.8", "-0.0", "0.0", "9007199254740993", "-9223372036854775808.5"]
            + (0..<5_000).map { _ in
                let whole =
                    UInt64.random(in: 0...UInt64.max, using: &generator) >> Int.random(in: 0..<64, using: &generator)
                let cents = String(Int.random(in: 1...9_999, using: &generator))
                return (Bool.random(using: &generator) ? "-" : "") + "\(whole).\(cents)"
            }
        let list = "[\(amounts.joined(separator: ","))]"
        let archive =
            #"{"activated":true,"data":{"amounts":\#(list),"raw":\#(list)},"format":1,"revision":0,"state":"Old","version":1,"#
            + #""workflow":"Ledger"}"#
        let ledger = try StateMachine<Ledger>(archive: Data(archive.utf8))
        let state = try #require(ledger.state as? LedgerState)
        #expect(state.amounts == amounts.compactMap { Decimal(string: $0) })
        #expect(Self.isSame(state.raw, amounts))
        // Once more in the current version.
        let again = try #require(try StateMachine<Ledger>(archive: ledger.archive()).state as? LedgerState)
        #expect(again.amounts == state.amounts && again.raw == state.raw)

        let few = Array(amounts.prefix(2_000))
        let json = Data("{\"list\":[\(few.joined(separator: ","))]}".utf8)
        let info = try JSONDecoder().decode(UserInfo.self, from: json)
        #expect(info["list", as: [Decimal].self] == few.compactMap { Decimal(string: $0) })
        #expect(Self.isSame(try JSONDecoder().decode([String: JSONValue].self, from: json)["list"], few))
        #expect(
            try JSONDecoder().decode(UserInfo.self, from: JSONEncoder().encode(info))["list"] as? JSONValue
                == info["list"] as? JSONValue
        )
    }

    /// Whether raw numbers equal those of texts, including their signs.
    private static func isSame(_ list: JSONValue?, _ amounts: [String]) -> Bool {
        let elements = list?.arrayValue ?? []
        return elements.count == amounts.count
            && zip(elements, amounts).allSatisfy { element, amount in
                let isNegative = element.doubleValue?.sign == .minus
                let decimal =
                    switch element {
                    case .integer(let integer): Decimal(integer)
                    case .unsigned(let unsigned): Decimal(unsigned)
                    case .number(let number): Decimal(string: "\(number)")
                    case .decimal(let digits): Decimal(string: digits)
                    default: Decimal?.none
                    }
                return decimal == Decimal(string: amount) && isNegative == amount.hasPrefix("-")
            }
    }

    @Test("A number with too many digits for its type is rejected by a migration, or kept as raw data")
    func beyond() throws {
        let long = "0.1234567890123456789012345678901234567890123456789"
        for (amounts, isRead) in [(long, false), ("1.5", true)] {
            let archive =
                #"{"activated":true,"data":{"amounts":[\#(amounts)],"raw":\#(long)},"format":1,"revision":0,"state":"Old","#
                + #""version":1,"workflow":"Ledger"}"#
            let state = try? StateMachine<Ledger>(archive: Data(archive.utf8)).state as? LedgerState
            #expect((state != nil) == isRead)
            if let state { #expect(state.raw == .decimal(long)) }
        }
    }

    final class LedgerState: WorkflowState {
        static var name: String { "Ledger" }
        let amounts: [Decimal]
        let raw: JSONValue
        init() { (amounts, raw) = ([], []) }
    }

    struct Ledger: Workflow {
        static var initial: any WorkflowState { LedgerState() }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.state("Old", becomes: "Ledger", in: 2)] }
        let change = Event(updating: LedgerState.self)
    }

    @Test(
        "On a small stack, deep data is read or is a typed error, migrated or not",
        arguments: [("[", "]"), (#"{"a":"#, "}")]
    )
    func deep(opening: String, closing: String) {
        struct Outcome: Equatable {
            let depth, version: Int
            let isRead: Bool
        }
        let outcomes = Lock<[Outcome]>([])
        let depths = [10, 60, 70, 400, 10_000]
        let thread = Thread {
            for depth in depths {
                for version in 1...3 {
                    let deep =
                        String(repeating: opening, count: depth) + "0" + String(repeating: closing, count: depth)
                    let data = version == 1 ? #"{"url":"a","x":\#(deep)}"# : #"{"urls":["a"],"x":\#(deep)}"#
                    let machine = try? Self.ticket(version == 1 ? "Waiting" : "Queued", data, version: version)
                    outcomes.withLock {
                        $0.append(Outcome(depth: depth, version: version, isRead: machine != nil))
                    }
                }
            }
        }
        // The stack of secondary threads on Apple's platforms; here it is 8 MiB by default.
        thread.stackSize = 512 << 10
        thread.start()
        while !thread.isFinished { usleep(1_000) }
        for outcome in outcomes.withLock({ $0 }) {
            #expect(outcome.isRead == (outcome.depth <= 500), "\(outcome)")
        }
        #expect(outcomes.withLock { $0.count } == 15)
    }

    private final class RateState: WorkflowState {
        let rate: Double
        init(_ rate: Double) { self.rate = rate }
    }
    private final class OpenRateState: WorkflowState, EmptyState {}

    private struct Rating: Workflow {
        @TaskLocal static var rate = JSONValue.null
        static var initial: any WorkflowState { OpenRateState() }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.step("rates", in: 2) { archive in archive.data["rate"] = rate }] }
        let rate = Event(from: OpenRateState.self, to: RateState.self)
    }

    @Test(
        "An invalid number of a step is an error that says so",
        arguments: [
            (JSONValue.number(.nan), "nan"), (.number(.infinity), "inf"), (.decimal("1,50"), "1,50"),
        ]
    )
    func noNumber(rate: JSONValue, text: String) {
        let archive = Data(
            #"{"activated":true,"data":{"rate":1},"format":1,"revision":1,"state":"RateState","version":1,"workflow":"Rating"}"#
                .utf8
        )
        let error = #expect(throws: ArchiveError.self) {
            try Rating.$rate.withValue(rate) { _ = try StateMachine<Rating>(archive: archive) }
        }
        #expect("\(String(describing: error))".contains("found what is no number (\(text)) instead"))
    }

    final class AmountState: WorkflowState {
        static let name = "Amount"
        let price: Int
        let place: String
        init(price: Int, place: String) { (self.price, self.place) = (price, place) }
    }

    struct Payment: Workflow {
        static let name = "Payment"
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [.values(under: "price", in: 2) { $0 = .integer(($0.intValue ?? 0) * 100) }]
        }
        static var initial: any WorkflowState { AmountState(price: 0, place: "") }
        let go = Event(updating: AmountState.self)
    }

    final class SoldState: Composite {
        static let name = "Sold"
        let price: Int
        let state: String
        let payment: StateMachine<Payment>
        var regions: [any Region] { [payment] }
        init(_ price: Int, _ state: String, _ payment: StateMachine<Payment>) {
            (self.price, self.state, self.payment) = (price, state, payment)
        }
        func copied() -> SoldState { SoldState(price, state, payment.copy()) }
    }

    struct Sale: Workflow {
        static let name = "Sale"
        static var version: Int { 2 }
        static var migrations: [Migration] {
            [
                .values(under: "price", in: 2) { $0 = .integer(($0.intValue ?? 0) * 100) },
                .values(under: "state", in: 2) { $0 = .string(($0.stringValue ?? "").uppercased()) },
            ]
        }
        static var initial: SoldState { SoldState(0, "", StateMachine<Payment>()) }
        let go = Event(updating: SoldState.self)
    }

    @Test("A step for values leaves machines within the data to the steps of their own workflow")
    func valuesBesideMachines() throws {
        let payment =
            #"{"activated":true,"data":{"place":"ny","price":3},"format":1,"revision":1,"state":"Amount","version":1,"workflow":"Payment"}"#
        let text =
            #"{"activated":true,"data":{"payment":\#(payment),"price":5,"state":"ny"},"format":1,"revision":1,"state":"Sold","version":1,"workflow":"Sale"}"#
        let sold = try StateMachine<Sale>(archive: Data(text.utf8)).state
        #expect(sold.price == 500 && sold.state == "NY")
        let paid = try #require(sold.payment.state as? AmountState)
        #expect(paid.price == 300 && paid.place == "ny")
    }

    @Test("Raw data is read and changed by subscript")
    func values() {
        var data: JSONValue = ["a": 1, "list": ["x", 2.5, true, nil as JSONValue? ?? .null], "deep": ["b": "c"]]
        data["a"] = 2
        data["deep"]?["b"] = "d"
        data["list"]?[0] = "y"
        data["list"]?[3] = nil
        data["list"]?[9] = "beyond"
        data["new"] = .null
        data["new"]?["within"] = false
        data["a"]?["no object"] = 1
        data["gone"] = nil
        #expect(data == ["a": 2, "list": ["y", 2.5, true], "deep": ["b": "d"], "new": ["within": false]])
        #expect(data["a"]?.intValue == 2 && data["a"]?.doubleValue == 2 && data["a"]?.stringValue == nil)
        #expect(data["list"]?[0]?.stringValue == "y" && data["list"]?[1]?.doubleValue == 2.5)
        #expect(data["list"]?[2]?.boolValue == true && data["list"]?.arrayValue?.count == 3)
        #expect(data["list"]?[-1] == nil && data["deep"]?[0] == nil && data.objectValue?.count == 4)
        #expect(JSONValue.unsigned(.max).doubleValue == Double(UInt64.max))
        #expect(JSONValue.unsigned(.max).intValue == nil && JSONValue.unsigned(5).intValue == 5)
        #expect((3.0 as JSONValue).intValue == 3 && (2.5 as JSONValue).intValue == nil)
        #expect(JSONValue.decimal("0.5").doubleValue == 0.5)
        for text in ["12 apples", "0x10", ""] {
            #expect(throws: EncodingError.self) { try JSONEncoder().encode([JSONValue.decimal(text)]) }
        }
        var deep: JSONValue = 0
        for _ in 0..<64 { deep = [deep] }
        #expect(throws: Never.self) { try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(deep)) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode([deep]) }
    }

    final class BookedState: WorkflowState {
        let day: Date
        let gateNote: String?
        init(day: Date, gateNote: String?) { (self.day, self.gateNote) = (day, gateNote) }
    }

    struct Trip: Workflow {
        static var initial: any WorkflowState { BookedState(day: .now, gateNote: nil) }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.unchanged(in: 2)] }
        let change = Event(updating: BookedState.self)
    }

    @Test("The settings of a decoder apply to older archives whose data no step has changed", arguments: [1, 2])
    func settings(version: Int) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let archive = """
            {"activated":true,"data":{"day":1770000000,"gate_note":"B7"},"format":1,"revision":0,"state":"BookedState",\
            "version":\(version),"workflow":"Trip"}
            """
        let trip = try decoder.decode(StateMachine<Trip>.self, from: Data(archive.utf8))
        let booked = try #require(trip.state as? BookedState)
        #expect(booked.day == Date(timeIntervalSince1970: 1_770_000_000) && booked.gateNote == "B7")
    }

    struct Wrong: Error {}

    struct NamedSale: Workflow {
        static let name = "Sale"
        static var version: Int { 2 }
        static var migrations: [Migration] { [.values(under: "payment", in: 2) { _ in throw Wrong() }] }
        static var initial: SoldState { SoldState(0, "", StateMachine<Payment>()) }
        let go = Event(updating: SoldState.self)
    }

    @Test("A step for values under the key of a machine leaves the machine alone")
    func valuesThatAreMachines() throws {
        let payment =
            #"{"activated":true,"data":{"place":"ny","price":3},"format":1,"revision":1,"state":"Amount","version":1,"workflow":"Payment"}"#
        let text =
            #"{"activated":true,"data":{"payment":\#(payment),"price":5,"state":"ny"},"format":1,"revision":1,"state":"Sold","version":1,"workflow":"Sale"}"#
        let sold = try StateMachine<NamedSale>(archive: Data(text.utf8)).state
        #expect((sold.payment.state as? AmountState)?.price == 300)
    }
}
