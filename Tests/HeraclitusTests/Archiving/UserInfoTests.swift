import Foundation
import Heraclitus
import Testing

@testable import Fixtures

@Suite("User info") struct UserInfoTests {
    struct Point: Codable, Equatable, Sendable {
        var x: Int
        var y: Double
        var at: Date
    }

    @Test("A value is read as its own type only")
    func typed() {
        let info: UserInfo = ["attempt": 1, "text": "a", "list": [1, 2]]
        #expect(info["attempt", as: Int.self] == 1)
        #expect(info["attempt", as: String.self] == nil)
        #expect(info["list", as: [Int].self] == [1, 2])
        #expect(info["missing", as: Int.self] == nil)
        #expect(info["text"] as? String == "a")
        #expect(info.keys == ["attempt", "list", "text"])
        #expect(info.keys.count == 3)
        #expect(!info.isEmpty)
        #expect(UserInfo().isEmpty)
        var changed = info
        changed["attempt"] = nil
        #expect(changed.keys.count == 2)
        #expect("\(changed)" == "[list: [1, 2], text: a]")
        let twice: UserInfo = ["a": 1, "a": 2]
        #expect(twice["a", as: Int.self] == 2)
    }

    @Test("A copy keeps its values when the other changes, and a change takes constant time")
    func growth() {
        var info = UserInfo()
        info["a"] = 1
        let copy = info
        info["a"] = 2
        info["b"] = 3
        #expect(copy.keys == ["a"] && copy["a", as: Int.self] == 1)
        #expect(info.keys == ["a", "b"] && info["a", as: Int.self] == 2)
        (info["a"], info["b"]) = (nil, nil)
        #expect(info.isEmpty)
        func time(of count: Int) -> Duration {
            let keys = (0..<count).map { "key \($0)" }
            return threadTime {
                var info = UserInfo()
                for key in keys { info[key] = 1 }
                for key in keys { info[key] = nil }
            }
        }
        // A quadratic time would grow 64-fold with eight times as many keys.
        _ = time(of: 100)
        #expect(time(of: 16_000) < time(of: 2_000) * 24)
    }

    @Test("A user info survives JSON and property lists, and values are found again by type")
    func coded() throws {
        let point = Point(x: 1, y: 2.5, at: Date(timeIntervalSinceReferenceDate: 5.25))
        let info: UserInfo = [
            "attempt": 1, "point": point, "date": point.at, "text": "ü", "list": ["a", "b"], "flag": true,
            "data": Data([1, 2]), "big": UInt64.max,
        ]
        for coded in [
            try JSONDecoder().decode(UserInfo.self, from: JSONEncoder().encode(info)),
            try PropertyListDecoder().decode(UserInfo.self, from: PropertyListEncoder().encode(info)),
        ] {
            #expect(coded.keys == info.keys)
            #expect(coded["attempt", as: Int.self] == 1)
            #expect(coded["attempt", as: Double.self] == 1)
            #expect(coded["attempt", as: String.self] == nil)
            #expect(coded["date", as: Date.self] == point.at)
            #expect(coded["text", as: String.self] == "ü")
            #expect(coded["list", as: [String].self] == ["a", "b"])
            #expect(coded["flag", as: Bool.self] == true)
            #expect(coded["data", as: Data.self] == Data([1, 2]))
            #expect(coded["big", as: UInt64.self] == .max)
        }
        let json = try JSONDecoder().decode(UserInfo.self, from: JSONEncoder().encode(info))
        #expect(json["point", as: Point.self] == point)
        // Once more, from the decoded values.
        let again = try JSONDecoder().decode(UserInfo.self, from: JSONEncoder().encode(json))
        #expect(again["point", as: Point.self] == point)
    }

