package import Foundation
import Heraclitus
package import HeraclitusStores

/// The values by which a machine is found, as tables have them.
///
/// Each value is a row of the table `machines_values`, which has indexes. The machine's own row has them all in the column `found_by`, so that
/// one statement loads a machine.
package struct FoundValues {
    /// A value, as a row of `machines_values`.
    package struct Row {
        /// The name of the value.
        package let name: String

        /// The columns `text`, `rest` and `number`.
        package let columns: [SQLValue]
    }

    private let values: [String: StoredValue]

    /// Takes the values of a machine.
    package init(_ values: [String: StoredValue]) { self.values = values }

    /// Whether there are none.
    package var isEmpty: Bool { values.isEmpty }

    /// The rows of `machines_values`, sorted by the names. A value that is no number is never found.
    package var rows: [Row] {
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

    /// The content of `found_by`: a JSON object of texts, which begin with "=" if they are no numbers.
    package var column: SQLValue {
        if values.isEmpty { return .null }
        let texts = values.mapValues { value in
            switch value {
            case .text(let text): "=" + text
            case .number(let number): "\(number)"
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts can always be encoded.
        return (try? encoder.encode(texts)).map(SQLValue.bytes) ?? .null
    }

    /// Reads the content of `found_by`; `nil` if it is damaged.
    package static func values(of column: Data?) -> [String: StoredValue]? {
        guard let column else { return [:] }
        guard let texts = try? JSONDecoder().decode([String: String].self, from: column) else { return nil }
        var values: [String: StoredValue] = [:]
        for (name, text) in texts {
            if text.hasPrefix("=") {
                values[name] = .text(String(text.dropFirst()))
            } else if let number = Double(text) {
                values[name] = .number(number)
            } else {
                return nil
            }
        }
        return values
    }
}
