// Suggestions for misspelt names.

extension [String] {
    /// The most names that are compared with a text, because a fire that fails waits for it.
    private static var comparedLimit: Int { 1_000 }

    /// The names, the most similar to a text first.
    ///
    /// Equally similar names keep their order. All names do without a text, and if there are more than 1,000.
    func nearestFirst(to text: String?) -> [String] {
        guard let text, count <= Self.comparedLimit else { return self }
        let misspelt = Spelling(text)
        let distances = map { Spelling($0).distance(to: misspelt) }
        return indices.sorted { left, right in
            let (near, far) = (distances[left], distances[right])
            return (near.0, near.1, left) < (far.0, far.1, right)
        }.map { self[$0] }
    }

    /// The number of names that the text of an error lists.
    private static var textLimit: Int { 20 }

    /// The first names for the text of an error, each shortened, and the number of the others.
    ///
    /// A table from outside may have any number of names, of any length.
    package func inText(_ separator: String = ", ", quoted isQuoted: Bool = false) -> String {
        let shown = prefix(Self.textLimit).map { isQuoted ? "\"\($0.shortened)\"" : $0.shortened }
        let text = shown.joined(separator: separator)
        return count > shown.count ? "\(text) and \(count - shown.count) more" : text
    }
}

/// A text for comparisons: in lower case, and cut to the length of a name, because it may come from outside.
private struct Spelling {
    private static let limit = 64

    private let characters: [Character]

    init(_ text: String) { characters = Array(text.prefix(Self.limit).lowercased().prefix(Self.limit)) }

    /// The distance between two spellings, with a second number that breaks ties.
    ///
    /// Leaving out a part of a name, such as a common ending `State`, counts as one slip.
    func distance(to other: Spelling) -> (Int, Int) {
        let slips = slips(to: other)
        return (contains(other) || other.contains(self) ? min(slips, 1) : slips, slips)
    }

    private func contains(_ other: Spelling) -> Bool {
        let (whole, part) = (characters, other.characters)
        guard part.count > 2, part.count < whole.count else { return false }
        return (0...(whole.count - part.count)).contains { whole[$0..<($0 + part.count)] == part[...] }
    }

    /// The number of slips between two spellings: a missing, additional or wrong character, or two swapped ones.
    private func slips(to other: Spelling) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...other.characters.count)
        for (row, character) in characters.enumerated() {
            var current = [row + 1]
            for (column, otherCharacter) in other.characters.enumerated() {
                var least = Swift.min(last[column + 1], current[column]) + 1
                least = Swift.min(least, last[column] + (character == otherCharacter ? 0 : 1))
                if row > 0, column > 0, character == other.characters[column - 1],
                    characters[row - 1] == otherCharacter
                {
                    least = Swift.min(least, beforeLast[column - 1] + 1)
                }
                current.append(least)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.characters.count]
    }
}