    @Test("A user info has the shape of a plain JSON object")
    func shape() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let info: UserInfo = ["b": 1, "a": ["x": 1.5], "c": "t"]
        #expect(String(decoding: try encoder.encode(info), as: UTF8.self) == #"{"a":{"x":1.5},"b":1,"c":"t"}"#)
    }

    @Test("A user info passes through every callback of a transition, and through the error of a rejected one")
    func passing() throws {
        let machine = StateMachine<Heard>.active(CallLog())
        let journal = CallLog()
        machine.willExit(AState.self) { _, t in journal.write("\(t.userInfo)") }
        machine.didEnter(BState.self) { _, t in journal.write("\(t.userInfo)") }
        machine.onTransition { t in journal.write("\(t.userInfo)") }
        try machine.fire.go(BState(), userInfo: ["key": 1])
        #expect(journal.entries == ["[key: 1]", "[key: 1]", "[key: 1]"])
    }

    struct Nested: Codable, Sendable {
        var inner: [Nested] = []
        static func deep(_ levels: Int) -> Nested { levels == 0 ? Nested() : Nested(inner: [deep(levels - 1)]) }
    }

    final class HeldState: WorkflowState {
        let info: UserInfo
        init(_ info: UserInfo) { self.info = info }
    }

    struct Holding: Workflow {
        static var initial: any WorkflowState { HeldState([:]) }
        let renew = Event(updating: HeldState.self)
    }

    @Test("A state's user info is written up to the readable depth, and deeper values are rejected with their key")
    func deep() throws {
        let deepest = try #require((1...100).last { (try? archived(.deep($0))) != nil })
        #expect(deepest > 20 && deepest < 64)
        _ = try StateMachine<Holding>(archive: archived(.deep(deepest)))
        do {
            _ = try archived(.deep(deepest + 1))
            Issue.record("It was written.")
        } catch ArchiveError.unwritableState("HeldState", EncodingError.invalidValue(_, let context)) {
            #expect(context.codingPath.prefix(3).map(\.stringValue) == ["data", "info", "deep"])
        }
    }

    private func archived(_ value: Nested) throws -> Data {
        try StateMachine<Holding>(resumingIn: HeldState(["deep": value])).archive()
    }

    @Test("Writing nested user infos takes linear time")
    func chain() throws {
        let info = (0..<28).reduce(UserInfo(["end": 1.5])) { info, _ in ["within": info] }
        let machine = try StateMachine<Holding>(archive: StateMachine<Holding>(resumingIn: HeldState(info)).archive())
        let read = try #require(machine.state as? HeldState)
        #expect(read.info.description.contains("1.5") == true)
    }

    struct Stamp: Codable, Sendable {
        let name: String
        let when: Date
        var others: Set<Date> = []
    }

    enum Late: Error {
        case since(Date, by: Int)
    }

    @Test("An invalid date can be described, and a value with one by its type")
    func indescribable() throws {
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        let stamps: UserInfo = [
            "a": Stamp(name: "x", when: never), "b": Optional(Stamp(name: "y", when: never, others: [never])),
            "c": never, "d": [never],
        ]
        // Only this line describes the date, to keep the test's own output safe.
        let description = "\(stamps)"
        let date = "a date nan s after 2001-01-01"
        #expect(description == "[a: Stamp(…), b: Optional<Stamp>(…), c: \(date), d: [\(date)]]")
        let machine = StateMachine<Door>(journal: 3)
        machine.guarded(\.open) { _, _, transition in
            if transition.userInfo.isEmpty { throw Late.since(never, by: 2) }
        }
        do { try machine.fire.open(OpenState()) } catch { #expect(error.reason == .declined) }
        let message = machine.journal.first?.message ?? ""
        #expect(message.contains("declined: Late(…)"))
        try machine.fire.open(OpenState(), userInfo: stamps)
        let journal = try StateMachine<Door>(archive: machine.archive()).journal
        let archived = journal.last?.userInfo["a", as: String.self] ?? ""
        #expect(archived.contains("Stamp(…)"))
    }
}

extension UserInfo.Key<Int> { fileprivate static var attempt: Self { Self("attempt") } }
extension UserInfo.Key<[String]> { fileprivate static var reasons: Self { Self("reasons") } }

@Suite("Typed keys of user infos") struct UserInfoKeyTests {
    final class BlueState: EmptyState {}
    final class RedState: EmptyState {}
    struct Light: Workflow {
        static var initial: any WorkflowState { BlueState() }
        let stop = Event(from: BlueState.self, to: RedState.self)
        let count = Action(in: BlueState.self) { _, call in (call.userInfo[.attempt] ?? 0) + 1 }
    }

    @Test("A value with a typed key is read with its type, in callbacks, actions and errors")
    func typed() throws {
        let machine = StateMachine<Light>()
        #expect(try machine.perform(\.count, userInfo: UserInfo((.attempt, 2))) == 3)
        let transition = Lock<UserInfo>([:])
        machine.onTransition { heard in transition.withLock { $0 = heard.userInfo } }
        try machine.fire.stop(userInfo: UserInfo((.attempt, 1), (.reasons, ["rain", "night"])))
        let heard = transition.withLock { $0 }
        #expect(heard[.attempt] == 1 && heard[.reasons] == ["rain", "night"] && heard["attempt", as: Int.self] == 1)
        let error = #expect(throws: InvalidTransition.self) { try machine.fire.stop(userInfo: UserInfo((.attempt, 7))) }
        #expect(error?.userInfo[.attempt] == 7)
    }

    @Test("A decoded value is converted to the type of its key, and absent if the conversion fails")
    func decoded() throws {
        let encoded = try JSONEncoder().encode(["attempt": "many", "reasons": "none"] as UserInfo)
        let other = try JSONDecoder().decode(UserInfo.self, from: encoded)
        #expect(other[.attempt] == nil && other[.reasons] == nil)
        let data = try JSONEncoder().encode(UserInfo((.attempt, 3), (.reasons, [])))
        let decoded = try JSONDecoder().decode(UserInfo.self, from: data)
        #expect(decoded[.attempt] == 3 && decoded[.reasons] == [])
    }

    @Test("A typed key sets, replaces and removes a value")
    func set() {
        var info = UserInfo((.attempt, 1), (.attempt, 2))
        #expect(info.keys == ["attempt"] && info[.attempt] == 2)
        info[.attempt] = nil
        #expect(info.isEmpty && UserInfo().isEmpty)
    }

    @Test("A decoded list shows `null` and exact decimals without quotes, and texts in quotes")
    func plainTexts() {
        let list = JSONValue.array([1, .null, .decimal("12345678901234567.89"), "nil"])
        #expect(UserInfo(["a": list]).description == #"[a: [1, nil, 12345678901234567.89, "nil"]]"#)
    }
}
