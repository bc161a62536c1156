import Dispatch
import Heraclitus
import HeraclitusEssentials

/// Rings the bells of all stores that use a folder, in all processes of a computer.
///
/// A store with listeners has a named pipe in the folder. A save with work for workers writes a byte into each pipe. The
/// pipe of a dead process has no reader and is removed.
final class FolderBells: Sendable {
    private let folder: Folder
    private let ear = Lock<Ear?>(nil)

    /// The pipe of a store that listens to others.
    private final class Ear: Sendable {
        let name: String
        private let pipe: SystemFile

        /// The writing end stays open, so that the pipe lasts when other writers close it.
        private let writing: SystemFile

        /// In a lock, because the type is not `Sendable` on Linux.
        private let content: Lock<any DispatchSourceRead>

        /// Makes a pipe, and rings a bell whenever another store has written, until the end.
        init(_ name: String, at path: String, ringing bell: StoreBell) throws(SystemError) {
            self.name = name
            try SystemFile.makePipe(path)
            pipe = try SystemFile(path, for: .readingPipe)
            writing = try SystemFile(path, for: .writingPipe)
            content = Lock(pipe.content())
            content.withLock { content in
                // The handler keeps the pipe open until the source has ended.
                content.setEventHandler { [self] in
                    // One read takes the bytes of several rings.
                    if (try? pipe.next(1 << 10)) != nil { bell.ring() }
                }
                content.activate()
            }
        }

        func end() { content.withLock { $0.cancel() } }
    }

    /// Uses a subfolder of the store's own folder.
    init(in folder: Folder) { self.folder = Folder(path: folder.file("bells")) }

    deinit {
        guard let ear = ear.withLock({ $0 }) else { return }
        ear.end()
        try? folder.remove(ear.name)
    }

    /// Rings a bell when other stores save; does nothing on file systems without pipes.
    func listen(for bell: StoreBell) {
        guard let ear = try? newEar(ringing: bell) else { return }
        self.ear.withLock { $0 = ear }
    }

    private func newEar(ringing bell: StoreBell) throws -> Ear {
        try folder.make()
        // The lock keeps other stores from removing the pipe before its reader is open.
        let lock = try lock()
        let name = "\(UInt64.random(in: 0...UInt64.max))"
        let ear = try Ear(name, at: folder.file(name), ringing: bell)
        _ = consume lock
        return ear
    }

    private func lock() throws(ArchiveError) -> FileLock { try FileLock.take(folder.path + ".lock") }

    /// Rings the bells of other stores.
    func ringOthers() {
        guard let names = try? SystemFile.names(in: folder.path, from: "", upTo: "") else { return }
        let own = ear.withLock { $0?.name }
        for name in names where name != own {
            let path = folder.file(name)
            do throws(SystemError) {
                let pipe = try SystemFile(path, for: .writingPipe)
                // An open reader protects this process from the signal of a broken pipe.
                let reader = try SystemFile(path, for: .readingPipe)
                // A full pipe has rung already.
                try? pipe.append(Data([0]))
                _ = consume reader
            } catch {
                if error.isUnread { removeUnread(name) }
            }
        }
    }

    private func removeUnread(_ name: String) {
        guard let lock = try? lock() else { return }
        do throws(SystemError) {
            _ = try SystemFile(folder.file(name), for: .writingPipe)
        } catch {
            if error.isUnread { try? folder.remove(name) }
        }
        _ = consume lock
    }
}
