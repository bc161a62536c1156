import Foundation
import Heraclitus

/// The file of a download, written for its machine.
///
/// Writes happen in the machine's turn. The file therefore has at least the content that the state names, and writing stops when the state is left.
struct File: Sendable {
    private let call: WorkCall<Download>
    private let file: FileHandle

    init(of part: Part, for call: WorkCall<Download>) throws {
        self.call = call
        let path = part.origin.partPath
        if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
        file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    /// The usable beginning of a part: at most the bytes in the file, and none of unknown origin.
    func reusable(_ part: Part) throws -> Part {
        try part.canGoOn && file.seekToEnd() >= part.byteCount ? part : Part(origin: part.origin)
    }

    /// The content begins to arrive, from the end of a part on.
    func begin(_ part: Part) throws {
        try call.fire.begin { _ in
            try file.truncate(atOffset: UInt64(part.byteCount))
            return LoadingState(part)
        }
    }

    /// Some of it has come.
    func append(_ data: Data) throws {
        try call.fire.progress { loading in
            try file.write(contentsOf: data)
            return loading.adding(data.count)
        }
    }

    /// All of it has come.
    func finish() throws {
        try call.fire.finish { loading in
            let part = loading.current
            if let total = part.total, total != part.byteCount { throw Refusal("only \(part.amount) came") }
            try file.synchronize()
            guard unsafe rename(part.origin.partPath, part.origin.target) == 0 else {
                throw Refusal("\(part.origin.target): \(unsafe String(cString: strerror(errno)))")
            }
            return CompletedState(byteCount: part.byteCount)
        }
    }
}
