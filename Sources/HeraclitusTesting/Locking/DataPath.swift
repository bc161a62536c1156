/// A path of a shape as code that changes the value there, also in each element of a list; none for one that leads into lists of lists.
struct DataPath {
    /// The keys that lead to the list, if the path leads into one.
    private var list: [String]?

    /// The keys that lead to the value, or to it from an element of the list.
    private var keys: [String] = []

    init?(_ path: String) {
        // A point or a bracket in a key has a backslash before it.
        var key = ""
        var isEscaped = false
        var isInKey = true
        for character in path {
            switch character {
            case _ where isEscaped:
                key.append(character)
                isEscaped = false
            case "\\": isEscaped = true
            case ".":
                if isInKey { keys.append(key) }
                (key, isInKey) = ("", true)
            case "[":
                guard list == nil else { return nil }
                list = keys + [key]
                (keys, key, isInKey) = ([], "", false)
            case "]": break
            default: key.append(character)
            }
        }
        if isInKey { keys.append(key) }
    }

    /// A path with one more key.
    static func path(_ path: String, then key: String) -> String {
        let escaped = key.reduce(into: "") { text, character in
            if "\\.[]".contains(character) { text.append("\\") }
            text.append(character)
        }
        return path.isEmpty ? escaped : "\(path).\(escaped)"
    }

    /// Whether two values are members of the same object.
    func isBeside(_ other: DataPath) -> Bool {
        list == other.list && !keys.isEmpty && !other.keys.isEmpty && keys.dropLast() == other.keys.dropLast()
    }

    /// The value, as code in the lines that ``change(_:)`` gets.
    var place: String { keys.reduce(list == nil ? "archive.data" : "element") { $0 + Self.key($1, after: $0) } }

    private static func key(_ key: String, after place: String) -> String {
        (place.hasSuffix("]") ? "?" : "") + "[\(key.debugDescription)]"
    }

    /// Lines that change the value, or that of each element.
    func change(_ lines: [String]) -> [String] {
        guard let list else { return lines }
        let place = list.reduce("archive.data") { $0 + Self.key($1, after: $0) }
        // A list that is not there stays away.
        return [
            "if let list = \(place)?.arrayValue {", "    \(place) = .array(list.map { element in",
            "        var element = element",
        ]
            + lines.map { "        \($0)" } + ["        return element", "    })", "}"]
    }

    /// Lines that give a value the name of this one.
    func takeOver(_ other: DataPath) -> [String] {
        // To read and to change a nested value in one statement are overlapping accesses.
        keys.count == 1
            ? change(["\(place) = \(other.place)", "\(other.place) = nil"])
            : change(["let moved = \(other.place)", "\(place) = moved", "\(other.place) = nil"])
    }
}
