/// Code that changes the value at a path of a shape, also in each element of a list.
///
/// The empty path is that of the data itself. A path into lists of lists, or into data that is itself a list, has no
/// such code.
struct DataPath {
    /// The code of the data.
    private let root: String

    /// The keys that lead to the list, if the path leads into a list.
    private let list: [String]?

    /// The keys that lead to the value, from the data or from an element of the list.
    private let keys: [String]

    init?(_ path: String, in root: String = "archive.data") {
        if path.hasPrefix("[") { return nil }
        // A key may be empty, so the path is cut where inner values begin.
        let ends: [Int] = path.isEmpty ? [] : Self.paths(around: path).map(\.utf8.count) + [path.utf8.count]
        let bytes = Array(path.utf8)
        let steps = zip([0] + ends, ends).map { String(decoding: bytes[$0..<$1], as: UTF8.self) }
        let place = steps.firstIndex(of: "[]")
        let inner = steps.suffix(from: place.map { $0 + 1 } ?? 0)
        if inner.contains("[]") { return nil }
        self.root = root
        list = place.map { steps.prefix(upTo: $0).map(Self.key(of:)) }
        keys = inner.map(Self.key(of:))
    }

    /// The key of a step, without the point before it and the escapes in it.
    private static func key(of step: String) -> String {
        let point = UInt8(ascii: ".")
        let escaped = String(decoding: step.utf8.drop { $0 == point }, as: UTF8.self)
        return escaped.replacing(/\\(.)/) { $0.output.1 }
    }

    /// Lines that set the value at a path, or a comment that the reader of the step has to carry out.
    ///
    /// The value `nil` drops the key.
    static func lines(setting path: String, to value: String, in root: String = "archive.data") -> [String] {
        let comment = "// \(value == "nil" ? "drop" : "convert") \(path)"
        return DataPath(path, in: root).map { $0.change(["\($0.place) = \(value)"]) } ?? [comment]
    }

    /// Appends a key to a path.
    static func path(_ path: String, then key: String) -> String {
        // A mark behind a point makes one character with it.
        var escaped = ""
        for scalar in key.unicodeScalars {
            if "\\.[]".unicodeScalars.contains(scalar) { escaped.append("\\") }
            escaped.unicodeScalars.append(scalar)
        }
        return path.isEmpty ? escaped : "\(path).\(escaped)"
    }

    /// The value at a path as the subject of a sentence.
    static func subject(_ path: String) -> String { path.isEmpty ? "The data" : "\"\(path)\"" }

    /// The paths of the values that a value is in, the outermost first.
    static func paths(around path: String) -> [String] {
        var paths: [String] = []
        var isEscaped = false
        for (index, character) in zip(path.utf8.indices, path.utf8) {
            if !isEscaped, ".[".utf8.contains(character) { paths.append(String(path[..<index])) }
            isEscaped = !isEscaped && character == UInt8(ascii: "\\")
        }
        return paths
    }

    /// Whether both values are members of the same object.
    func isBeside(_ other: DataPath) -> Bool {
        list == other.list && !keys.isEmpty && !other.keys.isEmpty && keys.dropLast() == other.keys.dropLast()
    }

    /// The value as code for the lines given to ``change(_:)``.
    var place: String { keys.reduce(list == nil ? root : "element") { $0 + Self.key($1, after: $0) } }

    private static func key(_ key: String, after place: String) -> String {
        (place.hasSuffix("]") ? "?" : "") + "[\(key.debugDescription)]"
    }

    /// Lines that change the value, or the value in each element of the list.
    func change(_ lines: [String]) -> [String] {
        guard let list else { return lines }
        let place = list.reduce(root) { $0 + Self.key($1, after: $0) }
        // The lines leave a missing list missing.
        return [
            "if let list = \(place)?.arrayValue {", "    \(place) = .array(list.map { element in",
            "        var element = element",
        ]
            + lines.map { "        \($0)" } + ["        return element", "    })", "}"]
    }

    /// Lines that move another value to this place.
    func takeOver(_ other: DataPath) -> [String] {
        // Reading and changing a nested value in one statement would be overlapping accesses.
        keys.count == 1
            ? change(["\(place) = \(other.place)", "\(other.place) = nil"])
            : change(["let moved = \(other.place)", "\(place) = moved", "\(other.place) = nil"])
    }
}
