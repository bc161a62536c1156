import Foundation
import HeraclitusStores

/// Seals bytes with a different result each time, and detects changes.
struct Seal: Sendable {
    struct Broken: Error {}

    /// The key for sealing and opening.
    var key: UInt8 = 0x5A

    func seal(_ bytes: Data) -> Data {
        // A mask of zero would leave the bytes readable.
        let mask = UInt8.random(in: 1 ... .max)
        return Data([mask ^ key, bytes.reduce(key, &+)]) + Data(bytes.map { $0 ^ mask })
    }

    func open(_ sealed: Data) throws -> Data {
        let sealed = [UInt8](sealed)
        guard sealed.count >= 2 else { throw Broken() }
        let bytes = Data(sealed.dropFirst(2).map { $0 ^ key ^ sealed[0] })
        guard bytes.reduce(key, &+) == sealed[1] else { throw Broken() }
        return bytes
    }
}

extension ArchiveStore {
    func sealed(by seal: Seal, sealValue: (@Sendable (StoredValue) -> StoredValue)? = nil) -> some ArchiveStore {
        sealed(seal: { seal.seal($0) }, open: { try seal.open($0) }, sealValue: sealValue)
    }
}
