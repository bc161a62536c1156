// Many archives at once. The defaults ask for one after the other; a database answers at once.

import Heraclitus

extension ArchiveStore {
    /// Finds the next ids of a listing, so that in a database a listing of any length takes no more memory than a page of it.
    ///
    /// ```swift
    /// var last: String?
    /// repeat {
    ///     let page = try await store.ids(of: Order.name, in: nil, after: last, limit: 1_000)
    ///     for id in page { print(id) }
    ///     last = page.last
    /// } while last != nil
    /// ```
    ///
    /// The default asks for all ids each time, and leaves out the others.
    /// - Parameters:
    ///   - workflow: The name of the workflow; `nil` for any.
    ///   - state: The name of the state; `nil` for any.
    ///   - id: The last id of the page before; `nil` for the first page. It need not be stored any more.
    ///   - limit: The maximum number of ids.
    /// - Returns: The ids, sorted by their UTF-8; fewer than `limit` if there are no more.
    /// - Throws: Errors of the store's medium.
    public func ids(
        of workflow: String?,
        in state: String?,
        after id: String?,
        limit: Int
    ) async throws -> [String] {
        let ids = try await ids(of: workflow, in: state).sortedByUTF8()
        return Array(ids.following(id).prefix(max(0, limit)))
    }

    /// Loads several archives.
    ///
    /// The default loads one after the other.
    /// - Parameter ids: The ids.
    /// - Returns: The archives that are stored for them, in the order of the ids.
    /// - Throws: What ``load(_:)`` throws.
    public func load(each ids: [String]) async throws -> [StoredArchive] {
        var archives: [StoredArchive] = []
        for id in ids {
            if let archive = try await load(id) { archives.append(archive) }
        }
        return archives
    }

    /// Stores several archives, each of which replaces the one with its revision.
    ///
    /// They are not a unit: a conflict of one does not keep the others from being stored, and when an error is thrown, some may
    /// have been stored. The default saves one after the other; a database needs to sync only once for all.
    /// - Parameter archives: The archives, with an id each.
    /// - Returns: The new revisions in the order of the archives; `nil` for one that was not stored because of a conflict.
    /// - Throws: Errors of the store's medium.
    @discardableResult
    public func save(each archives: [StoredArchive]) async throws -> [Int?] {
        var revisions: [Int?] = []
        for archive in archives {
            do {
                revisions.append(try await save(archive))
            } catch StoreError.conflict {
                revisions.append(nil)
            }
        }
        return revisions
    }

    /// Stores several archives, or none of them; this one stores one, and no more.
    /// - Parameter archives: The archives, with an id each.
    /// - Returns: The new revisions in the order of the archives.
    /// - Throws: What ``save(_:)`` throws; ``StoreError/noTransactions(ids:)``, and then nothing has changed.
    @discardableResult
    public func save(together archives: [StoredArchive]) async throws -> [Int] {
        guard let first = archives.first else { return [] }
        if archives.count == 1 { return [try await save(first)] }
        throw StoreError.noTransactions(ids: archives.map(\.id))
    }
}

extension [String] {
    /// The texts in the one order that stores have, in which ids that look the same but differ in their UTF-8 have a place each.
    func sortedByUTF8() -> [String] { sorted { ExactID($0) < ExactID($1) } }

    /// Of sorted texts, those that come after one, which need not be among them.
    func following(_ text: String?) -> ArraySlice<String> {
        guard let text else { return self[...] }
        return drop { ExactID($0) <= ExactID(text) }
    }
}
