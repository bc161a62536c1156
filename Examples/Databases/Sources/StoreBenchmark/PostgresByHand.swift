import CPostgres
import Foundation
import Heraclitus

/// A connection to PostgreSQL whose calls run on its own queue.
///
/// The pointer is valid from the initializer to the deinitializer, and only the queue uses it.
@safe final class PostgresByHand: ByHand, @unchecked Sendable {
    private let queue = DispatchQueue(label: "PostgreSQL by hand")
    private let server: OpaquePointer

    init(_ description: String) throws {
        guard let made = unsafe PQconnectdb(description) else { throw Unexpected(explanation: "There is no memory.") }
        unsafe server = made
        try prepare("load", "select revision, archive from machines where id = $1 and id_hash = ''")
        try prepare(
            "save",
            """
            update machines set revision = revision + 1, workflow = $3, state = $4, due = $5, archive = $6, effects_date = $7
            where id = $1 and id_hash = '' and revision = $2
            """
        )
        try prepare(
            "list",
            "select id from machines where workflow = $1 and state = $2 and state is not null order by id, id_rest"
        )
    }

    deinit { unsafe PQfinish(server) }

    private func prepare(_ name: String, _ sql: String) throws {
        let result = unsafe PQprepare(server, name, sql, 0, nil)
        defer { unsafe PQclear(result) }
        guard unsafe PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
    }

    private var failure: Unexpected { Unexpected(explanation: unsafe String(cString: PQerrorMessage(server))) }

    func unit(_ id: String) async throws {
        try await queue.run { [self] in
            while true {
                let (revision, archive) = try load(id)
                if try save(id, revision, archive) { return }
            }
        }
    }

    private func load(_ id: String) throws -> (revision: Int, archive: [UInt8]) {
        unsafe try execute("load", [.bytes([UInt8](id.utf8))]) { result in
            guard unsafe PQntuples(result) == 1 else { throw Unexpected(explanation: "The machine \(id) is missing.") }
            let revision = unsafe Self.bytes(result, 0, 0).reduce(0) { $0 << 8 | Int($1) }
            return (revision, unsafe [UInt8](Self.bytes(result, 0, 1)))
        }
    }

    private func save(_ id: String, _ revision: Int, _ archive: [UInt8]) throws -> Bool {
        let values: [Value] = [
            .bytes([UInt8](id.utf8)), .text("\(revision)"), .text(Counting.name), .text(CountState.name), .null,
            .bytes(archive), .null,
        ]
        return unsafe try execute("save", values) { unsafe String(cString: PQcmdTuples($0)) == "1" }
    }

    func ids(of workflow: String, in state: String) async throws -> [String] {
        try await queue.run { [self] in
            unsafe try execute("list", [.text(workflow), .text(state)]) { result in
                (0..<(unsafe PQntuples(result))).map { row in
                    unsafe String(decoding: Self.bytes(result, row, 0), as: UTF8.self)
                }
            }
        }
    }

    private enum Value {
        case null
        case text(String)
        case bytes([UInt8])
    }

    private static func bytes(_ result: OpaquePointer?, _ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
        let count = Int(unsafe PQgetlength(result, row, column))
        return unsafe UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: count)
    }

    private func execute<Answer>(
        _ name: String,
        _ values: [Value],
        _ read: (OpaquePointer?) throws -> Answer
    ) throws -> Answer {
        var lengths: [Int32] = []
        var formats: [Int32] = []
        var memory: [[CChar]?] = []
        for value in values {
            switch value {
            case .null: memory.append(nil)
            case .text(let text): memory.append(text.utf8CString.map(\.self))
            case .bytes(let bytes): memory.append(bytes.map { CChar(bitPattern: $0) } + [0])
            }
            lengths.append(Int32((memory.last.flatMap(\.self)?.count ?? 1) - 1))
            if case .bytes = value { formats.append(1) } else { formats.append(0) }
        }
        let pointers = unsafe memory.map { bytes in
            guard let bytes else { return unsafe UnsafePointer<CChar>?.none }
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            unsafe copy.initialize(from: bytes, count: bytes.count)
            return unsafe UnsafePointer(copy)
        }
        defer { for index in unsafe pointers.indices { unsafe pointers[index]?.deallocate() } }
        let result = unsafe PQexecPrepared(server, name, Int32(values.count), pointers, lengths, formats, 1)
        defer { unsafe PQclear(result) }
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return try unsafe read(result)
        default: throw failure
        }
    }
}
