import Foundation
import HeraclitusJSON
import Testing

/// Compares our coders with Foundation's, for random values and texts.
///
/// `HERACLITUS_ATTACK_SECONDS` is the duration in seconds, or `HERACLITUS_INPUTS` the number of inputs.
/// `HERACLITUS_SEED` selects a single seed.
///
/// In the long form, with the optimizer and `HERACLITUS_INPUTS=10000000`, the texts are read that often as a type. A
/// tenth of as many values make a round trip.
@Suite("Comparison with Foundation") struct DifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static func run(_ name: String, inputsEach: Int = 1, _ body: (inout Source) throws -> Void) {
        let seconds = environment["HERACLITUS_ATTACK_SECONDS"].flatMap(Double.init) ?? 0.3
        let inputs = environment["HERACLITUS_INPUTS"].flatMap(Int.init)
        let replayed = environment["HERACLITUS_SEED"].flatMap(UInt64.init)
        let end = ContinuousClock.now + .seconds(seconds)
        var seed = replayed ?? UInt64.random(in: 0..<1 << 32)
        var count = 0
        repeat {
            var source = Source(seed)
            do {
                for _ in 0..<100 { try body(&source) }
            } catch {
                Issue.record("\(name): \(error)\nTry again with HERACLITUS_SEED=\(seed)")
                return
            }
            seed &+= 1
            count += 100 * inputsEach
        } while replayed == nil && inputs.map { count < $0 } ?? (ContinuousClock.now < end)
        print("\(name): \(count) inputs, no difference")
    }

    struct Difference: Error {
        let description: String
    }

    /// Expects equal values of texts that both accept, and a known reason where only one accepts.
    private static func compare<T: Codable & Equatable>(_ type: T.Type, _ text: String) throws {
        let ours = Result { try decoded(type, text) }
        let theirs = Result { try foundationDecoded(type, text) }
        switch (ours, theirs) {
        case (.success(let ours), .success(let theirs)):
            if ours != theirs { throw Difference(description: "\(text) as \(type): \(ours), \(theirs)") }
        case (.failure, .failure): break
        // Foundation rounds numbers with too many digits, and takes the first of two values for a key.
        case (.failure, .success) where type == Decimal.self || ours.isDuplicate || isRounded(text): break
        case (.success, .failure) where isBeyondFoundation(type) || isUnderflow(text): break
        case (.success(let ours), .failure(let error)):
            throw Difference(description: "\(text) as \(type): \(ours), \(error)")
        case (.failure(let error), .success(let theirs)):
            throw Difference(description: "\(text) as \(type): \(error), \(theirs)")
        }
    }

    /// Whether the text is a fraction, which Foundation rounds if it is close to an integer.
    private static func isRounded(_ text: String) -> Bool {
        switch try? JSONValue(text: Data(text.utf8)) {
        case .decimal: true
        case .number(let number): number.rounded() != number
        default: false
        }
    }

    /// Whether a number of the text has an exponent, and is zero or nearer to zero than any Float.
    ///
    /// Ours reads zero, and Foundation refuses some of these.
    private static func isUnderflow(_ text: String) -> Bool {
        text.split { !"+-.0123456789eE".contains($0) }.contains { number in
            number.lowercased().contains("e") && Double(number).map { abs($0) < 1e-45 } ?? false
        }
    }

    /// Whether ours reads more numbers as the type than Foundation: `1.0` and `1e2` as an Int128, or 1e-130 as a
    /// Decimal.
    private static func isBeyondFoundation(_ type: Any.Type) -> Bool {
        [Int128.self, UInt128.self, Decimal.self].contains { $0 == type }
    }

    @Test("A number is read like in Foundation as every primitive type")
    func primitives() {
        Self.run("Primitive types", inputsEach: 18) { source in
            let text = source.below(20) == 0 ? source.json(depth: 0) : source.number()
            try Self.compare(Int.self, text)
            try Self.compare(Int8.self, text)
            try Self.compare(Int16.self, text)
            try Self.compare(Int32.self, text)
            try Self.compare(Int64.self, text)
            try Self.compare(Int128.self, text)
            try Self.compare(UInt.self, text)
            try Self.compare(UInt8.self, text)
            try Self.compare(UInt16.self, text)
            try Self.compare(UInt32.self, text)
            try Self.compare(UInt64.self, text)
            try Self.compare(UInt128.self, text)
            try Self.compare(Double.self, text)
            try Self.compare(Float.self, text)
            try Self.compare(Decimal.self, text)
            try Self.compare(Bool.self, text)
            try Self.compare(String.self, text)
            try Self.compare([String: [Double?]].self, text)
        }
    }

    @Test("A read value equals its encoding, and Foundation writes the same bytes")
    func values() {
        Self.run("Values") { source in
            let text = source.json(depth: 0)
            let value: JSONValue
            do { value = try JSONValue(text: Data(text.utf8)) } catch { return }
            let written = try ArchiveEncoder.data(of: value)
            guard try JSONValue(text: written) == value else {
                throw Difference(description: "\(text): \(value)")
            }
            // Foundation cannot write numbers beyond Decimal.
            guard let theirs = try? foundationJSON(value) else { return }
            let ours = String(decoding: written, as: UTF8.self)
            guard ours == theirs else { throw Difference(description: "\(ours) \(theirs)") }
        }
    }

    struct Record: Codable, Equatable {
        var z: Double
        var a: String
        var m: [Int]
        var f: Float
        var o: UInt64?
        var d: [String: Record]
        var big: Int128
        var date: Date

        init(_ source: inout Source, depth: Int) {
            z = source.double()
            a = source.string()
            m = (0..<source.below(5)).map { _ in Int(truncatingIfNeeded: source.next() >> UInt64(source.below(64))) }
            f = Float(bitPattern: UInt32(truncatingIfNeeded: source.next()))
            if !f.isFinite { f = 1.5 }
            o = source.below(2) == 0 ? nil : source.next()
            d = [:]
            if depth < 3 {
                for _ in 0..<source.below(4) { d[source.string()] = Record(&source, depth: depth + 1) }
            }
            big = Int128(truncatingIfNeeded: source.next()) << Int128(source.below(64))
            let seconds = Double(Int64(truncatingIfNeeded: source.next()) >> 28)
            date = Date(timeIntervalSinceReferenceDate: min(max(seconds, -63_000_000_000), 252_000_000_000))
        }
    }

    @Test("Random values are written like in Foundation, and come back bit for bit")
    func roundTrips() {
        Self.run("Round trips", inputsEach: 10) { source in
            let record = Record(&source, depth: 0)
            let ours = try json(record)
            let theirs = try foundationJSON(record)
            func raw(_ text: String) throws -> JSONValue { try JSONValue(text: Data(text.utf8)) }
            // Foundation writes 1e+16, which would have digits when it is written again as a raw value.
            guard try ours == theirs || raw(ours) == raw(theirs) else {
                throw Difference(description: "\(ours) \(theirs)")
            }
            for text in try [json(record.z), json(record.f)] where try json(raw(text)) != text {
                throw Difference(description: "\(text) as a raw value")
            }
            let read = try decoded(Record.self, ours)
            guard read == record, read.z.bitPattern == record.z.bitPattern else {
                throw Difference(description: "\(record) \(read)")
            }
        }
    }
}

