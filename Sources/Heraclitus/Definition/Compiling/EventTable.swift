/// The contents of an event's ``StateMatrix``, before it is known whether this compilation of the workflow will be kept.
struct EventTable {
    /// The number of the workflow's states.
    let count: Int

    /// The binary logarithm of the number of slots, where these are a hash table; `nil` where each state has a slot.
    let bits: Int?
    let slots: [UInt64]
    let others: StateRow
    let sets: [UInt64]

    init(_ routes: EventRoutes, in states: StateClasses) {
        count = states.count
        var sets = DestinationSets(of: routes.rules, in: states)
        others = Self.row(routes.rules(in: nil), of: routes.rules, in: &sets)
        let rows = routes.specificStates.map { state in
            let isIgnored = routes.ignoring.contains(state)
            return (
                state: state,
                row: isIgnored ? .ignored : Self.row(routes.rules(in: state), of: routes.rules, in: &sets)
            )
        }
        self.sets = sets.words
        // A slot for each state is a little faster, and takes little memory if there are few or most of them are specific.
        if count <= max(256, 4 * rows.count) {
            bits = nil
            var slots = Array(repeating: UInt64(others.rawValue), count: count)
            for (state, row) in rows { slots[state] = UInt64(row.rawValue) }
            self.slots = slots
        } else {
            var bits = 1
            while 1 << bits < 2 * rows.count { bits += 1 }
            self.bits = bits
            slots = Self.slots(rows, bits: bits)
        }
    }

    private static func row(
        _ numbers: [Int],
        of rules: [NumberedRule],
        in sets: inout DestinationSets
    ) -> StateRow {
        // An update keeps the state, and so the class; another one would have to be entered.
        let leading = numbers.filter { !rules[$0].isUpdate }
        let row = sets.row(of: leading)
        return leading.count < numbers.count ? row.updating : row
    }

    private static func slots(_ rows: [(state: Int, row: StateRow)], bits: Int) -> [UInt64] {
        var slots = Array(repeating: UInt64(0), count: 1 << bits)
        for (state, row) in rows {
            let key = UInt64(state) + 1
            var index = StateRow.home(of: key, shift: UInt64(64 - bits))
            while slots[index] != 0 { index = (index + 1) & (slots.count - 1) }
            slots[index] = key << 32 | UInt64(row.rawValue)
        }
        return slots
    }
}

/// The sets of states that the rules of an event lead to.
///
/// Most states of a large workflow have theirs in common with others, and a set is kept once.
private struct DestinationSets {
    private(set) var words: [UInt64] = []

    private let rules: [NumberedRule]
    private let states: StateClasses
    private let stride: Int

    /// How many destinations each rule has, subclasses included.
    private let sizes: [Int]
    private var rows: [[Int]: StateRow] = [:]
    private var rowsOfSets: [[UInt64]: StateRow] = [:]
    private var bitsOfRules: [Int: [UInt64]] = [:]

    init(of rules: [NumberedRule], in states: StateClasses) {
        self.rules = rules
        self.states = states
        stride = (states.count + 63) / 64
        sizes = rules.map { rule in rule.destinations.reduce(0) { $0 + states.descendants[$1].count } }
    }

    /// Finds the row of the states in which these rules hold.
    mutating func row(of numbers: [Int]) -> StateRow {
        if let row = rows[numbers] { return row }
        // Whatever takes less memory; so a list is always shorter than bits and not taken for them.
        let row = numbers.reduce(1) { $0 + sizes[$1] } < stride ? list(of: numbers) : bits(of: numbers)
        rows[numbers] = row
        return row
    }

    /// The destinations of a rule with their subclasses.
    private func destinations(of number: Int) -> some Sequence<Int> {
        rules[number].destinations.lazy.flatMap { states.descendants[$0] }
    }

    /// A few states among many are a list.
    private mutating func list(of numbers: [Int]) -> StateRow {
        let members = Set(numbers.flatMap { destinations(of: $0) })
        guard members.count > 1 else { return members.first.map { StateRow(StateRow.one, $0) } ?? .nothing }
        return row(StateRow.list, [UInt64(members.count)] + members.sorted().map { UInt64($0) })
    }

    /// Many states are a bit each.
    private mutating func bits(of numbers: [Int]) -> StateRow {
        var bits = Array(repeating: UInt64(0), count: stride)
        for number in numbers {
            if sizes[number] < stride {
                for state in destinations(of: number) { bits[state / 64] |= 1 << UInt64(state % 64) }
            } else {
                let other = bitsOfRule(number)
                for index in bits.indices { bits[index] |= other[index] }
            }
        }
        let count = bits.reduce(0) { $0 + $1.nonzeroBitCount }
        guard count > 1 else {
            return bits.firstIndex { $0 != 0 }.map { StateRow(StateRow.one, 64 * $0 + bits[$0].trailingZeroBitCount) }
                ?? .nothing
        }
        return row(StateRow.bits, bits)
    }

    private mutating func bitsOfRule(_ number: Int) -> [UInt64] {
        if let bits = bitsOfRules[number] { return bits }
        var bits = Array(repeating: UInt64(0), count: stride)
        for state in destinations(of: number) { bits[state / 64] |= 1 << UInt64(state % 64) }
        bitsOfRules[number] = bits
        return bits
    }

    private mutating func row(_ kind: UInt32, _ set: [UInt64]) -> StateRow {
        if let row = rowsOfSets[set] { return row }
        let row = StateRow(kind, words.count)
        rowsOfSets[set] = row
        words += set
        return row
    }
}
