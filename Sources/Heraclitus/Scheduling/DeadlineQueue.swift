// What is due next?

/// Elements in the order of the times at which they are due; of two that are due at once, the one that was added first.
///
/// Deadlines that are all as far away when they are set, as most time-outs are, come in the order of their times. So they stand in a line, where
/// each costs the same, however many there are. What comes out of order goes into a heap.
struct DeadlineQueue<Element: Sendable>: Sendable {
    /// Where an element is, for somebody who removes it later.
    struct Ticket: Sendable {
        fileprivate let slot: Int
        fileprivate let number: UInt64
    }

    /// An element, which stays in its slot, and where its time stands.
    private struct Slot: Sendable {
        var element: Element?
        var place: Place
        var number: UInt64
    }

    private enum Place: Sendable {
        case line(Int)
        case heap(Int)
    }

    private var line = DeadlineLine()
    private var heap = DeadlineHeap()
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    private var lastNumber: UInt64 = 0

    /// How many wait.
    var count: Int { line.count + heap.count }

    /// The time at which the first is due; `nil` if none waits.
    var firstTime: Double? { first?.time }

    private var first: QueuedDeadline? {
        guard let inLine = line.first else { return heap.first }
        guard let inHeap = heap.first, inHeap.comesBefore(inLine) else { return inLine }
        return inHeap
    }

    /// Adds an element.
    /// - Parameters:
    ///   - element: The element.
    ///   - time: When it is due; a number.
    /// - Returns: With what it can be removed.
    mutating func add(_ element: Element, at time: Double) -> Ticket {
        lastNumber += 1
        let slot = freeSlots.popLast() ?? slots.count
        let deadline = QueuedDeadline(time: time, number: lastNumber, slot: slot)
        let new = Slot(element: element, place: .line(0), number: lastNumber)
        if slot == slots.count { slots.append(new) } else { slots[slot] = new }
        // One that is due much later than all others would keep them out of the line.
        if let last = line.last, time < last.time {
            removeTime(of: last.slot)
            addToHeap(last)
        }
        if line.last.map({ $0.time <= time }) ?? true {
            slots[slot].place = .line(line.append(deadline))
        } else {
            addToHeap(deadline)
        }
        return Ticket(slot: slot, number: lastNumber)
    }

    /// Removes an element.
    /// - Returns: The element; `nil` if it was removed or taken before.
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard slots[ticket.slot].number == ticket.number, slots[ticket.slot].element != nil else { return nil }
        return empty(ticket.slot)
    }

    /// Takes the first element if it is due.
    mutating func takeFirst(dueBy time: Double) -> (element: Element, time: Double)? {
        guard let first, first.time <= time, let element = empty(first.slot) else { return nil }
        return (element, first.time)
    }

    private mutating func empty(_ slot: Int) -> Element? {
        removeTime(of: slot)
        freeSlots.append(slot)
        return slots[slot].element.take()
    }

    private mutating func removeTime(of slot: Int) {
        switch slots[slot].place {
        case .line(let place): line.remove(at: place) { slots[$0.slot].place = .line($1) }
        case .heap(let place): heap.remove(at: place) { slots[$0.slot].place = .heap($1) }
        }
    }

    private mutating func addToHeap(_ deadline: QueuedDeadline) {
        heap.add(deadline) { slots[$0.slot].place = .heap($1) }
    }
}

/// When an element is due, and in which slot it is.
struct QueuedDeadline: Sendable {
    let time: Double
    let number: UInt64
    let slot: Int

    func comesBefore(_ other: QueuedDeadline) -> Bool {
        time == other.time ? number < other.number : time < other.time
    }
}
