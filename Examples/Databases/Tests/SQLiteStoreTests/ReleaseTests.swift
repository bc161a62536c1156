import Foundation
import Heraclitus
import HeraclitusStores
import SQLiteStore
import StoreTesting
import Testing

@Suite("Two releases of a program on one store") struct ReleaseTests {
    @Test(
        "The old program destroys no data of the new program, even when both are killed",
        .timeLimit(.minutes(20))
    )
    func kills() async throws {
        let place = try Place()
        let store = try await place.store()
        let ledger = Ledger(at: place.folder.url.appending(path: "ledger"))
        let ids = ["1", "2", "3"]
        for _ in 0..<rounds(4) {
            let before = try ledger.saved("coupons-1").count
            let workers = try ["oldrelease", "newrelease"].map {
                try Worker(place.file.path, ledger, ids: ids, program: $0)
            }
            #expect(try await wait { try ledger.saved("coupons-1").count > before + 5 })
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
            for worker in workers.shuffled() { worker.kill() }
        }
        for id in ids {
            let data = try JSONValue(json: try #require(try await store.load(id)).archive)["data"]
            let (number, coupons) = (data?["number"]?.intValue ?? 0, data?["coupons"]?.intValue ?? 0)
            let (numbers, saved) = (try ledger.saved("number-\(id)"), try ledger.saved("coupons-\(id)"))
            #expect(numbers.max() ?? 0 <= number && Set(numbers).count == numbers.count, "A count is lost.")
            #expect(number > coupons, "The old program has saved nothing.")
            // A repeated number shows that the old program dropped the key in between.
            #expect(saved.max() ?? 0 <= coupons && Set(saved).count == saved.count, "A key of the new program is lost.")
        }
    }
}
