// What is due next?

/// Elements in the order of the times at which they are due; of two that are due at once, the one that was added first.
///
/// Deadlines that are added in the order of their times, as time-outs of one length are, stand in a line, where each costs the same however
/// many there are. What is added out of order goes into a heap. Of time-outs of two lengths the shorter ones stand in the line.
struct DeadlineQueue<Element: Sendable>: Sendable {
    /// Where an element is, for somebody who removes it later.
    struct Ticket: Sendable {
        fileprivate let slot: Int
        fileprivate let number: UInt64
    }

    /// An element, which stays in its slot, and where its deadline stands.
    private struct Slot: Sendable {
        var element: Element?
        var place: Place
        let number: UInt64
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
    ///   - time: When it is due; not NaN.
    /// - Returns: With what it can be removed.
    mutating func add(_ element: Element, at time: Double) -> Ticket {
        lastNumber += 1
        let slot = freeSlots.popLast() ?? slots.count
        let deadline = QueuedDeadline(time: time, number: lastNumber, slot: slot)
        // The place is noted below, when it is known.
        let new = Slot(element: element, place: .line(0), number: lastNumber)
        if slot == slots.count { slots.append(new) } else { slots[slot] = new }
        // One that is due later makes room, or it would keep all that follow out of the line. Only one, so that to add stays cheap.
        if let last = line.last, time < last.time {
            removeDeadline(of: last.slot)
            addToHeap(last)
        }
        if let last = line.last, time < last.time {
            addToHeap(deadline)
        } else {
            slots[slot].place = .line(line.append(deadline))
        }
        return Ticket(slot: slot, number: lastNumber)
    }

    /// Removes an element.
    /// - Returns: The element; `nil` if it was removed or taken before.
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard slots[ticket.slot].number == ticket.number, slots[ticket.slot].element != nil else { return nil }
        return vacate(ticket.slot)
    }

    /// Takes the first element if it is due.
    mutating func takeFirst(dueBy time: Double) -> Element? {
        guard let first, first.time <= time else { return nil }
        return vacate(first.slot)
    }

    private mutating func vacate(_ slot: Int) -> Element? {
        removeDeadline(of: slot)
        freeSlots.append(slot)
        return slots[slot].element.take()
    }

    private mutating func removeDeadline(of slot: Int) {
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
    /// Is told the number of the place that a deadline has from now on.
    typealias Move = (_ deadline: QueuedDeadline, _ place: Int) -> Void

    let time: Double

    /// How many were added before and with it: at one time the smaller one comes first.
    let number: UInt64
    let slot: Int

    func comesBefore(_ other: QueuedDeadline) -> Bool {
        time == other.time ? number < other.number : time < other.time
    }
}
