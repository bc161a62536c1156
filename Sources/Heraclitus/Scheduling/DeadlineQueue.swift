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
    /// It moves when the queue changes; what it is stays in its slot.
    private struct Item: Sendable {
        let time: Double
        let number: UInt64
        let slot: Int

        func comesBefore(_ other: Item) -> Bool {
            time == other.time ? number < other.number : time < other.time
        }
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
        items.append(Item(time: time, number: lastNumber, slot: slot))
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
            put(last, at: position)
            if last.comesBefore(removed) { moveUp(from: position) } else { moveDown(from: position) }
        }
        freeSlots.append(removed.slot)
        return slots[removed.slot].element.take()
    }

    private mutating func moveUp(from start: Int) {
        let item = items[start]
        var position = start
        while position > 0 {
            let parent = (position - 1) / 4
            guard item.comesBefore(items[parent]) else { break }
            put(items[parent], at: position)
            position = parent
        }
        put(item, at: position)
    }

    private mutating func moveDown(from start: Int) {
        let item = items[start]
        var position = start
        while 4 * position + 1 < items.count {
            var least = 4 * position + 1
            for child in (least + 1)..<max(least + 1, min(least + 4, items.count))
            where items[child].comesBefore(items[least]) { least = child }
            guard items[least].comesBefore(item) else { break }
            put(items[least], at: position)
            position = least
        }
        put(item, at: position)
    }

    private mutating func put(_ item: Item, at position: Int) {
        items[position] = item
        slots[item.slot].position = position
    }
}
