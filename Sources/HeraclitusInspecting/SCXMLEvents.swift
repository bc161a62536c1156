import Heraclitus

/// The names of a document's events, in an order that agrees with each state's order.
struct SCXMLEvents {
    private var known: [String: Int] = [:]
    private var all: [String] = []

    /// The events that come behind each event in some state.
    private var later: [[Int]] = []

    /// Adds the events of a state in their order.
    mutating func add(_ names: [String]) {
        var last: Int?
        for name in names {
            let number = known[name] ?? all.count
            if number == all.count {
                known[name] = number
                all.append(name)
                later.append([])
            }
            if let last, last != number { later[last].append(number) }
            last = number
        }
    }

    /// The names in an order that agrees with each state's order, or in that of the document where states contradict one another.
    var names: [String] {
        var counts = [Int](repeating: 0, count: all.count)
        for list in later { for next in list { counts[next] += 1 } }
        var waiting = Array(all.indices.filter { counts[$0] == 0 }.reversed())
        var ordered: [Int] = []
        while let number = waiting.popLast() {
            ordered.append(number)
            for next in later[number].reversed() {
                counts[next] -= 1
                if counts[next] == 0 { waiting.append(next) }
            }
        }
        // The states contradict one another.
        return (ordered.count == all.count ? ordered : Array(all.indices)).map { all[$0] }
    }

    /// An event, and another one whose name continues the first behind a dot: SCXML takes the second for the first, too.
    var ambiguous: (String, String)? {
        // With dots first, a name that continues another one stands directly behind it or behind another such name.
        func rank(_ byte: UInt8) -> Int { byte == UInt8(ascii: ".") ? -1 : Int(byte) }
        let sorted = all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) { rank($0) < rank($1) } }
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
