#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Something whose turn threads wait for.
@usableFromInline
protocol TurnHolder: AnyObject, Sendable {
    /// What a report of a deadlock calls it.
    var turnName: String { get }
    var turnOwner: FiringThread? { get }
    func tryTakeTurn(by thread: FiringThread, othersWait: Bool) -> Bool
    func noteWaitingForTurn() -> Bool
}

/// Where threads wait whose turn it is not yet, all in one place, so that one look finds who waits for whom.
///
/// A thread comes here only when somebody else has the turn; as long as nobody meets, it is never entered.
@usableFromInline
final class WaitingRoom: @unchecked Sendable {
    @usableFromInline static let shared = WaitingRoom()

    private final class Visitor {
        let thread: FiringThread
        unowned let holder: any TurnHolder
        let bell: UnsafeMutablePointer<pthread_cond_t>

        init(_ thread: FiringThread, waitingFor holder: any TurnHolder) {
            self.thread = thread
            self.holder = holder
            bell = .allocate(capacity: 1)
            bell.initialize(to: pthread_cond_t())
            pthread_cond_init(bell, nil)
        }

        deinit {
            pthread_cond_destroy(bell)
            bell.deallocate()
        }
    }

    // Unchecked, because `visitors` is read and written between `lockDoor` and `unlockDoor` only, and `door` never changes.
    private let door: UnsafeMutablePointer<pthread_mutex_t>
    private var visitors: [Visitor] = []

    private init() {
        door = .allocate(capacity: 1)
        door.initialize(to: pthread_mutex_t())
        pthread_mutex_init(door, nil)
    }

    /// Waits until the turn is the thread's.
    /// - Returns: `nil` when it is; or, when that could never happen, the names of the holders whose owners wait for one
    ///   another in a circle.
    @usableFromInline
    func wait(for holder: any TurnHolder, as thread: FiringThread) -> [String]? {
        pthread_mutex_lock(door)
        let me = Visitor(thread, waitingFor: holder)
        visitors.append(me)
        defer {
            visitors.removeAll { $0 === me }
            pthread_mutex_unlock(door)
        }
        while true {
            let othersWait = visitors.contains { $0.holder === holder && $0 !== me }
            if holder.tryTakeTurn(by: thread, othersWait: othersWait) { return nil }
            guard holder.noteWaitingForTurn() else { continue }
            if let circle = circle(through: holder, closedBy: thread) { return circle }
            pthread_cond_wait(me.bell, door)
        }
    }

    /// Wakes one of those who wait for a turn that was passed.
    @usableFromInline
    func wake(for holder: any TurnHolder) {
        pthread_mutex_lock(door)
        if let next = visitors.first(where: { $0.holder === holder }) { pthread_cond_signal(next.bell) }
        pthread_mutex_unlock(door)
    }

    /// The holders from this one to one that the thread itself owns, if each one's owner waits here for the next.
    ///
    /// Exact, though owners change without the door's lock: whoever waits here passes no turn before it has got the one it
    /// waits for, and of a closed circle nobody can, because its last link is the thread that is asking.
    private func circle(through holder: any TurnHolder, closedBy thread: FiringThread) -> [String]? {
        var names: [String] = []
        var holder = holder
        for _ in 0...visitors.count {
            names.append(holder.turnName)
            guard let owner = holder.turnOwner else { return nil }
            if owner == thread { return names }
            guard let waiting = visitors.first(where: { $0.thread == owner }) else { return nil }
            holder = waiting.holder
        }
        return nil
    }
}
