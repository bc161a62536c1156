import Heraclitus

extension [[String]] {
    /// The names of all lists in an order that agrees with each list.
    ///
    /// Where lists contradict one another, it is the order of first places.
    var inCommonOrder: [String] {
        var later: [String: [String]] = [:]
        var counts: [String: Int] = [:]
        for list in self {
            for (name, next) in zip(list, list.dropFirst()) where name != next {
                later[name, default: []].append(next)
                counts[next, default: 0] += 1
            }
        }
        let all = joined().once
        var waiting: [String] = all.filter { counts[$0] == nil }.reversed()
        var ordered: [String] = []
        while let name = waiting.popLast() {
            ordered.append(name)
            for next in (later[name] ?? []).reversed() {
                counts[next, default: 0] -= 1
                if counts[next] == 0 { waiting.append(next) }
            }
        }
        return ordered.count == all.count ? ordered : all
    }
}

extension [String] {
    /// An event, and another one whose name continues the first behind a dot: SCXML takes the second for the first, too.
    var ambiguous: (String, String)? {
        // With dots first, a name that continues another one stands directly behind it or behind another such name.
        func rank(_ byte: UInt8) -> Int { byte == UInt8(ascii: ".") ? -1 : Int(byte) }
        let sorted = self.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) { rank($0) < rank($1) } }
        return zip(sorted, sorted.dropFirst()).first { $1.utf8.starts(with: ($0 + ".").utf8) }
    }
}

extension TransitionTable {
    /// The text of a name: between dots, each part that an encoder makes is decoded.
    static func text(ofXMLName name: String, encodedBy encoded: (String) -> String = xmlName) -> String {
        name.split(separator: ".", omittingEmptySubsequences: false).map { part in
            let text = decoded(part)
            // Another program has written the part if its text differs.
            return encoded(text) == part ? text : String(part)
        }.joined(separator: ".")
    }

    /// The text of an event's name.
    static func text(ofXMLEventName name: String) -> String { text(ofXMLName: name, encodedBy: xmlEventName) }

    private static func decoded(_ name: Substring) -> String {
        if name == "_x_" { return "" }
        // An underscore stands before each part, and another one behind a number.
        var parts = name.split(separator: "_", omittingEmptySubsequences: false)[...]
        var text = String(parts.removeFirst())
        while let part = parts.popFirst() {
            if part.first == "x", let number = UInt32(part.dropFirst(), radix: 16),
                let scalar = Unicode.Scalar(number), let next = parts.popFirst()
            {
                text += "\(scalar)\(next)"
            } else {
                text += "_\(part)"
            }
        }
        return text
    }
}
