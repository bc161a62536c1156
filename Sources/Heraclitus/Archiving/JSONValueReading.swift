public import HeraclitusEssentials

extension JSONValue {
    /// Reads JSON with all digits of its numbers.
    ///
    /// Time and memory are proportional to the number of bytes, so use it for untrusted JSON. Foundation's
    /// `JSONDecoder` also decodes a ``JSONValue``, but rounds numbers of more than 38 digits, and takes longer for deep
    /// values. Convert the value to events, user infos and tables by ``decoded(as:)``.
    ///
    /// Of two values for one key the first is read. Keys are compared like Swift texts, so `é` is one key however it is
    /// composed.
    /// - Parameters:
    ///   - json: UTF-8 JSON.
    ///   - limit: The maximum size in bytes, by default 64 MiB.
    /// - Throws: ``ArchiveError``: `tooLarge`; `notJSON`, also for more than 64 nested levels.
    public init(json: Data, limit: Int = 64 << 20) throws(ArchiveError) {
        guard json.count <= limit else { throw .tooLarge(json.count, limit: limit) }
        do {
            self = try JSONValue(foreignText: json)
        } catch {
            throw .notJSON(explanation: error.description)
        }
    }
}
