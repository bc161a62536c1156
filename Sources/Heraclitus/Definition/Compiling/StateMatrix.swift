/// What becomes of an event in each state: to which states it leads, and whether it is ignored.
///
/// It takes memory in proportion to what the definition lists, so that a workflow may have thousands of states and events.
struct StateMatrix: Sendable {
    private let count: Int

    /// Either a slot for each state with its row; or an open hash table, at most half full, with a state's number plus one
    /// in the high half of a slot and its row in the low half.
    private let slots: ImmortalArray<UInt64>

    /// Whether each state has a slot.
    private let isDense: Bool
    private let shift: UInt64
    private let mask: Int

    /// The row of all states that have no slot.
    private let others: StateRow

    /// The sets of destinations that rows refer to.
    private let sets: ImmortalArray<UInt64>

    init(_ table: EventTable) {
        count = table.count
        slots = ImmortalArray(table.slots)
        isDense = table.bits == nil
        shift = UInt64(64 - (table.bits ?? 0))
        mask = table.slots.count - 1
        others = table.others
        sets = ImmortalArray(table.sets)
    }

    /// What becomes of the event in a state.
    @inline(__always)
    func row(of source: Int) -> StateRow {
        if isDense { return StateRow(rawValue: UInt32(truncatingIfNeeded: slots[source])) }
        let key = UInt64(truncatingIfNeeded: source) &+ 1
        var index = StateRow.home(of: key, shift: shift)
        while true {
            let slot = slots[index]
            if slot &>> 32 == key { return StateRow(rawValue: UInt32(truncatingIfNeeded: slot)) }
            if slot == 0 { return others }
            index = (index &+ 1) & mask
        }
    }

    /// Whether the event leads from a state to a state, or updates it.
    @inline(__always)
    subscript(source: Int, destination: Int) -> Bool {
        let row = row(of: source)
        switch row.kind {
        case StateRow.one: if row.payload == destination { return true }
        case StateRow.bits:
            if sets[row.payload + destination / 64] & (1 << UInt64(destination % 64)) != 0 { return true }
        case StateRow.list: if Self.list(in: sets, at: row.payload, contains: destination) { return true }
        default: break
        }
        return source == destination && row.updates
    }

    /// The states that the event leads to from a state, in ascending order.
    func columns(in source: Int) -> [Int] {
        let row = row(of: source)
        let destinations = destinations(of: row)
        return row.updates ? (destinations + [source]).sorted() : destinations
    }

    /// The states whose rows are as asked for, in ascending order.
    func states(where isIncluded: (StateRow) -> Bool) -> [Int] {
        guard !isDense, !isIncluded(others) else { return (0..<count).filter { isIncluded(row(of: $0)) } }
        return (0...mask).map { slots[$0] }
            .filter { $0 != 0 && isIncluded(StateRow(rawValue: UInt32(truncatingIfNeeded: $0))) }
            .map { Int($0 >> 32) - 1 }.sorted()
    }

    private func destinations(of row: StateRow) -> [Int] {
        switch row.kind {
        case StateRow.one:
            return [row.payload]
        case StateRow.bits:
            return (0..<(count + 63) / 64).flatMap { word in
                let bits = sets[row.payload + word]
                return bits == 0 ? [] : (0..<64).filter { bits & (1 << UInt64($0)) != 0 }.map { 64 * word + $0 }
            }
        case StateRow.list:
            return (1...Int(sets[row.payload])).map { Int(sets[row.payload + $0]) }
        default:
            return []
        }
    }

    /// Searches the list at an offset: first the number of its elements, then these in ascending order.
    private static func list(in sets: ImmortalArray<UInt64>, at offset: Int, contains state: Int) -> Bool {
        var first = offset + 1
        var end = first + Int(sets[offset])
        while first < end {
            let middle = (first + end) / 2
            if sets[middle] == state { return true }
            if sets[middle] < state { first = middle + 1 } else { end = middle }
        }
        return false
    }
}

/// What becomes of an event in a state, in 32 bits: two flags, what kind of set its destinations are, and where they are.
struct StateRow: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ kind: UInt32, _ payload: Int) {
        precondition(payload <= Self.payloadMask, "The table of an event is too large.")
        rawValue = kind | UInt32(payload)
    }

    static let nothing = StateRow(rawValue: 0)
    static let ignored = StateRow(rawValue: 1 << 31)

    /// The same row, updating the state as well.
    var updating: StateRow { StateRow(rawValue: rawValue | Self.updatingFlag) }

    // The kinds of sets: one state, whose number is the payload; bits at an offset; a sorted list at an offset.
    static var one: UInt32 { 1 << 28 }
    static var bits: UInt32 { 2 << 28 }
    static var list: UInt32 { 3 << 28 }

    var kind: UInt32 { rawValue & (3 << 28) }
    var payload: Int { Int(truncatingIfNeeded: rawValue & Self.payloadMask) }

    /// Whether firing the event here does nothing.
    var isIgnored: Bool { rawValue & (1 << 31) != 0 }

    /// Whether the state stays and gets new data.
    var updates: Bool { rawValue & Self.updatingFlag != 0 }

    /// Whether the event leads from here, if perhaps only to enter the same state again.
    var leaves: Bool { kind != 0 }

    /// Whether the event may be fired here and does something.
    var isAllowed: Bool { rawValue & (7 << 28) != 0 }

    static var updatingFlag: UInt32 { 1 << 30 }
    static var payloadMask: UInt32 { 1 << 28 - 1 }

    /// Where a key's slot is looked for first.
    ///
    /// Fibonacci hashing: the high bits of a product with 2⁶⁴ divided by the golden ratio.
    @inline(__always)
    static func home(of key: UInt64, shift: UInt64) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> shift)
    }
}
