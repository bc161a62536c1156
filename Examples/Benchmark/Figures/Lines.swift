import Foundation
import Heraclitus
import HeraclitusStores

// Figures of many archives in a file, against the same loop by hand on a plain struct that makes the same bytes.

extension Figure {
    static var lines: [Figure] {
        let ours = temporaryFile()
        let limit = temporaryFile()
        return [
            Figure(
                name: "writing JSON lines, an archive",
                unit: "ns",
                goal: 1.2,
                ours: perLine(in: ours) { count in
                    succeeding {
                        try Archive.write(
                            (0..<count).lazy.map { StateMachine<Download>(resumingIn: loading($0)) },
                            to: ours
                        )
                    }
                },
                limit: perLine(in: limit) { count in succeeding { try writeByHand(count, to: limit) } }
            ),
            Figure(
                name: "reading JSON lines, a machine",
                unit: "ns",
                goal: 1.2,
                ours: perLine(
                    in: ours,
                    preparing: { count in
                        succeeding {
                            try Archive.write(
                                (0..<count).lazy.map { StateMachine<Download>(resumingIn: loading($0)) },
                                to: ours
                            )
                        }
                    }
                ) { count in
                    _ = waiting {
                        for try await line in Archive.lines(of: Download.self, in: ours) { keep(try line.machine()) }
                        return 0
                    }
                },
                limit: perLine(in: limit, preparing: { count in succeeding { try writeByHand(count, to: limit) } }) {
                    _ in
                    succeeding { try readByHand(limit) }
                }
            ),
        ]
    }

    /// A side that does so many lines at once as take about a time, 100,000 at most.
    private static func perLine(
        in file: URL,
        preparing prepare: @escaping (Int) -> Void = { _ in },
        _ body: @escaping (Int) -> Void
    ) -> Side {
        { time in
            let count = min(100_000, max(500, Int(time / .microseconds(1))))
            prepare(count)
            defer { try? FileManager.default.removeItem(at: file) }
            return nanoseconds { body(count) } / Double(count)
        }
    }

    private static func loading(_ number: Int) -> LoadingState { LoadingState(url: Content.shared.url + "\(number)") }

    private static func temporaryFile() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString).jsonl")
    }
}

private func writeByHand(_ count: Int, to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let temporary = file.appendingPathExtension("new")
    _ = FileManager.default.createFile(atPath: temporary.path, contents: nil)
    let handle = try FileHandle(forWritingTo: temporary)
    var buffer = Data()
    for number in 0..<count {
        let archive = PlainArchive(
            activated: true,
            data: .init(url: Content.shared.url + "\(number)"),
            format: 1,
            revision: 0,
            state: "LoadingState",
            version: 1,
            workflow: "Download"
        )
        buffer.append(try encoder.encode(archive))
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 1 << 16 {
            try handle.write(contentsOf: buffer)
            buffer.removeAll(keepingCapacity: true)
        }
    }
    try handle.write(contentsOf: buffer)
    try handle.synchronize()
    try handle.close()
    guard unsafe rename(temporary.path, file.path) == 0 else { throw POSIXError(.EIO) }
}

private func readByHand(_ file: URL) throws {
    let decoder = JSONDecoder()
    let handle = try FileHandle(forReadingFrom: file)
    var rest = Data()
    while let chunk = try handle.read(upToCount: 1 << 16), !chunk.isEmpty {
        rest.append(chunk)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            keep(try decoder.decode(PlainArchive.self, from: rest[..<end]).revision)
            rest = rest[(end + 1)...]
        }
        rest = Data(rest)
    }
}
