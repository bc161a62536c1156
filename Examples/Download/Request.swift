import Foundation
import Heraclitus
import Synchronization

/// Loads what is missing of a file, and fires its machine as it goes.
///
/// What comes is written before the machine hears of it, so that the file has at least what the state says.
final class Request: Sendable {
    /// How long it may last until something comes, in seconds.
    static let patience = ProcessInfo.processInfo.environment["DOWNLOAD_PATIENCE"].flatMap(Int.init) ?? 30

    private let wanted: Part

    private struct Storage {
        weak var machine: StateMachine<Download>?
        var transport: (any Transport)?
        var file: FileHandle?
        var part: Part
        var isOver = false
    }

    private let storage: Mutex<Storage>

    init(_ part: Part) {
        wanted = part
        storage = Mutex(Storage(part: part))
    }

    /// Begins, or begins again after the program was killed.
    func open(for machine: StateMachine<Download>?) {
        let url = wanted.origin.url
        let transport: any Transport = url.isFileURL ? FileTransport(url) : WebTransport(url)
        storage.withLock { storage in
            storage.machine = machine
            storage.transport = transport
        }
        do {
            let part = try reusable
            if part.byteCount > 0, part.byteCount == part.total {
                // The program was killed before it could say so.
                begin(part)
                finish()
            } else {
                transport.open(part, for: self)
            }
        } catch {
            fail { WrappedFailureState(error, $0) }
        }
    }

    /// Stops; nothing is written or fired after this has returned.
    func cancel() { end()?.cancel() }

    /// What of the part can be gone on with: no more than there is in the file, and nothing of which nobody knows what it is.
    private var reusable: Part {
        get throws {
            let attributes = try? FileManager.default.attributesOfItem(atPath: wanted.origin.partPath)
            let size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
            return wanted.canGoOn && size >= wanted.byteCount ? wanted : Part(origin: wanted.origin)
        }
    }

    private func end() -> (any Transport)? {
        storage.withLock { storage in
            storage.isOver = true
            try? storage.file?.close()
            storage.file = nil
            return storage.transport.take()
        }
    }
}

// MARK: - What transports tell

extension Request {
    /// The content is about to come, from the end of the part that is given on.
    func begin(_ part: Part) {
        tell { storage in
            let path = part.origin.partPath
            if part.byteCount == 0 { try Data().write(to: URL(fileURLWithPath: path)) }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: UInt64(part.byteCount))
            try file.seekToEnd()
            storage.file = file
            storage.part = part
        }
    }

    /// Some of it has come.
    func receive(_ data: Data) {
        tell { storage in
            try storage.file?.write(contentsOf: data)
            storage.part.byteCount += data.count
        }
    }

    /// All of it has come.
    func finish() {
        let part = storage.withLock { $0.isOver ? nil : $0.part }
        guard let part else { return }
        if let total = part.total, total != part.byteCount {
            return fail { WrappedFailureState(Refusal("only \($0?.amount ?? "nothing") came"), $0) }
        }
        do throws(InvalidTransition) {
            // In the machine's turn, and not at all if it was cancelled.
            try machine?.fire.finish { _ in
                try storage.withLock { try $0.file?.synchronize() }
                guard unsafe rename(part.origin.partPath, part.origin.target) == 0 else {
                    throw Refusal("\(part.origin.target): \(unsafe String(cString: strerror(errno)))")
                }
                return CompletedState(byteCount: part.byteCount)
            }
            _ = end()
        } catch {
            if let cause = error.underlyingError { fail { WrappedFailureState(cause, $0) } }
        }
    }

    /// It cannot be loaded, or not now.
    func fail(_ state: (Part?) -> FailureState) {
        try? machine?.fire.fail { loading in state(loading.part) }
        end()?.cancel()
    }

    private var machine: StateMachine<Download>? { storage.withLock { $0.machine } }

    /// Changes what there is, and lets the machine know.
    private func tell(_ change: (inout Storage) throws -> Void) {
        do {
            let part = try storage.withLock { storage -> Part? in
                guard !storage.isOver else { return nil }
                try change(&storage)
                return storage.part
            }
            guard let part else { return }
            // Refused if it was cancelled meanwhile.
            try? machine?.fire.progress { loading in loading.with(part) }
        } catch {
            fail { WrappedFailureState(error, $0) }
        }
    }
}
