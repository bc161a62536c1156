public import HeraclitusEssentials

extension JSONValue {
    /// Reads JSON, with every digit of its numbers, whatever the bytes are.
    ///
    /// It takes time and memory in proportion to the bytes. Foundation's `JSONDecoder` makes a ``JSONValue`` as well, but
    /// rounds numbers of more than 38 digits, and takes longer the deeper values lie; so read what comes from strangers with this,
    /// and make events, user infos and tables of it with ``decoded(as:)``. Of two values for one key the first is read.
    /// Keys are compared as Swift compares texts, so that `é` is one key however it is composed.
    /// - Parameters:
    ///   - json: UTF-8 JSON.
    ///   - limit: How many bytes it may have; 64 MiB unless said otherwise.
    /// - Throws: ``ArchiveError``: `tooLarge`; `notJSON`, also for more than 64 levels of values within values.
    public init(json: Data, limit: Int = 64 << 20) throws(ArchiveError) {
        guard json.count <= limit else { throw .tooLarge(json.count, limit: limit) }
        do {
            self = try JSONValue(foreignText: [UInt8](json))
        } catch {
            throw .notJSON(explanation: error.description)
        }
    }
}
