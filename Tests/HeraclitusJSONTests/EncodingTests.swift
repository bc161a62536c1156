import Foundation
import HeraclitusJSON
import Testing

@Suite("Encoding") struct EncodingTests {
    struct Everything: Codable {
        var zebra = true
        var text = "ü \" \\ / \u{1} \u{1F} \u{8}\u{C}\n\r\t \u{2028}"
        var double = 0.1 + 0.2
        var whole = 3.0
        var zero = -0.0
        var large = 1e300
        var float: Float = 0.1
        var int8 = Int8.min
        var int16 = Int16.min
        var int32 = Int32.min
        var int64 = Int64.min
        var int128 = Int128.min
        var uint = UInt.max
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64.max
        var uint128 = UInt128.max
        var date = Date(timeIntervalSinceReferenceDate: 5.25)
        var data = Data([1, 2, 255])
        var decimal = Decimal(string: "-51679768515708984.8")
        var url = URL(string: "https://example.org/a?b=c")
        var id = UUID()
        var list: [Int?] = [1, nil, 3]
        var numbers: [[Double]] = [[1, 2.5], []]
        var byText = ["b": [1.5], "a": [], "ü": [1], "": [2], "\"": [3], "a10": [], "a9": [], "B": []]
        var byNumber = [1: "a", -2: "b", 10: "c"]
        var some: Int? = 7
        var none: Int?
        var duration = Duration.milliseconds(1_500)
        var range = 1..<5
        var choice = Choice.two(label: "l", 3)
        var empty = Empty()

        enum Choice: Codable {
            case one
            case two(label: String, Int)
        }

        struct Empty: Codable {}
    }

    @Test("Every type is written like in Foundation")
    func everything() throws {
        let value = Everything()
        #expect(try json(value) == foundationJSON(value))
        #expect(try json([value]) == foundationJSON([value]))
        #expect(try json(["x": value, "a": value]) == foundationJSON(["x": value, "a": value]))
        let read = try decoded(Everything.self, json(value))
        #expect(try json(read) == json(value))
    }

    @Test(
        "A single value is JSON",
        arguments: [
            (true, "true"), (1, "1"), (-12, "-12"), ("a", "\"a\""), (1.5, "1.5"), (Int?.none, "null"), (Float(2), "2"),
            (UInt8(7), "7"), (Date(timeIntervalSinceReferenceDate: 0), "\"2001-01-01T00:00:00Z\""),
            ([Int](), "[]"), ([String: Int](), "{}"), (JSONValue.null, "null"), (Decimal(2.5), "2.5"),
            (EncodingTests.Everything.Empty(), "{}"),
        ] as [(any Encodable & Sendable, String)]
    )
    func single(value: any Encodable & Sendable, text: String) throws {
        #expect(try json(value) == text)
    }

