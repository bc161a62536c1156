import Foundation
import Heraclitus

/// All machines of a replay as JSON lines: the machine of the replay, then the packages sorted by name.
enum ReplayArchive {
    /// Writes all machines to a draft, which replaces the old file with its mode when it is complete.
    ///
    /// Every draft has the same name beside the file. The next archive overwrites the draft of a killed process.
    static func write(_ replay: Replay, to path: String) throws(Refused) {
        let path = try target(of: path)
        let draft = path + ".dpkg-replay-new"
        do {
            let file = try lockedFile(draft, like: path)
            defer { try? file.close() }
            var lines = try progressMachine(of: replay).archive() + newline
            for package in replay.packages.names {
                guard let machine = replay.packages[package] else { continue }
                lines += try machine.archive() + newline
                guard lines.count > 1 << 16 else { continue }
                try file.write(contentsOf: lines)
                lines.removeAll(keepingCapacity: true)
            }
            try file.write(contentsOf: lines)
            try file.synchronize()
            guard unsafe rename(draft, path) == 0 else { throw Refused.unreadable(draft) }
        } catch let error as Refused {
            throw error
        } catch {
            throw Refused("The archive \(path) cannot be written: \(Refused.explanation(of: error))")
        }
    }

    private static let newline = Data([UInt8(ascii: "\n")])

    private static func progressMachine(of replay: Replay) throws -> StateMachine<ReplayProgress> {
        let machine = StateMachine<ReplayProgress>()
        try machine.fire.read(ReadingState(replay.progress))
        return machine
    }

    /// Checks at the beginning that an archive can be written.
    ///
    /// - Returns: The file; for a symbolic link, its target.
    @discardableResult
    static func target(of path: String) throws(Refused) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return path }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Refused("The archive \(path) is no file.") }
        // Also refuses a read-only file for root.
        guard status.st_mode & 0o222 != 0 else { throw Refused("The archive \(path) is read-only.") }
        return URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    /// Makes and locks a file, with the mode of an existing one.
    private static func lockedFile(_ path: String, like model: String) throws -> FileHandle {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else {
            throw Refused("The archive \(model) cannot be written: \(unsafe String(cString: strerror(errno))).")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw Refused("The archive \(model) is being written by another process.")
        }
        try file.truncate(atOffset: 0)
        var status = stat()
        if unsafe stat(model, &status) == 0 { fchmod(descriptor, status.st_mode & 0o7777) }
        return file
    }

    /// The archived machines.
    struct Content {
        var progress = Progress()
        var machines: [StateMachine<PackageLife>] = []
    }

    /// Restores the archived machines.
    /// - Returns: The archive; `nil` if the file is missing.
    static func read(_ path: String) throws(Refused) -> Content? {
        guard unsafe access(path, F_OK) == 0 else { return nil }
        var reader = MachineReader(path)
        var lines = LineReader(try ByteSource(path))
        repeat {
            while let line = lines.next() { try reader.take(Data(lines.bytes[line.range])) }
        } while try lines.fill()
        guard reader.isBegun, lines.half() == nil else {
            throw Refused("The archive \(path) is incomplete.")
        }
        return reader.content
    }
}

/// Restores an archive line by line.
private struct MachineReader {
    let path: String
    private(set) var content = ReplayArchive.Content()
    private var line = 0

    init(_ path: String) { self.path = path }

    var isBegun: Bool { line > 0 }

    mutating func take(_ data: Data) throws(Refused) {
        line += 1
        var isPossible = true
        do throws(ArchiveError) {
            if line == 1 {
                let machine = try StateMachine<ReplayProgress>(archive: data)
                content.progress = (machine.state as? ReadingState)?.progress ?? Progress()
                isPossible = content.progress.isPossible
            } else {
                content.machines.append(try StateMachine(archive: data))
            }
        } catch {
            throw Refused("Line \(line) of the archive \(path) cannot be restored: \(error)")
        }
        guard isPossible else {
            throw Refused("Line \(line) of the archive \(path) is damaged: nothing can be counted that far.")
        }
    }
}
