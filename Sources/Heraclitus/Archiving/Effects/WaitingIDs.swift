/// The ids of machines with effects that were found in stores and not tried yet.
///
/// To find them a store may have to open every archive, and a delivery claims only a few at once. So one delivery keeps what it has found.
final class WaitingIDs: Sendable {
    /// Those of the delivery that claims just now.
    @TaskLocal static var ofDelivery: WaitingIDs?

    /// How many are asked for at once, at least.
    let least: Int

    /// Those last that have waited longest, by the store: a store may claim from several others.
    private let ids = Lock<[ObjectIdentifier: [String]]>([:])

    init(atLeast least: Int) { self.least = least }

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
