@testable import Fixtures

#if canImport(Glibc)
    import Foundation
    import Glibc
    import Heraclitus
    import HeraclitusStores
    import Synchronization
    import Testing

    // Replaces the C library's functions that make file changes durable, and records their calls for a test's folder.

    private let calls = Lock<[String: [String]]>([:])

    /// The call that is to fail once, by test folder.
    private let failing = Lock<[String: String]>([:])

    /// An action before the next lock, by test folder.
    private let beforeLock = Lock<[String: @Sendable () -> Void]>([:])

    /// Records a call whose first path is in a test's folder.
    /// - Returns: Whether the call has to fail.
    private func note(_ name: String, _ paths: String...) -> Bool {
        calls.withLock { calls in
            var fails = false
            for folder in calls.keys where paths[0] == folder || paths[0].hasPrefix(folder + "/") {
                let places = paths.map { path in
                    let place = String(path.dropFirst(folder.count).drop { $0 == "/" })
                    // A draft has a random number in its name.
                    return place.isEmpty ? "." : place.replacing(/\.[0-9a-z]+\.tmp$/, with: ".tmp")
                }
                let call = ([name] + places).joined(separator: " ")
                calls[folder]?.append(call)
                failing.withLock { failing in
                    guard failing[folder] == call else { return }
                    failing[folder] = nil
                    fails = true
                }
            }
            if fails { errno = EIO }
            return fails
        }
    }

    /// The original function.
    private func next<Function>(_ name: String, as type: Function.Type) -> Function {
        // RTLD_NEXT, a macro that Swift cannot import.
        unsafe unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: -1), name), to: type)
    }

    @_cdecl("fsync") func notedSync(_ descriptor: CInt) -> CInt {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        if note("sync", path ?? "") { return -1 }
        return next("fsync", as: (@convention(c) (CInt) -> CInt).self)(descriptor)
    }

    @_cdecl("flock") func awaitedLock(_ descriptor: CInt, _ operation: CInt) -> CInt {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) ?? ""
        let action = beforeLock.withLock { actions in
            actions.keys.first { path.hasPrefix($0 + "/") }.flatMap { actions.removeValue(forKey: $0) }
        }
        action?()
        return next("flock", as: (@convention(c) (CInt, CInt) -> CInt).self)(descriptor, operation)
    }

    @_cdecl("rename") func notedRename(_ path: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> CInt {
        if unsafe note("move", String(cString: path), String(cString: other)) { return -1 }
        typealias Function = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt
        return unsafe next("rename", as: Function.self)(path, other)
    }

    @_cdecl("unlink") func notedRemove(_ path: UnsafePointer<CChar>) -> CInt {
        if unsafe note("remove", String(cString: path)) { return -1 }
        return unsafe next("unlink", as: (@convention(c) (UnsafePointer<CChar>) -> CInt).self)(path)
    }

    @Suite("The order in which a directory's files reach the disk") struct DirectoryOrderTests {
        private let place: StorePlace
        private let folder: URL

        init() throws {
            place = try StorePlace("directory")
            folder = try #require(place.folder)
        }

        /// The calls during a body.
        private func noted(in folder: URL, _ body: () async throws -> Void) async rethrows -> [String] {
            calls.withLock { $0[folder.path] = [] }
            try await body()
            return calls.withLock { $0.removeValue(forKey: folder.path) ?? [] }
        }

        private static let moves = [
            "move .store/a.json.tmp a.json", "move .store/b.json.tmp b.json", "sync .", "remove .store/transaction",
            "sync .store",
        ]

        @Test("A file is synced before it takes its place, and its name before the save returns")
        func one() async throws {
            let noted = try await noted(in: folder) { try await place.store.save(Interrupted.archive("a", 0)) }
            #expect(noted == ["sync .store/a.json.tmp", "move .store/a.json.tmp a.json", "sync ."])
        }

        @Test("A last revision is synced before the file is removed, and the removal before delete returns")
        func deleting() async throws {
            try await place.store.save(Interrupted.archive("a", 0))
            let noted = try await noted(in: folder) { _ = try await place.store.delete("a", expecting: nil) }
            #expect(noted.count == 4 && noted[0].wholeMatch(of: /sync \.store\/[0-9]+/) != nil, "\(noted)")
            #expect(noted.dropFirst() == ["sync .store", "remove a.json", "sync ."])
        }

        @Test("Files are synced before their record, the record before they move, and the moves before it is removed")
        func together() async throws {
            let noted = try await noted(in: folder) {
                try await place.store.save(together: [Interrupted.archive("a", 0), Interrupted.archive("b", 0)])
            }
            let record = [
                "sync .store/a.json.tmp", "sync .store/b.json.tmp", "sync .store/transaction.tmp",
                "move .store/transaction.tmp .store/transaction", "sync .store",
            ]
            #expect(noted == record + Self.moves)
        }

        @Test("The completion of another process's transaction uses the same order", arguments: 0...2)
        func completing(moved: Int) async throws {
            let left = try await Interrupted(moved: moved)
            let noted = try await noted(in: left.folder) { _ = try await left.place.store.load("a") }
            #expect(noted == Self.moves.map { $0.replacing(/\.x[01]\.tmp/, with: ".tmp") })
        }

        @Test(
            "A record in place commits all files, even if a sync or a move fails afterwards",
            arguments: ["sync .store", "move .store/b.json.tmp b.json", "sync .", "remove .store/transaction"]
        )
        func decided(failing call: String) async throws {
            let archives = [Interrupted.archive("a", 0), Interrupted.archive("b", 0)]
            let noted = await noted(in: folder) {
                failing.withLock { $0[folder.path] = call }
                let revisions = try? await place.store.save(together: archives)
                // A durable record is acknowledged; the next process moves the files.
                #expect(revisions == (call == "sync .store" ? nil : [1, 1]))
            }
            #expect(noted.contains(call) && failing.withLock { $0[folder.path] == nil })
            for id in ["a", "b"] { #expect(try await place.store.load(id)?.revision == 1) }
            await #expect(throws: StoreError.self) { try await place.store.save(together: archives) }
        }

        @Test("A failure before the record is in place changes nothing", arguments: ["move", "sync"])
        func undecided(failing call: String) async throws {
            failing.withLock {
                $0[folder.path] = call + " .store/transaction.tmp" + (call == "move" ? " .store/transaction" : "")
            }
            let archives = [Interrupted.archive("a", 0), Interrupted.archive("b", 0)]
            _ = await noted(in: folder) {
                await #expect(throws: ArchiveError.self) { try await place.store.save(together: archives) }
            }
            #expect(try await place.store.ids() == [])
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.store")
            #expect(left.allSatisfy { !$0.hasSuffix(".tmp") }, "\(left)")
            #expect(try await place.store.save(together: archives) == [1, 1])
        }

        @Test("Opening the folder keeps files that were committed in between")
        func opening() async throws {
            let left = try await Interrupted(moved: 0)
            let decide = try left.hideRecord()
            beforeLock.withLock { $0[left.folder.path] = decide }
            let store = try DirectoryStore(at: left.folder)
            let isDecided = beforeLock.withLock { $0[left.folder.path] == nil }
            #expect(isDecided)
            try await left.expectComplete(store)
        }

        @Test("A failed transaction leaves nothing behind")
        func givenUp() async throws {
            try await place.store.save(Interrupted.archive("b", 0))
            let noted = await noted(in: folder) {
                await #expect(throws: StoreError.self) {
                    try await place.store.save(together: [Interrupted.archive("a", 0), Interrupted.archive("b", 0)])
                }
            }
            #expect(noted == ["sync .store/a.json.tmp", "remove .store/a.json.tmp"])
        }
    }
#endif
