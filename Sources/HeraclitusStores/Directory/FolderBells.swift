import Heraclitus
import HeraclitusEssentials

/// The bells of the stores that use a folder, in any processes of a computer.
///
/// A store whose bell is listened to has a named pipe in the folder, and a thread that waits for bytes in it. Whoever saves something for workers writes
/// a byte into each pipe. The pipe of a process that has died has no reader, and is removed.
final class FolderBells: Sendable {
    private let folder: Folder
    private let ear = Lock<Ear?>(nil)

    /// What a store hears others with.
    private final class Ear: Sendable {
        let name: String
        private let pipe: SystemFile

        /// Held open, so that the pipe does not end when others close it; a byte of the store's own ends the thread.
        private let writing: SystemFile
        private let isOver = Lock(false)

        init(_ name: String, at path: String) throws(SystemError) {
            self.name = name
            try SystemFile.makePipe(path)
            pipe = try SystemFile(path, for: .readingPipe)
            writing = try SystemFile(path, for: .writingPipe)
        }

        /// Rings a bell as often as others have written, until this ends.
        func listen(for bell: StoreBell) {
            while (try? pipe.waitForContent()) != nil, !isOver.withLock({ $0 }) {
                // All of it: several have rung while this was not looking.
                guard (try? pipe.next(1 << 10)) != nil else { return }
                bell.ring()
            }
        }

        func end() {
            isOver.withLock { $0 = true }
            try? writing.append(Data([0]))
        }
    }

    /// Names the own folder of a store.
    init(in folder: Folder) { self.folder = Folder(path: folder.file("bells")) }

    deinit {
        guard let ear = ear.withLock({ $0 }) else { return }
        ear.end()
        try? folder.remove(ear.name)
    }

    /// Makes a bell ring when others save; not where the file system has no pipes.
    func listen(for bell: StoreBell) {
        guard let ear = try? newEar() else { return }
        if SystemThread.start({ ear.listen(for: bell) }) {
            self.ear.withLock { $0 = ear }
        } else {
            try? folder.remove(ear.name)
        }
    }

    private func newEar() throws -> Ear {
        try folder.make()
        // Whoever finds a pipe without a reader removes it, but not this one.
        let lock = try lock()
        let name = "\(UInt64.random(in: 0...UInt64.max))"
        let ear = try Ear(name, at: folder.file(name))
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
                // Or the system would end this process if the reader dies just now.
                let reader = try SystemFile(path, for: .readingPipe)
                // A pipe that is full has rung.
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
