import Foundation
import Heraclitus
import HeraclitusStores

/// The values by which a machine is found, in the form of the tables.
///
/// Each value is a row of the table `machine_values`, which has indexes. The column `found_by` of the machine's own row has all of them, so that one
/// statement loads a machine.
struct FoundValues {
    /// A value, as a row of `machine_values`.
    struct Row {
        /// The name of the value.
        let name: String

        /// The columns `text`, `rest` and `number`.
        let columns: [PostgresValue]
    }

    private let values: [String: StoredValue]

    /// Makes rows of the values of a machine.
    init(_ values: [String: StoredValue]) { self.values = values }

    /// Whether the machine has no values.
    var isEmpty: Bool { values.isEmpty }

    /// The rows of `machine_values`, sorted by the names.
    ///
    /// No query matches NaN, so NaN has no row.
    var rows: [Row] {
        values.sorted { $0.key < $1.key }.compactMap { name, value in
            switch value {
            case .text(let text):
                let bytes = IndexedBytes(text)
                return Row(name: name, columns: [.bytes(bytes.beginning), .bytes(bytes.rest), .null])
            case .number(let number):
                return number.isNaN ? nil : Row(name: name, columns: [.null, .null, .real(number)])
            }
        }
    }

    /// The content of `found_by`: a JSON object of texts.
    ///
    /// A text value begins with "=", and a number stands alone.
    var column: PostgresValue {
        if values.isEmpty { return .null }
        let texts = values.mapValues { value in
            switch value {
            case .text(let text): "=" + text
            case .number(let number): "\(number)"
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // The encoding of texts cannot fail.
        return (try? encoder.encode(texts)).map(PostgresValue.bytes) ?? .null
    }

    /// Reads the content of `found_by`; `nil` if it is damaged.
    static func values(of column: Data?) -> [String: StoredValue]? {
        guard let column else { return [:] }
        guard let texts = try? JSONDecoder().decode([String: String].self, from: column) else { return nil }
        var values: [String: StoredValue] = [:]
        for (name, text) in texts {
            // Compares scalars, because a combining mark after "=" forms one character with it.
            if text.unicodeScalars.first == "=" {
                values[name] = .text(String(text.unicodeScalars.dropFirst()))
            } else if let number = Double(text) {
                values[name] = .number(number)
            } else {
                return nil
            }
        }
        return values
    }
}
