public import Heraclitus
import HeraclitusEssentials
import HeraclitusJSON

/// The error of data that does not fit the keys of a state in the table.
public struct DataMismatch: Error, Hashable, Sendable {
    /// The problem of a key's value.
    @nonexhaustive
    public enum Problem: Hashable, Sendable {
        /// The key is missing.
        case missing(expected: TransitionTable.Key)

        /// The table lists other keys for the state.
        case unknown(known: [String])

        /// The value is of another type.
        case wrongType(expected: TransitionTable.Key)
    }

    /// The name of the state.
    public let state: String

    /// The key.
    public let key: String

    /// The problem of the value.
    public let problem: Problem
}

extension DataMismatch: DescribedError {
    /// A sentence with the key.
    public var description: String {
        switch problem {
        case .missing(let expected):
            "The data of the state \"\(state.shortened)\" has no \"\(key.shortened)\", which is of the type \(expected)."
        case .unknown(let known):
            "The state \"\(state.shortened)\" has no key \"\(key.shortened)\"; \(Self.text(of: known))."
        case .wrongType(let expected):
            "The value of \"\(key.shortened)\" in the state \"\(state.shortened)\" is not of the type \(expected)."
        }
    }

    private static func text(of known: [String]) -> String {
        if known.isEmpty { return "it has no keys" }
        let list = known.prefix(20).map(\.shortened).joined(separator: ", ")
        return "its keys are \(list)" + (known.count > 20 ? " and \(known.count - 20) more" : "")
    }
}

/// The keys of a state in the table.
struct StateKeys: Sendable {
    let types: [String: TransitionTable.Key]

    /// The first problem of data, in the order of the keys; `nil` for valid data.
    func mismatch(of data: [String: JSONValue], in state: String) -> DataMismatch? {
        var found: DataMismatch?
        // Data from outside may have any number of unknown keys, so the known ones are sorted for few of them.
        func note(_ key: String, _ problem: @autoclosure () -> DataMismatch.Problem) {
            if found.map({ key < $0.key }) ?? true { found = DataMismatch(state: state, key: key, problem: problem()) }
        }
        for (key, expected) in types where !expected.isOptional && data[key] == nil {
            note(key, .missing(expected: expected))
        }
        for (key, value) in data {
            guard let expected = types[key] else {
                note(key, .unknown(known: types.keys.sorted()))
                continue
            }
            if !expected.fits(value) { note(key, .wrongType(expected: expected)) }
        }
        return found
    }
}

extension TransitionTable.Key {
    fileprivate func fits(_ value: JSONValue) -> Bool {
        if value == .null { return isOptional || self == .any }
        return switch self {
        case .string: value.stringValue != nil
        case .number: value.doubleValue.map(\.isFinite) ?? false
        case .integer: Self.number.fits(value) && value.isWhole
        case .boolean: value.boolValue != nil
        case .date: value.stringValue.flatMap(ArchivedDate.date(of:)) != nil
        case .list: value.arrayValue != nil
        case .object: value.objectValue != nil
        case .any: true
        case .optional(let key): key.fits(value)
        }
    }
}

extension JSONValue {
    /// Whether a number has no fraction: its decimal exponent is at least 0.
    fileprivate var isWhole: Bool {
        switch self {
        case .integer, .unsigned: true
        case .number(let number): number.rounded() == number
        case .decimal(let text):
            // The text of a read number is the shortest one: a fraction has a point, or the sign of an exponent.
            switch try? JSONValue(text: Data(text.utf8)) {
            case .decimal(let digits): !digits.dropFirst().contains { $0 == "." || $0 == "-" }
            case let number: number?.isWhole ?? false
            }
        default: false
        }
    }
}
