// What waits in the order in which it was added?

/// Deadlines in a line, none of which is due before the one in front of it.
///
/// To add one at the end and to take the first costs the same for any number of them. What is removed elsewhere leaves a hole. If there are
/// more holes than deadlines then, the line closes up. So that costs the same, too, on average.
struct DeadlineLine: Sendable {
    /// A hole is neither the first place that counts nor the last one, and without deadlines there are no places.
    private var places: [QueuedDeadline?] = []

    /// The index of the first place that counts; those before it keep what was taken.
    private var start = 0

    /// How many places were dropped in front of the first index: a place's number is its index and this.
    private var dropped = 0

    private(set) var count = 0

    var first: QueuedDeadline? { count == 0 ? nil : places[start] }

    var last: QueuedDeadline? { places.last ?? nil }

    /// Adds a deadline that comes no earlier than the last.
    /// - Returns: The number of its place.
    mutating func append(_ deadline: QueuedDeadline) -> Int {
        places.append(deadline)
        count += 1
        return dropped + places.count - 1
    }

    /// Removes the deadline at a place.
    /// - Parameters:
    ///   - place: The number of its place.
    ///   - move: Is told the number of the place that a deadline has from now on.
    mutating func remove(at place: Int, _ move: QueuedDeadline.Move) {
        count -= 1
        let index = place - dropped
        if count == 0 {
            places.removeAll(keepingCapacity: true)
            (start, dropped) = (0, 0)
        } else if index == places.count - 1 {
            repeat { places.removeLast() } while places[places.count - 1] == nil
        } else if index == start {
            repeat { start += 1 } while places[start] == nil
            // Not before half of them are taken, so that to move the others costs little for each.
            if start > places.count / 2 { dropTaken() }
        } else {
            places[index] = nil
            if places.count - start > 2 * count { closeUp(move) }
        }
    }

    private mutating func dropTaken() {
        places.removeFirst(start)
        dropped += start
        start = 0
    }

    private mutating func closeUp(_ move: QueuedDeadline.Move) {
        places = places[start...].filter { $0 != nil }
        (start, dropped) = (0, 0)
        for case (let index, let deadline?) in places.enumerated() { move(deadline, index) }
    }
}
