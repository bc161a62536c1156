// What is due next?

/// Elements in the order of the times at which they are due; of two that are due at once, the one that was added first.
///
/// To add, to remove and to take the first costs the logarithm of the count at worst. To add one that is due late, and to remove any
/// one, costs the same for a million on average: three of four places of a heap in which each has four children are at its bottom.
struct DeadlineQueue<Element: Sendable>: Sendable {
    /// Where an element is, for somebody who removes it later.
    struct Ticket: Sendable {
        fileprivate let slot: Int
        fileprivate let number: UInt64
    }

    /// An element's time and slot.
    ///
    /// It moves when the queue changes. The element and its number stay in the slot.
    private struct Item: Sendable {
        let time: Double
        let slot: Int
    }

    private struct Slot: Sendable {
        var element: Element?
        var position: Int
        var number: UInt64
    }

    private var items: [Item] = []
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var lastNumber: UInt64 = 0

    /// How many wait.
    var count: Int { items.count }

    /// The time at which the first is due; `nil` if none waits.
    var firstTime: Double? { items.first?.time }

    /// Adds an element.
    /// - Parameters:
    ///   - element: The element.
    ///   - time: When it is due; a number.
    /// - Returns: With what it can be removed.
    mutating func add(_ element: Element, at time: Double) -> Ticket {
        lastNumber += 1
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            slots[slot] = Slot(element: element, position: items.count, number: lastNumber)
        } else {
            slot = slots.count
            slots.append(Slot(element: element, position: items.count, number: lastNumber))
        }
        items.append(Item(time: time, slot: slot))
        moveUp(from: items.count - 1)
        return Ticket(slot: slot, number: lastNumber)
    }

    /// Removes an element.
    /// - Returns: The element; `nil` if it was removed or taken before.
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard slots[ticket.slot].number == ticket.number, slots[ticket.slot].element != nil else { return nil }
        return removeItem(at: slots[ticket.slot].position)
    }

    /// Takes the first element if it is due.
    mutating func takeFirst(dueBy time: Double) -> (element: Element, time: Double)? {
        guard let first = items.first, first.time <= time, let element = removeItem(at: 0) else { return nil }
        return (element, first.time)
    }

    private mutating func removeItem(at position: Int) -> Element? {
        let removed = items[position]
        let last = items.removeLast()
        if position < items.count {
            // The last one almost always belongs at the bottom. So the gap moves there first, and the last one up from there.
            let bottom = moveGapDown(from: position)
            items[bottom] = last
            moveUp(from: bottom)
        }
        freeSlots.append(removed.slot)
        return slots[removed.slot].element.take()
    }

    private func comesBefore(_ one: Item, _ other: Item) -> Bool {
        one.time == other.time ? slots[one.slot].number < slots[other.slot].number : one.time < other.time
    }

    private mutating func moveUp(from start: Int) {
        let item = items[start]
        var position = start
        while position > 0 {
            let parent = (position - 1) / 4
            guard comesBefore(item, items[parent]) else { break }
            put(items[parent], at: position)
            position = parent
        }
        put(item, at: position)
    }

    /// Moves a gap to the bottom: the first of its children fills it, each time.
    /// - Returns: Where it is then.
    private mutating func moveGapDown(from start: Int) -> Int {
        var gap = start
        while true {
            let children = 4 * gap + 1
            guard children < items.count else { return gap }
            var least = children
            for child in children + 1..<max(children + 1, min(children + 4, items.count))
            where comesBefore(items[child], items[least]) { least = child }
            put(items[least], at: gap)
            gap = least
        }
    }

    private mutating func put(_ item: Item, at position: Int) {
        items[position] = item
        slots[item.slot].position = position
    }
}
