import Foundation
import Heraclitus
import HeraclitusStores
import Testing

@testable import Fixtures

@Suite("The bell of a directory") struct DirectoryBellTests {
    private let place = DirectoryPlace()

    private func pipes() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: place.folder.path + "/.store/bells")) ?? []
    }

    @Test("The bell rings when another process saves a due machine", .timeLimit(.minutes(5)))
    func anotherProcess() async throws {
        let store = try place.store()
        let bell = try #require(store.bell)
        let rings = bell.rings
        #expect(pipes().count == 1)
        await #expect(processExitsWith: .success) { [path = place.folder.path as String] in
            let store = try DirectoryStore(at: URL(fileURLWithPath: path))
            try await store.save(DirectoryPlace.row("other", due: DirectoryPlace.date))
        }
        await bell.wait(after: rings)
        #expect(bell.rings > rings)
        #expect(try await store.claim(DirectoryPlace.claim()).map(\.id) == ["other"])
        withExtendedLifetime(store) {}
    }

    @Test(
        "The bell rings repeatedly for saves of other stores, once per listening store",
        .timeLimit(.minutes(5))
    )
    func others() async throws {
        let stores = try (0..<3).map { _ in try place.store() }
        var revision = 0
        for round in 0..<20 {
            let rings = stores.map { $0.bell?.rings ?? 0 }
            let row = DirectoryPlace.row("1", replacing: revision, due: DirectoryPlace.date)
            revision = try await stores[round % 3].save(row)
            for (store, rings) in zip(stores, rings) { await store.bell?.wait(after: rings) }
        }
        #expect(pipes().count == 3)
    }

    @Test("A store without listeners has no pipe, and a released store removes its pipe", .timeLimit(.minutes(5)))
    func gone() async throws {
        let store = try place.store()
        try await store.save(DirectoryPlace.row("1", due: DirectoryPlace.date))
        #expect(pipes() == [])
        do {
            let other = try place.store()
            _ = other.bell?.rings
            #expect(pipes().count == 1)
            withExtendedLifetime(other) {}
        }
        #expect(pipes() == [])
    }

    @Test("The next save removes the pipe of a killed process", .timeLimit(.minutes(5)))
    func killed() async throws {
        let store = try place.store()
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.folder.path as String] in
            let store = try DirectoryStore(at: URL(fileURLWithPath: path))
            _ = store.bell?.rings
            kill(getpid(), SIGKILL)
        }
        #expect(pipes().count == 1)
        // A process of another test may have inherited the pipe for a moment.
        for revision in 0..<1_000 where !pipes().isEmpty {
            try await store.save(DirectoryPlace.row("1", replacing: revision, due: DirectoryPlace.date))
        }
        #expect(pipes() == [])
    }

    #if os(Linux)
        @Test("Stores that have listened leave neither descriptors nor threads")
        func nothingLeft() async {
            await #expect(processExitsWith: .success) {
                let place = DirectoryPlace()
                func counts() throws -> (Int, Int) {
                    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
                    let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
                    return (descriptors, threads)
                }
                func listen() throws { for _ in 0..<50 { _ = try place.store().bell?.rings } }
                try listen()
                let before = try counts()
                for _ in 0..<5 { try listen() }
                // A thread ends a moment after its signal.
                for _ in 0..<1_000 {
                    let after = try counts()
                    if after.0 <= before.0 + 10, after.1 <= before.1 + 10 { return }
                    usleep(10_000)
                }
                Issue.record("\(before) have become \(try counts())")
            }
        }
    #endif

    @Test("Everybody who may save may ring: the pipe has the default mode of new files")
    func mode() async {
        await #expect(processExitsWith: .success) {
            umask(0o002)
            let place = DirectoryPlace()
            let store = try place.store()
            _ = store.bell?.rings
            let bells = place.folder.path + "/.store/bells"
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: bells).first)
            let mode = try FileManager.default.attributesOfItem(atPath: "\(bells)/\(name)")[.posixPermissions] as? Int
            #expect(mode == 0o664)
            withExtendedLifetime(store) {}
        }
    }
}