    @Test("Of two values for one key the last is written, also for canonically equivalent keys")
    func twice() throws {
        for (one, other) in [("k", "k"), ("é", "e\u{301}"), ("K", "\u{212A}")] as [(Key, Key)] {
            let value = Written { encoder in
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: one)
                try container.encode(0, forKey: "a")
                try container.encode(2, forKey: other)
            }
            let written = try JSONValue(text: ArchiveEncoder.data(of: value))
            #expect(written == .object(["a": 0, one.stringValue: 2]))
        }
    }

    @Test("Containers may be written in turn, and nested ones after later ones have begun")
    func nesting() throws {
        let value = Written { encoder in
            var object = encoder.container(keyedBy: Key.self)
            var late = object.nestedContainer(keyedBy: Key.self, forKey: "late")
            try object.encode(1, forKey: "b")
            var list = object.nestedUnkeyedContainer(forKey: "list")
            try late.encode("x", forKey: "y")
            try list.encode([1])
            try [2].encode(to: object.superEncoder())
            var again = encoder.container(keyedBy: Key.self)
            try again.encode(3, forKey: "a")
            var within = list.nestedContainer(keyedBy: Key.self)
            var row = list.nestedUnkeyedContainer()
            try list.encodeNil()
            try within.encode(true, forKey: "w")
            try row.encode("r")
            try late.encode(1.5, forKey: "u")
            _ = object.superEncoder(forKey: "none")
            try "s".encode(to: list.superEncoder())
            #expect(list.count == 5)
            #expect(late.codingPath.map(\.stringValue) == ["late"])
            #expect(row.codingPath.map(\.stringValue) == ["list", "Index 2"])
        }
        let text =
            #"{"a":3,"b":1,"late":{"u":1.5,"y":"x"},"list":[[1],{"w":true},["r"],null,"s"],"none":{},"super":[2]}"#
        #expect(try json(value) == text)
        #expect(try foundationJSON(value) == text)
    }

    struct Refusal: Error {}

    @Test("A value whose error is caught leaves no partial output, at any place")
    func caught() throws {
        let bad = Written { encoder in
            var object = encoder.container(keyedBy: Key.self)
            try object.encode([1, 2], forKey: "x")
            var nested = object.nestedContainer(keyedBy: Key.self, forKey: "n")
            try nested.encode(1, forKey: "x")
            throw Refusal()
        }
        let value = Written { encoder in
            var object = encoder.container(keyedBy: Key.self)
            #expect(throws: Refusal.self) { try object.encode(bad, forKey: "first") }
            try object.encode(1, forKey: "b")
            #expect(throws: EncodingError.self) { try object.encode(Double.nan, forKey: "nan") }
            #expect(throws: EncodingError.self) { try object.encode(["a": [1, Double.infinity]], forKey: "deep") }
            #expect(throws: EncodingError.self) { try object.encode(Decimal.nan, forKey: "decimal") }
            #expect(throws: EncodingError.self) { try object.encode([JSONValue.decimal("x")], forKey: "raw") }
            try object.encode(
                Written { encoder in
                    var list = encoder.unkeyedContainer()
                    #expect(throws: Refusal.self) { try list.encode(bad) }
                    try list.encode(1)
                    #expect(throws: EncodingError.self) { try list.encode(Float.nan) }
                    #expect(list.count == 1)
                },
                forKey: "list"
            )
            try object.encode(
                Written { encoder in
                    var single = encoder.singleValueContainer()
                    #expect(throws: Refusal.self) { try single.encode(bad) }
                    try single.encode("instead")
                },
                forKey: "a"
            )
        }
        #expect(try json(value) == #"{"a":"instead","b":1,"list":[1]}"#)
    }

    @Test("Two requests of one encoder, or a late one, are an error rather than a trap")
    func misuse() throws {
        let two = Written { encoder in
            _ = encoder.unkeyedContainer()
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(1, forKey: "a")
        }
        #expect(throws: EncodingError.self) { try json(two) }
        let twice = Written { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(1)
            try single.encode(2)
        }
        #expect(throws: EncodingError.self) { try json(twice) }
        let late = Written { encoder in
            var object = encoder.container(keyedBy: Key.self)
            var kept: KeyedEncodingContainer<Key>?
            var outer = encoder.container(keyedBy: Key.self)
            try object.encode(Written { kept = $0.container(keyedBy: Key.self) }, forKey: "a")
            try object.encode(
                Written { _ in
                    #expect(throws: EncodingError.self) { try kept?.encode(1, forKey: "x") }
                    #expect(throws: EncodingError.self) { try outer.encode(1, forKey: "x") }
                },
                forKey: "b"
            )
        }
        #expect(try json(late) == #"{"a":{},"b":{}}"#)
    }

    // MARK: Unordered collections

    struct Pair: Codable, Hashable {
        let a: Int
        let b: String
    }

    @Test("Sets, and dictionaries with other keys than texts, are sorted by their JSON")
    func unordered() throws {
        #expect(try json(Set([3, 1, 2, 10])) == "[1,10,2,3]")
        #expect(try json(Set(["b", "a"])) == #"["a","b"]"#)
        #expect(try json([Pair(a: 2, b: "x"): 1, Pair(a: 1, b: "y"): 2]) == #"[{"a":1,"b":"y"},2,{"a":2,"b":"x"},1]"#)
        #expect(try json(["s": Set([Set([2, 1]), Set([0])])]) == #"{"s":[[0],[1,2]]}"#)
        #expect(try json(Set<Int>()) == "[]")
        let single = Written { encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Set([3, 1, 2, 10]))
        }
        #expect(try json(single) == "[1,10,2,3]")
        for count in 0..<40 {
            let numbers = (0..<count).map { Pair(a: $0, b: "\($0)") }
            let sets = (0..<5).map { _ in Set(numbers.shuffled()) }
            #expect(try Set(sets.map { try json($0) }).count == 1)
            let dictionaries = (0..<5).map { _ in
                Dictionary(uniqueKeysWithValues: numbers.shuffled().map { ($0, $0.a) })
            }
            #expect(try Set(dictionaries.map { try json($0) }).count == 1)
            #expect(try decoded([Pair: Int].self, json(dictionaries[0])) == dictionaries[0])
        }
    }

    // MARK: Unreadable values

    final class Link: Encodable {
        let next: Link?
        init(_ depth: Int) { next = depth == 0 ? nil : Link(depth - 1) }
    }

    @Test("Data up to the readable depth is written, and deeper data is an error with its path")
    func depth() throws {
        #expect(try JSONValue(text: ArchiveEncoder.data(of: Link(511))).isNull == false)
        guard
            case EncodingError.invalidValue(_, let context)? = #expect(
                throws: EncodingError.self,
                performing: { try json(Link(512)) }
            )
        else { return }
        #expect(context.codingPath.map(\.stringValue) == Array(repeating: "next", count: 512))
        #expect(context.debugDescription.contains("512"))
    }

    @Test("Raw values are written up to the readable depth")
    func rawDepth() throws {
        func deep(_ levels: Int) -> JSONValue { (0..<levels).reduce(1) { value, _ in [value] } }
        for levels in [62, 63, 64] {
            let text = try json(["a": deep(levels)])
            #expect(try decoded([String: JSONValue].self, text) == ["a": deep(levels)])
            if levels == 63 { break }
        }
        #expect(throws: EncodingError.self) { try json(["a": deep(64)]) }
        #expect(throws: DecodingError.self) {
            try decoded(
                [String: JSONValue].self,
                #"{"a":\#(String(repeating: "[", count: 64))1\#(String(repeating: "]", count: 64))}"#
            )
        }
    }

    @Test("An infinite or invalid number is an error with its path", arguments: [Double.nan, .infinity, -.infinity])
    func noNumber(number: Double) throws {
        func path(_ value: some Encodable) -> [String]? {
            do {
                _ = try json(value)
            } catch EncodingError.invalidValue(_, let context) {
                return context.codingPath.map(\.stringValue)
            } catch {}
            return nil
        }
        #expect(path(["a": [0, number]]) == ["a", "Index 1"])
        #expect(path(["a": [0, Float(number)]]) == ["a", "Index 1"])
        #expect(path(["a": number]) == ["a"])
        #expect(path(number) == [])
        #expect(path(["a": ["b": JSONValue.number(number)]]) == ["a", "b"])
        #expect(path(["a": JSONValue.object(["b": [1, .number(number)]])]) == ["a", "b", "Index 1"])
        #expect(path(["d": [Date(timeIntervalSinceReferenceDate: number)]]) == ["d", "Index 0"])
        #expect(path(["d": [Decimal.nan]]) == ["d", "Index 0"])
    }

    @Test("Pretty-printed JSON has Foundation's form")
    func pretty() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let value: JSONValue = ["a": [1, [], [:], ["x": "{\"[,:\\\\\"]"]], "\\\"": .null, "z": ["\\"]]
        #expect(try ArchiveEncoder.data(of: value, prettyPrinted: true) == encoder.encode(value))
    }

    @Test("Texts of any length and with any scalar are written like in Foundation, wherever the buffer grows")
    func texts() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        for length in [0, 1, 15, 16, 100, 250, 251, 252, 253, 254, 255, 256, 257, 511, 512, 513, 5_000] {
            for piece in ["x", "\n", "ä", "😀"] {
                let texts = [String(repeating: "y", count: length), piece, String(repeating: piece, count: length)]
                #expect(try ArchiveEncoder.data(of: texts) == encoder.encode(texts), "\(length) \(piece)")
            }
        }
        let scalars = (0...0x24F).compactMap { Unicode.Scalar($0).map(String.init) }
        #expect(try ArchiveEncoder.data(of: scalars) == encoder.encode(scalars))
    }

    @Test("Time grows linearly with members and nested containers")
    func time() throws {
        func time(of count: Int) throws -> Duration {
            let value = Written { encoder in
                var object = encoder.container(keyedBy: Key.self)
                for index in 0..<count {
                    var nested = object.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "\(index)"))
                    try nested.encode(String(repeating: "x", count: 50), forKey: "x")
                }
            }
            return try ContinuousClock().measure { _ = try json(value) }
        }
        // Ten times the members take ten times the time, or a hundred times if each looks at the others.
        let few = try time(of: 2_000)
        #expect(try time(of: 20_000) < few * 40)
    }

    /// Objects in objects with unsorted keys, around a text.
    struct Layer: Encodable {
        let levels: Int
        let text: String

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(levels, forKey: "z")
            if levels == 0 { return try object.encode(text, forKey: "a") }
            try object.encode(Layer(levels: levels - 1, text: text), forKey: "a")
        }
    }

    @Test("Time does not grow with the depth of unsorted keys and of nested containers")
    func timeByDepth() throws {
        let text = String(repeating: "x", count: 10_000_000)
        let nested = Written { encoder in
            var object = encoder.container(keyedBy: Key.self)
            for _ in 0..<450 { object = object.nestedContainer(keyedBy: Key.self, forKey: "a") }
            try object.encode(text, forKey: "a")
        }
        func time(of value: some Encodable) throws -> Duration {
            try ContinuousClock().measure { _ = try json(value) }
        }
        let flat = try time(of: ["z": text, "a": ""])
        #expect(try time(of: Layer(levels: 450, text: text)) < flat * 10)
        #expect(try time(of: nested) < flat * 10)
    }
}

extension JSONValue {
    fileprivate var isNull: Bool { self == .null }
}
