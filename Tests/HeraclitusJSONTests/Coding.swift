import Foundation
import HeraclitusJSON

/// The JSON of our encoder.
func json(_ value: some Encodable) throws -> String {
    String(decoding: try ArchiveEncoder.data(of: value), as: UTF8.self)
}

/// The JSON of Foundation's encoder.
func foundationJSON(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .archived
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// The value of our decoder.
func decoded<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
    try JSONValue(text: Data(json.utf8)).decoded(as: type)
}

/// The value of Foundation's decoder.
func foundationDecoded<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .archived
    return try decoder.decode(type, from: Data(json.utf8))
}

/// A value with a closure for its encoding.
struct Written: Encodable {
    let write: (any Encoder) throws -> Void

    init(_ write: @escaping (any Encoder) throws -> Void) { self.write = write }

    func encode(to encoder: any Encoder) throws { try write(encoder) }
}

/// A key of any name.
struct Key: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral value: String) { stringValue = value }
    init?(intValue: Int) { nil }
}
