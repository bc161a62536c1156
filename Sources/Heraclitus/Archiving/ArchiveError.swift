import HeraclitusEssentials

/// The error of reading or writing an archive, with the place in the archive.
///
/// `path` leads to the place: `data.payment.state` is the state's name of a machine in the archived state. For a
/// problem of a whole archive, the path leads to the archive: `data.payment`, or an empty path at the top.
@nonexhaustive
public enum ArchiveError: Error, Sendable {
    /// The bytes are not JSON.
    case notJSON(explanation: String)

    /// A key of an archive or a table is missing, or its value is of the wrong type or invalid.
    ///
    /// For a document in SCXML, the path is the place of the first problem, such as `line 4, history`. The explanation
    /// has a line for each further problem.
    case malformed(path: String, explanation: String)

    /// The archive's format is newer than the formats of this version of the library.
    case unknownFormat(Int, supported: Int, path: String)

    /// The archive is of another workflow.
    case wrongWorkflow(String, expected: String, path: String)

    /// The archive was written by a newer version of the workflow.
    case newerVersion(Int, supported: Int, path: String)

    /// The archive or the table is larger than the caller's limit; both are in bytes.
    case tooLarge(Int, limit: Int)

    /// A file cannot be read or written; the explanation is the system's.
    case inaccessibleFile(String, explanation: String)

    /// A migration of the archive to this version has thrown an error.
    case failedMigration(String, version: Int, path: String, underlyingError: any Error)

    /// The name of the state is unknown to the workflow.
    case unknownState(String, known: [String], path: String)

    /// The data cannot be decoded as the state.
    case brokenState(String, path: String, underlyingError: any Error)

    /// The state's data cannot be written, for example an infinite number.
    case unwritableState(String, underlyingError: any Error)

    /// The workflow lists no type of effects with the name.
    case unknownEffect(String, known: [String])

    /// The data cannot be decoded as the effect.
    case brokenEffect(String, underlyingError: any Error)

    /// The effect's data cannot be written.
    case unwritableEffect(String, underlyingError: any Error)
}

extension ArchiveError: DescribedError {
    /// The problem and its place.
    ///
    /// Names and paths are shortened to 200 characters, lines of other texts to 1,000, and lists to 20 names or lines.
    /// The payload has them in full.
    public var description: String {
        switch self {
        case .notJSON(let explanation):
            "Invalid JSON: \(explanation.shortenedExplanation)"
        case .malformed(let path, let explanation):
            "The content is malformed\(Self.place(path)): \(Self.lines(of: explanation))"
        case .unknownFormat(let found, let supported, let path):
            "The archive has format \(found)\(Self.place(path)); this library reads up to format \(supported)."
        case .wrongWorkflow(let found, let expected, let path):
            "The archive is of the workflow \"\(found.shortened)\"\(Self.place(path)), not of \"\(expected)\"."
        case .newerVersion(let found, let supported, let path):
            "The archive was written by version \(found) of the workflow\(Self.place(path)); this program has version \(supported)."
        case .tooLarge(let size, let limit):
            "The content has \(size) bytes; the limit is \(limit)."
        case .inaccessibleFile(let path, let explanation):
            "The file \(path.shortened) cannot be used: \(explanation.shortenedExplanation)"
        case .failedMigration(let name, let version, let path, let error):
            "The migration \"\(name.shortened)\" to version \(version) failed\(Self.place(path)): \(Self.words(of: error))"
        case .unknownState(let name, let known, let path):
            "The workflow has no state \"\(name.shortened)\"\(path == "state" ? "" : Self.place(path)); "
                + "its states are \(known.nearestFirst(to: name).inText())."
        case .brokenState(let name, let path, let error):
            "The data of the state \"\(name.shortened)\" cannot be read\(Self.place(path)): \(Self.words(of: error))"
        case .unwritableState(let name, let error):
            "The data of the state \"\(name.shortened)\" cannot be written: \(Self.words(of: error))"
        case .unknownEffect(let name, let known):
            "The workflow lists no effect \"\(name.shortened)\"; "
                + "it lists \(known.isEmpty ? "none" : known.nearestFirst(to: name).inText())."
        case .brokenEffect(let name, let error):
            "The data of the effect \"\(name.shortened)\" cannot be read: \(Self.words(of: error))"
        case .unwritableEffect(let name, let error):
            "The data of the effect \"\(name.shortened)\" cannot be written: \(Self.words(of: error))"
        }
    }

    private static func words(of error: any Error) -> String { explanation(of: error).shortenedExplanation }

    /// The first lines of a text that may list problems.
    private static func lines(of explanation: String) -> String {
        explanation.split(separator: "\n", maxSplits: 20, omittingEmptySubsequences: false).prefix(20)
            .map { String($0).shortenedExplanation }.joined(separator: "\n")
    }

    private static func place(_ path: String) -> String { path.isEmpty ? "" : " at \(path.shortened)" }
}

// MARK: - Places

extension ArchiveError {
    /// A path of keys and indices as text: `data.items[3].price`.
    package static func path(_ codingPath: [any CodingKey]) -> String {
        codingPath.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }

    /// The path of a decoding error; for another error, a given path.
    package static func path(of error: any Error, else codingPath: [any CodingKey]) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context): path(context.codingPath + [key])
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            path(context.codingPath)
        default: path(codingPath)
        }
    }

    package static func explanation(of error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "the key \"\(key.stringValue.shortened)\" is missing."
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            context.debugDescription
        case EncodingError.invalidValue(let value, let context):
            "\(text(of: value).shortened) at \(path(context.codingPath).shortened): \(context.debugDescription)"
        default: text(of: error)
        }
    }
}
