#if canImport(Glibc)
    import Foundation
    import Glibc
    import Heraclitus
    import Synchronization
    import Testing

    // The functions of the C library that make a change of files last, with a note of each call that has to do with a folder of a test.

    private let calls = Mutex<[String: [String]]>([:])

    /// Notes a call, if its first path is in a folder of a test.
    private func note(_ name: String, _ paths: String...) {
        calls.withLock { calls in
            for folder in calls.keys where paths[0] == folder || paths[0].hasPrefix(folder + "/") {
                let places = paths.map { path in
                    let place = String(path.dropFirst(folder.count).drop { $0 == "/" })
                    // A draft has a random number in its name.
                    return place.isEmpty ? "." : place.replacing(/\.[0-9a-z]+\.tmp$/, with: ".tmp")
                }
                calls[folder]?.append(([name] + places).joined(separator: " "))
            }
        }
    }

    /// The function that would be called if there were none of this file.
    private func next<Function>(_ name: String, as type: Function.Type) -> Function {
        // RTLD_NEXT, which is no constant that Swift reads.
        unsafe unsafeBitCast(dlsym(UnsafeMutableRawPointer(bitPattern: -1), name), to: type)
    }

    @_cdecl("fsync") func notedSync(_ descriptor: CInt) -> CInt {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        note("sync", path ?? "")
        return next("fsync", as: (@convention(c) (CInt) -> CInt).self)(descriptor)
    }

    @_cdecl("rename") func notedRename(_ path: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> CInt {
        unsafe note("move", String(cString: path), String(cString: other))
        typealias Function = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt
        return unsafe next("rename", as: Function.self)(path, other)
    }

    @_cdecl("unlink") func notedRemove(_ path: UnsafePointer<CChar>) -> CInt {
        unsafe note("remove", String(cString: path))
        return unsafe next("unlink", as: (@convention(c) (UnsafePointer<CChar>) -> CInt).self)(path)
    }

    @Suite("The order in which a directory's files are on the disk") struct DirectoryOrderTests {
        private let place: StoreTests.Place
        private let folder: URL

        init() throws {
            place = try StoreTests.Place("directory")
            folder = try #require(place.folder)
        }

        /// What is called while a body runs.
        private func noted(in folder: URL, _ body: () async throws -> Void) async rethrows -> [String] {
            calls.withLock { $0[folder.path] = [] }
            try await body()
            return calls.withLock { $0.removeValue(forKey: folder.path) ?? [] }
        }

        private static let moves = [
            "move .store/a.json.tmp a.json", "move .store/b.json.tmp b.json", "sync .", "remove .store/transaction",
            "sync .store",
        ]

        @Test("A file is on the disk before it takes its place, and its place before the save returns")
        func one() async throws {
            let noted = try await noted(in: folder) { try await place.store.save(Interrupted.archive("a", 0)) }
            #expect(noted == ["sync .store/a.json.tmp", "move .store/a.json.tmp a.json", "sync ."])
        }

        @Test("A last revision is on the disk before the file is gone, and that before the delete returns")
        func deleting() async throws {
            try await place.store.save(Interrupted.archive("a", 0))
            let noted = try await noted(in: folder) { _ = try await place.store.delete("a", expecting: nil) }
            #expect(noted.count == 4 && noted[0].wholeMatch(of: /sync \.store\/[0-9]+/) != nil, "\(noted)")
            #expect(noted.dropFirst() == ["sync .store", "remove a.json", "sync ."])
        }

        @Test("Files are on the disk before the record of them, that before they move, and they before it goes")
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

        @Test("Whoever completes what another has left does it in the same order", arguments: 0...2)
        func completing(moved: Int) async throws {
            let left = try await Interrupted(moved: moved)
            let noted = try await noted(in: left.folder) { _ = try await left.place.store.load("a") }
            #expect(noted == Self.moves.map { $0.replacing(/\.x[01]\.tmp/, with: ".tmp") })
        }

        @Test("What cannot be saved together leaves nothing behind")
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
