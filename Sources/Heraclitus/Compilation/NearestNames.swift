extension Sequence<String> {
    /// The names, those first that take the fewest changed, added, left out or swapped letters to become a name that was mistyped.
    func nearest(to name: String) -> [String] {
        let name = Array(name.lowercased())
        return map { (name: $0, distance: distance(Array($0.lowercased()), name)) }.enumerated()
            .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
            .map(\.element.name)
    }
}

/// The restricted Damerau–Levenshtein distance of two texts.
private func distance(_ left: [Character], _ right: [Character]) -> Int {
    var rows = [Array(0...right.count)]
    for (index, letter) in left.enumerated() {
        var row = [index + 1]
        for (other, otherLetter) in right.enumerated() {
            var cost = Swift.min(
                rows[index][other + 1] + 1,
                row[other] + 1,
                rows[index][other] + (letter == otherLetter ? 0 : 1)
            )
            if index > 0, other > 0, letter == right[other - 1], left[index - 1] == otherLetter {
                cost = Swift.min(cost, rows[index - 1][other - 1] + 1)
            }
            row.append(cost)
        }
        rows.append(row)
    }
    return rows[left.count][right.count]
}
