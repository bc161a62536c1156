import Foundation
import HeraclitusJSON
import Testing

@Suite("Numbers") struct NumberTests {
    @Test(
        "A read number is written, and is equal when it is read again",
        arguments: [
            "0", "-0", "1", "-1", "1.5", "1e400", "-1e400", "1e-400", "-1e-400", "10e399", "0.1e401", "1e200", "1e201",
            "123456789012345678901234567890e250", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
            "18446744073709551616", "9223372036854775807.0000000000000000000000001", "5e-324", "1.7976931348623157e308",
            "3.14159265358979323846264338327950288419716939937510", "1e999999999999", "0e5", "-0.0e7", "1.10", "100e-2",
            "0.1000000000000000055511151231257827",
        ]
    )
    func roundTrip(text: String) throws {
        let value = try JSONValue(text: Data(text.utf8))
        let written = try json(value)
        #expect(try JSONValue(text: Data(written.utf8)) == value)
        #expect(try json(JSONValue(text: Data(written.utf8))) == written)
    }

    @Test(
        "A number near the largest power of ten is written and read again, or is rejected",
        arguments: ["100", "0.001", "-7.5"]
    )
    func powers(digits: String) throws {
        var accepted = 0
        for power in ["99999999999", "999999999997", "999999999999", "1000000000000", "1999999999999"] {
            for text in ["\(digits)e\(power)", "\(digits)e-\(power)"] {
                guard let value = try? JSONValue(text: Data(text.utf8)) else { continue }
                accepted += 1
                #expect(try JSONValue(text: Data(json(value).utf8)) == value)
            }
        }
        #expect((4..<10).contains(accepted))
    }

    @Test("The error of a plain decoder for a number beyond Decimal has the reason and the path")
    func beyondRange() throws {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(JSONValue.self, from: Data(#"{"amounts":[1,1e400]}"#.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(context.debugDescription.contains("a number beyond the range of a Decimal"))
        #expect(context.codingPath.map(\.stringValue) == ["amounts", "Index 1"])
    }

    @Test(
        "Two texts of one number are equal values",
        arguments: [
            ["1", "1.0", "10e-1", "0.1e1", "1.000"], ["1e400", "10e399", "0.01e402"], ["-1e-400", "-0.1e-399"],
            ["12e300", "1.2e301"], ["-0", "-0.0", "-0e9"], ["0", "0.0", "0e5"],
            ["9223372036854775808", "9223372036854775808.0"],
        ]
    )
    func oneForm(texts: [String]) throws {
        #expect(try Set(texts.map { try JSONValue(text: Data($0.utf8)) }).count == 1)
        #expect(try Set(texts.map { try json(JSONValue(text: Data($0.utf8))) }).count == 1)
    }

    @Test("A power of ten with 13 digits is rejected", arguments: ["1e1099511627776", "1e-99999999999999999999999"])
    func beyond(text: String) {
        #expect(throws: JSONProblem.self) { try JSONValue(text: Data(text.utf8)) }
    }

    @Test(
        "A value from a rounding decoder equals its encoding",
        arguments: [
            "9223372036854775807.0000000000000000000000001", "1.0", "1e2", "18446744073709551615.000000000000000000001",
            "0.30000000000000004", "12345678901234567890.5", "9007199254740993", "1e19",
            "-9223372036854775808.0000000001",
        ]
    )
    func rounded(text: String) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(try JSONValue(text: ArchiveEncoder.data(of: value)) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
        #expect(try JSONValue(text: JSONEncoder().encode(value)) == value)
    }

    @Test("A number has the nearest `Double`, or none if it is too large")
    func doubles() throws {
        let expected: [(String, Double?)] = [
            ("1e400", nil), ("-1e400", nil), ("1e-400", 0), ("18446744073709551616", 0x1p64),
            ("0.1000000000000000055511151231257827", 0.1), ("1.7976931348623157e308", .greatestFiniteMagnitude),
        ]
        for (text, number) in expected { #expect(try JSONValue(text: Data(text.utf8)).doubleValue == number) }
    }

    @Test("A literal has the form of the number that is read from its text")
    func literals() throws {
        let value: JSONValue = [1.0, 2.5, -0.0, 1e300, 3]
        #expect(try JSONValue(text: ArchiveEncoder.data(of: value)) == value)
    }
    @Test(
        "A floating-point number has one text, typed and raw, before and after it is read",
        arguments: [1e15, 1e16, -1e16, 1.5e16, 123e17, 1.8e19, 0x1p64, 1e20, 1e300, 1e-7, 0.1, -0.0]
    )
    func oneText(number: Double) throws {
        func expectOneText<Number: BinaryFloatingPoint & Codable & Sendable>(_ number: Number) throws {
            let text = try json(number)
            #expect(try json(JSONValue(text: Data(text.utf8))) == text)
            #expect(try decoded(Number.self, text) == number)
        }
        try expectOneText(number)
        #expect(try json(JSONValue.number(number)) == json(number))
        if Float(number).isFinite { try expectOneText(Float(number)) }
    }

    @Test("A plain encoder keeps the keys of a raw value, as a plain decoder does")
    func keys() throws {
        let value: JSONValue = ["orderNumber": ["unitPrice": 1.5]]
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try decoder.decode(JSONValue.self, from: encoder.encode(value)) == value)
        #expect(try String(decoding: encoder.encode(value), as: UTF8.self) == #"{"orderNumber":{"unitPrice":1.5}}"#)
    }
}
