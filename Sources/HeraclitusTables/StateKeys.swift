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
            "The state \"\(state.shortened)\" has no key \"\(key.shortened)\"; "
                + (known.isEmpty ? "it has no keys." : "its keys are \(known.inText()).")
        case .wrongType(let expected):
            "The value of \"\(key.shortened)\" in the state \"\(state.shortened)\" is not of the type \(expected)."
        }
    }
}

/// The keys of a state in the table.
extension [String: TransitionTable.Key] {
    /// The first problem of data, in the order of the keys; `nil` for valid data.
    func mismatch(of data: [String: JSONValue], in state: String) -> DataMismatch? {
        let missing = lazy.filter { !$0.value.isOptional && data[$0.key] == nil }.map(\.key).min()
        let misfit = data.lazy.filter { self[$0.key]?.fits($0.value) != true }.map(\.key).min()
        guard let key = [missing, misfit].compactMap(\.self).min() else { return nil }
        let problem: DataMismatch.Problem =
            if let expected = self[key] {
                key == missing ? .missing(expected: expected) : .wrongType(expected: expected)
            } else {
                .unknown(known: keys.sorted())
            }
        return DataMismatch(state: state, key: key, problem: problem)
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