extension Result {
    fileprivate var isDuplicate: Bool {
        if case .failure(let problem as JSONProblem) = self { problem.isDuplicate } else { false }
    }
}

/// Random numbers, texts and values, reproducible by their seed.
struct Source: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    // SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func double() -> Double {
        let double = Double(bitPattern: next())
        return double.isFinite ? double : 0.1
    }

    mutating func string() -> String {
        let pieces = [
            "a", "B", "9", "10", "ü", "e\u{301}", "é", "👩‍👩‍👧", "\n", "\u{1}", "\\", "\"", "/", "\u{7F}", "\u{FFFF}",
            "long text beyond",
        ]
        return (0..<below(4)).map { _ in pieces[below(pieces.count)] }.joined()
    }

    /// The text of a number.
    mutating func number() -> String {
        switch below(9) {
        case 0: "\(Int64(truncatingIfNeeded: next() >> UInt64(below(64))))"
        case 1: "\(next())"
        case 2: "\(double())"
        case 3: "-\(next() >> UInt64(below(64))).\(below(10_000))"
        case 4:
            ["0", "-0", "-0.0", "1e40", "1e400", "-1e-400", "1E+2", "0.1", "9007199254740993", "255.0", "128"][
                below(11)
            ]
        case 5: "\(below(1_000))e\(below(30))"
        case 6: "\(below(1_000)).\(below(1_000))e-\(below(20))"
        case 7:
            "\(Float(bitPattern: UInt32(truncatingIfNeeded: next())))".replacing("inf", with: "1").replacing(
                "nan",
                with: "2"
            )
        default: "1\((0..<(1 + below(50))).map { _ in "\(below(10))" }.joined()).\(below(100))e\(below(100) - 50)"
        }
    }

    /// The text of a value.
    mutating func json(depth: Int) -> String {
        switch below(depth > 5 ? 6 : 10) {
        case 0: return ["null", "true", "false"][below(3)]
        case 1...3: return number()
        case 4, 5: return text()
        case 6, 7: return "[" + (0..<below(5)).map { _ in json(depth: depth + 1) }.joined(separator: ",") + "]"
        default:
            let members = (0..<below(5)).map { _ in "\(text()):\(json(depth: depth + 1))" }
            return "{" + members.joined(separator: ", ") + "}"
        }
    }

    mutating func text() -> String {
        let pieces = [
            "a", "ü", "👩‍👩‍👧", "\\n", "\\u00e9", "\\ud83d\\udc69", "\\\\", "\\\"", "]}", "e\u{301}", "\\/", "\\u0000",
        ]
        return "\"" + (0..<below(4)).map { _ in pieces[below(pieces.count)] }.joined() + "\""
    }
}
