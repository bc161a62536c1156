import Foundation
import Heraclitus
import HeraclitusStores
import SQLStores
import SQLiteStore
import StoreTesting
import Testing

@Suite("Effects of stores with killed processes") struct EffectTests {
    @Test(
        "Killed processes lose no save and no effect, and change no effect",
        .timeLimit(.minutes(60)),
        arguments: ["shop.sqlite", "shop"]
    )
    func kills(name: String) async throws {
        let folder = try TemporaryFolder()
        let place = folder.url.appending(path: name)
        let ledger = Ledger(at: folder.url.appending(path: "ledger"))
        let ids = ["1", "2", "3"]
        let other = try Worker(place.path, ledger, ids: ids)
        for round in 1...rounds(10) {
            let worker = try Worker(place.path, ledger, ids: ids)
            let count = try ledger.savedCount
            // Some rounds kill the process while it starts.
            if round % 5 != 0 { #expect(await wait { (try? ledger.savedCount) ?? 0 > count + 5 }) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<20)))
            worker.kill()
        }
        other.kill()
        let store: any ArchiveStore =
            name.hasSuffix(".sqlite") ? try await SQLiteStore(at: place) : try Archive.directory(at: place)
        try await store.deliverAll(into: ledger)
        #expect(try await ledger.differences(from: store, ids: ids) == [])
        #expect(try ledger.isInOrder())
        #expect(try await store.workflow(Meter.self).effects().isEmpty)
    }
}
