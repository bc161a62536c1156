// A queue of elements by deadline.

/// Elements in the order of their times.
///
/// Elements of the same time are in the order of adding.
///
/// The queue is a heap: adding or removing an element takes at most logarithmic time.
struct DeadlineQueue<Element: Sendable>: Sendable {
    /// A handle for removing an element.
    struct Ticket: Sendable {
        fileprivate let slot: Int
        fileprivate let number: UInt64
    }

    /// An element in its fixed slot, with its place in the heap.
    private struct Slot: Sendable {
        var element: Element?
        var place: Int
        let number: UInt64
    }

    private struct Deadline: Sendable {
        let time: Double

        /// Numbers grow with each element, so the smaller number is first among equal times.
        let number: UInt64
        let slot: Int

        func comesBefore(_ other: Deadline) -> Bool {
            time == other.time ? number < other.number : time < other.time
        }
    }

    private var heap: [Deadline] = []
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var lastNumber: UInt64 = 0

    /// The number of waiting elements.
    var count: Int { heap.count }

    /// The time of the first element; `nil` if the queue is empty.
    var firstTime: Double? { heap.first?.time }

    /// Adds an element.
    /// - Parameters:
    ///   - element: The element.
    ///   - time: The time of the element; NaN is invalid.
    /// - Returns: A ticket for removing the element.
    mutating func add(_ element: Element, at time: Double) -> Ticket {
        lastNumber += 1
        let slot = freeSlots.popLast() ?? slots.count
        let new = Slot(element: element, place: heap.count, number: lastNumber)
        if slot == slots.count { slots.append(new) } else { slots[slot] = new }
        heap.append(Deadline(time: time, number: lastNumber, slot: slot))
        moveUp(from: heap.count - 1)
        return Ticket(slot: slot, number: lastNumber)
    }

    /// Removes an element.
    /// - Returns: The element; `nil` if it was removed or taken before.
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard slots[ticket.slot].number == ticket.number, slots[ticket.slot].element != nil else { return nil }
        return take(at: slots[ticket.slot].place)
    }

    /// Takes the first element if its time has come.
    mutating func takeFirst(dueBy time: Double) -> Element? {
        guard let first = heap.first, first.time <= time else { return nil }
        return take(at: 0)
    }

    private mutating func take(at place: Int) -> Element? {
        let taken = heap[place]
        let last = heap.removeLast()
        if place < heap.count {
            put(last, at: place)
            if last.comesBefore(taken) { moveUp(from: place) } else { moveDown(from: place) }
        }
        freeSlots.append(taken.slot)
        return slots[taken.slot].element.take()
    }

    private mutating func put(_ deadline: Deadline, at place: Int) {
        heap[place] = deadline
        slots[deadline.slot].place = place
    }

    private mutating func moveUp(from start: Int) {
        let deadline = heap[start]
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard deadline.comesBefore(heap[parent]) else { break }
            put(heap[parent], at: place)
            place = parent
        }
        put(deadline, at: place)
    }

    private mutating func moveDown(from start: Int) {
        let deadline = heap[start]
        var place = start
        while 2 * place + 1 < heap.count {
            var least = 2 * place + 1
            if least + 1 < heap.count, heap[least + 1].comesBefore(heap[least]) { least += 1 }
            guard heap[least].comesBefore(deadline) else { break }
            put(heap[least], at: place)
            place = least
        }
        put(deadline, at: place)
    }
}
