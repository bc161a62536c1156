// The closures that were added to a machine.

import Synchronization

/// A closure of one machine.
package enum MachineClosure: Sendable {
    case `guard`(@Sendable (StateTransition) throws -> Void)
    case hook(CallbackPhase, @Sendable (StateTransition) -> Void)
    case notice(CallbackPhase, @Sendable (Occurrence) -> Void)

    /// The phase in which the closure is called.
    var phase: CallbackPhase {
        switch self {
        case .guard: .guards
        case .hook(let phase, _), .notice(let phase, _): phase
        }
    }
}

/// A closure with a flag for its cancellation.
final class ClosureEntry: Sendable {
    let closure: MachineClosure
    private let cancelled = Atomic(false)

    init(_ closure: MachineClosure) { self.closure = closure }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() { cancelled.store(true, ordering: .releasing) }
}

/// The closures of a machine in the order of adding.
///
/// Adding and cancelling take constant time on average. A loop over closures uses the list as it was when the loop
/// began.
@usableFromInline
struct ClosureList: Sendable {
    /// A slot of the list.
    ///
    /// Closures that are cancelled together share a number, and numbers only grow.
    fileprivate struct Slot: Sendable {
        let number: Int
        var entry: ClosureEntry?
    }

    fileprivate struct Contents: Sendable {
        var slots: [Slot] = []
        var emptyCount = 0

        /// The number of closures in each phase.
        var counts: [CallbackPhase: Int] = [:]
    }

    /// An optional in the form of an array, which is a single word.
    private var contents: [Contents] = []

    private static let lastNumber = Atomic(0)

    /// The phases with closures.
    var phases: CallbackPhases { contents.first.map { CallbackPhases($0.counts.keys) } ?? [] }

    /// Adds closures that are cancelled together.
    ///
    /// Call it under the lock of the list, because the binary search needs growing numbers.
    /// - Returns: Their number, which is unique in the process.
    mutating func add(_ closures: [MachineClosure]) -> Int {
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        if contents.isEmpty { contents.append(Contents()) }
        for closure in closures {
            contents[0].slots.append(Slot(number: number, entry: ClosureEntry(closure)))
            contents[0].counts[closure.phase, default: 0] += 1
        }
        return number
    }

    /// Removes the closures of a number.
    /// - Returns: The closures, for the caller to release outside locks.
    mutating func remove(number: Int) -> [ClosureEntry] {
        contents.isEmpty ? [] : contents[0].remove(number: number)
    }

    /// Calls a body with each closure of a phase in order, skipping those that are cancelled during the iteration.
    @inline(__always)
    func each(in phase: CallbackPhase, _ body: (MachineClosure) -> Void) {
        for slot in contents.first?.slots ?? [] {
            if let entry = slot.entry, entry.closure.phase == phase, !entry.isCancelled { body(entry.closure) }
        }
    }
}

extension ClosureList.Contents {
    fileprivate mutating func remove(number: Int) -> [ClosureEntry] {
        var removed: [ClosureEntry] = []
        var index = firstIndex(of: number)
        while index < slots.count, slots[index].number == number {
            if let entry = slots[index].entry.take() {
                entry.cancel()
                removed.append(entry)
                emptyCount += 1
                let phase = entry.closure.phase
                counts[phase] = counts[phase].flatMap { $0 > 1 ? $0 - 1 : nil }
            }
            index += 1
        }
        // Compacting when half of the slots are empty takes constant time per removal on average.
        if 2 * emptyCount > slots.count {
            slots.removeAll { $0.entry == nil }
            emptyCount = 0
        }
        return removed
    }

    /// The index of the first closure of a number.
    private func firstIndex(of number: Int) -> Int {
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension MachineCore {
    /// Adds closures that are cancelled together.
    /// - Returns: Their number.
    func addClosures(_ closures: [MachineClosure]) -> Int {
        cell.lock.withLock { list in
            let number = list.add(closures)
            cell.lock.setBits(list.phases.rawValue)
            return number
        }
    }

    /// Removes closures, so that no further call of them begins.
    ///
    /// Repeated calls do nothing.
    func cancelClosures(_ number: Int) {
        let removed = cell.lock.withLock { list in
            let removed = list.remove(number: number)
            cell.lock.setBits(list.phases.rawValue)
            return removed
        }
        // The closures are released outside the lock, because that may call user code.
        withExtendedLifetime(removed) {}
    }

    /// Calls a body with each of the machine's closures of a phase at this moment.
    @inline(__always)
    func eachClosure(in phase: CallbackPhase, _ body: (MachineClosure) -> Void) {
        cell.lock.withLock { $0 }.each(in: phase, body)
    }
}
