import Heraclitus

/// The ids of machines with effects that were found in stores and not tried yet, and how many machines are leased at once.
///
/// To find them a store may have to open every archive, and a delivery claims only a few at once. So one delivery keeps what it has found.
final class WaitingIDs: Sendable {
    /// Those of the delivery that claims just now.
    @TaskLocal static var ofDelivery: WaitingIDs?

    /// How many are asked for at once, at least.
    let least: Int

    /// Those last that have waited longest, by the store: a store may claim from several others.
    private let ids = Lock<[ObjectIdentifier: [String]]>([:])

    /// How many machines may be leased in a round, at most.
    private let most: Int
    private let round = Lock(Round())

    private struct Round {
        var leased: Set<ExactID> = []
        var hasRefused = false
        var hasMetConflict = false
        var damages: [(id: String, damage: StoreError)] = []
    }

    init(atLeast least: Int, leasing most: Int = .max) { (self.least, self.most) = (least, most) }

    /// Whether no other machine may be leased in this round.
    var isFull: Bool { round.withLock { $0.leased.count >= most } }

    /// Whether a machine was not leased because there were enough.
    var hasRefused: Bool { round.withLock { $0.hasRefused } }

    /// Whether a machine was not leased because somebody saved it meanwhile: it may have effects all the same.
    var hasMetConflict: Bool { round.withLock { $0.hasMetConflict } }

    /// The machines that could not be claimed in this round, and why.
    var damages: [(id: String, damage: StoreError)] { round.withLock { $0.damages } }

    func beginRound() { round.withLock { $0 = Round() } }

    /// Notes that a machine is leased.
    /// - Returns: Whether it may be.
    func lease(_ id: String) -> Bool {
        round.withLock { round in
            // A store that repeats a transaction asks again for some, which count once. Those that it does not ask for again count as well:
            // then some wait for the next round.
            guard round.leased.count < most || round.leased.contains(ExactID(id)) else {
                round.hasRefused = true
                return false
            }
            round.leased.insert(ExactID(id))
            return true
        }
    }

    /// Notes that a machine could not be leased.
    func giveBack(_ id: String) { round.withLock { _ = $0.leased.remove(ExactID(id)) } }

    /// Notes that a machine could not be leased because somebody saved it meanwhile.
    func noteConflict(of id: String) {
        giveBack(id)
        round.withLock { $0.hasMetConflict = true }
    }

    /// Notes that a machine can be leased by nobody.
    func note(_ damage: StoreError, of id: String) {
        giveBack(id)
        round.withLock { $0.damages.append((id, damage)) }
    }

    /// Keeps ids that were found, those first that have waited longest, in place of those of the store that there are.
    func keep(_ found: [String], in store: some ArchiveStore) {
        ids.withLock { $0[Self.key(of: store)] = found.reversed() }
    }

    /// Takes any of those that have waited longest.
    func next(among choice: Int, in store: some ArchiveStore) -> String? {
        let key = Self.key(of: store)
        return ids.withLock { ids in
            let count = ids[key]?.count ?? 0
            return count == 0 ? nil : ids[key]?.remove(at: count - Int.random(in: 1...min(choice, count)))
        }
    }

    private static func key<Store: ArchiveStore>(of store: Store) -> ObjectIdentifier {
        Store.self is AnyClass ? ObjectIdentifier(store as AnyObject) : ObjectIdentifier(Store.self)
    }
}
