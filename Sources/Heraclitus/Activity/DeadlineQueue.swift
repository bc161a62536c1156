// A queue of elements by deadline.

/// Elements in the order of their times.
///
/// Elements of the same time are in the order of adding.
///
/// The queue is a heap: adding or removing an element takes logarithmic time on average.
struct DeadlineQueue<Element: Sendable>: Sendable {
    /// The number of an element, for removing it.
    typealias Ticket = UInt64

    private struct Deadline: Sendable {
        let time: Double

        /// Numbers grow with each element, so the smaller number is first among equal times.
        let number: Ticket

        func comesBefore(_ other: Deadline) -> Bool {
            time == other.time ? number < other.number : time < other.time
        }
    }

    /// The deadlines; the first one has an element, and others may remain of removed elements.
    private var heap: [Deadline] = []
    private var elements: [Ticket: Element] = [:]
    private var lastNumber: Ticket = 0

    /// The number of waiting elements.
    var count: Int { elements.count }

    /// The time of the first element; `nil` if the queue is empty.
    var firstTime: Double? { heap.first?.time }

    /// Adds an element.
    /// - Parameters:
    ///   - element: The element.
    ///   - time: The time of the element; NaN is invalid.
    /// - Returns: A ticket for removing the element.
    mutating func add(_ element: Element, at time: Double) -> Ticket {
        lastNumber += 1
        elements[lastNumber] = element
        heap.append(Deadline(time: time, number: lastNumber))
        moveUpLast()
        return lastNumber
    }

    /// Removes an element.
    /// - Returns: The element, for the caller to release outside locks; `nil` if it was taken or removed before.
    mutating func remove(_ ticket: Ticket) -> Element? {
        guard let element = elements.removeValue(forKey: ticket) else { return nil }
        dropRemoved()
        return element
    }

    /// Takes the first element due by a time.
    mutating func takeFirst(dueBy time: Double) -> Element? {
        guard let first = heap.first, first.time <= time else { return nil }
        return remove(first.number)
    }

    /// Drops the deadlines without elements in front, or all of them when they are the most.
    private mutating func dropRemoved() {
        if heap.count > 2 * elements.count + 16 {
            // A sorted array is a heap.
            heap = heap.filter { elements[$0.number] != nil }.sorted { $0.comesBefore($1) }
        }
        while let first = heap.first, elements[first.number] == nil {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
            moveDownFirst()
        }
    }

    private mutating func moveUpLast() {
        var place = heap.count - 1
        while place > 0, heap[place].comesBefore(heap[(place - 1) / 2]) {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func moveDownFirst() {
        var place = 0
        while 2 * place + 1 < heap.count {
            var least = 2 * place + 1
            if least + 1 < heap.count, heap[least + 1].comesBefore(heap[least]) { least += 1 }
            guard heap[least].comesBefore(heap[place]) else { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
