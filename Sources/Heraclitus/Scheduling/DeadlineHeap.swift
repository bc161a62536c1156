// What waits although it was added out of order?

/// Deadlines in a heap: the first one is known at any time, and the others are in order only as far as it takes to find the next one.
///
/// To add one, and to remove the first, costs the logarithm of the count at worst. To add one that is due late, and to remove one at random,
/// costs on average no more among a million than among a few: three of four places of a heap in which each has four children are at its bottom.
struct DeadlineHeap: Sendable {
    private var deadlines: [QueuedDeadline] = []

    var count: Int { deadlines.count }

    var first: QueuedDeadline? { deadlines.first }

    /// Adds a deadline.
    /// - Parameters:
    ///   - deadline: The deadline.
    ///   - move: Is told the number of the place that a deadline has from now on, also of the new one.
    mutating func add(_ deadline: QueuedDeadline, _ move: QueuedDeadline.Move) {
        deadlines.append(deadline)
        moveUp(from: deadlines.count - 1, move)
    }

    /// Removes the deadline at a place.
    /// - Parameters:
    ///   - place: The number of its place.
    ///   - move: Is told the number of the place that a deadline has from now on.
    mutating func remove(at place: Int, _ move: QueuedDeadline.Move) {
        let removed = deadlines[place]
        let last = deadlines.removeLast()
        guard place < deadlines.count else { return }
        deadlines[place] = last
        if last.comesBefore(removed) { moveUp(from: place, move) } else { moveDown(from: place, move) }
    }

    private mutating func moveUp(from start: Int, _ move: QueuedDeadline.Move) {
        let deadline = deadlines[start]
        var place = start
        while place > 0 {
            let parent = (place - 1) / 4
            guard deadline.comesBefore(deadlines[parent]) else { break }
            deadlines[place] = deadlines[parent]
            move(deadlines[place], place)
            place = parent
        }
        deadlines[place] = deadline
        move(deadline, place)
    }

    private mutating func moveDown(from start: Int, _ move: QueuedDeadline.Move) {
        let deadline = deadlines[start]
        var place = start
        while 4 * place + 1 < deadlines.count {
            var least = 4 * place + 1
            for child in (least + 1)..<max(least + 1, min(least + 4, deadlines.count))
            where deadlines[child].comesBefore(deadlines[least]) { least = child }
            guard deadlines[least].comesBefore(deadline) else { break }
            deadlines[place] = deadlines[least]
            move(deadlines[place], place)
            place = least
        }
        deadlines[place] = deadline
        move(deadline, place)
    }
}
