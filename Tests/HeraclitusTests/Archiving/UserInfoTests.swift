import Foundation
import Heraclitus
import Testing

@Suite("User info") struct UserInfoTests {
    struct Point: Codable, Equatable, Sendable {
        var x: Int
        var y: Double
        var at: Date
    }

    @Test("Values are read as the type they have, and as no other")
    func typed() {
        let info: UserInfo = ["attempt": 1, "text": "a", "list": [1, 2]]
        #expect(info["attempt", as: Int.self] == 1)
        #expect(info["attempt", as: String.self] == nil)
        #expect(info["list", as: [Int].self] == [1, 2])
        #expect(info["missing", as: Int.self] == nil)
        #expect(info["text"] as? String == "a")
        #expect(info.keys == ["attempt", "list", "text"])
        #expect(info.count == 3)
        #expect(!info.isEmpty)
        #expect(UserInfo().isEmpty)
        #expect(info.merging(["attempt": 2, "more": true])["attempt", as: Int.self] == 2)
        var changed = info
        changed["attempt"] = nil
        #expect(changed.count == 2)
        #expect("\(changed)" == "[list: [1, 2], text: a]")
        let twice: UserInfo = ["a": 1, "a": 2]
        #expect(twice["a", as: Int.self] == 2)
    }

    @Test("It goes through JSON and property lists, and values are found again as their types")
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
        // And once more, from what was read.
        let again = try JSONDecoder().decode(UserInfo.self, from: JSONEncoder().encode(json))
        #expect(again["point", as: Point.self] == point)
    }

    @Test("It has the shape of a plain JSON object")
    func shape() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let info: UserInfo = ["b": 1, "a": ["x": 1.5], "c": "t"]
        #expect(String(decoding: try encoder.encode(info), as: UTF8.self) == #"{"a":{"x":1.5},"b":1,"c":"t"}"#)
    }

    @Test("It passes through every callback of a transition, and through the error of a rejected one")
    func passing() throws {
        let machine = StateMachine<Heard>.active(Journal())
        let journal = Journal()
        machine.willExit(AState.self) { _, t in journal.write("\(t.userInfo)") }
        machine.didEnter(BState.self) { _, t in journal.write("\(t.userInfo)") }
        machine.onTransition { t in journal.write("\(t.userInfo)") }
        try machine.fire.go(BState(), userInfo: ["key": 1])
        #expect(journal.entries == ["[key: 1]", "[key: 1]", "[key: 1]"])
    }
}
