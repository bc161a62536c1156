import Heraclitus
import HeraclitusEssentials

/// Symbolic links to files of a store, in the order of dates.
///
/// The path of a link begins with its date, in folders by parts of the date. A search for due machines therefore skips
/// later links. One system call makes, moves or removes a link; links are written without a sync.
struct DatedLinks: Sendable {
    /// A link: its date and the label of its file.
    struct Link: Hashable, Sendable {
        let date: SortableDate
        let label: Label
    }

    /// The part of a link's name that describes the machine, so that workers can skip the file.
    struct Label: Hashable, Sendable {
        /// The state of the file that the link belongs to: the revision, or the type of the effect.
        let mark: String
        let workflow: String
        let version: String
        let file: String

        var text: String { "\(mark).\(workflow).\(version).\(file)" }

        /// The label that sorts after all labels of the same date.
        static let last = Label(mark: "~", workflow: "", version: "", file: "")
    }

    /// A date as 16 hexadecimal digits, which sort like the date.
    struct SortableDate: Hashable, Comparable, Sendable {
        let digits: String

        /// The number of digits in the name of an outer folder, an inner folder and a link.
        ///
        /// An inner folder spans half a minute, an outer folder two hours.
        fileprivate static let lengths = (7, 2, 7)

        init(_ date: Date) {
            let bits = date.timeIntervalSinceReferenceDate.bitPattern
            let sortable = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
            let hexadecimal = String(sortable, radix: 16)
            digits = String(repeating: "0", count: 16 - hexadecimal.utf8.count) + hexadecimal
        }

        fileprivate init(digits: String) { self.digits = digits }

        /// The date of the digits.
        var date: Date {
            let sortable = UInt64(digits, radix: 16) ?? 0
            let bits = sortable >> 63 == 1 ? sortable & ~(1 << 63) : ~sortable
            return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
        }

        /// No date comes after it.
        static let last = SortableDate(digits: String(repeating: "f", count: 16))

        static func < (left: Self, right: Self) -> Bool { left.digits < right.digits }

        fileprivate var outer: Substring { digits.prefix(Self.lengths.0) }
        fileprivate var inner: Substring { digits.dropFirst(Self.lengths.0).prefix(Self.lengths.1) }
        fileprivate var rest: Substring { digits.suffix(Self.lengths.2) }
    }

    /// The number of names of a folder that are in memory at once.
    private static let pageSize = 2_000

    private let folder: Folder

    /// Names a folder.
    ///
    /// The first link creates the folder.
    init(_ folder: Folder) { self.folder = folder }

    /// Makes a link, unless it exists.
    func add(_ link: Link) throws(ArchiveError) {
        try inFolder(of: link) { path throws(SystemError) in
            do throws(SystemError) {
                // The link points from its inner folder up to the store's own folder.
                try SystemFile.makeLink(path, to: "../../../../\(link.label.file)")
            } catch  where error.isThereAlready {}
        }
    }

    /// Removes a link.
    /// - Returns: Whether the link existed.
    @discardableResult
    func remove(_ link: Link) -> Bool {
        do {
            try SystemFile.remove(path(of: link))
        } catch {
            return false
        }
        removeFolders(of: link)
        return true
    }

    /// Moves a link.
    ///
    /// If several processes try it, one succeeds.
    /// - Returns: Whether the link existed.
    func move(_ link: Link, to other: DatedLinks, at date: SortableDate) throws(ArchiveError) -> Bool {
        let old = path(of: link)
        let moved = Link(date: date, label: link.label)
        var isThere = true
        try other.inFolder(of: moved) { path throws(SystemError) in
            do throws(SystemError) {
                try SystemFile.move(old, to: path)
            } catch {
                // The missing file may be the folder of the new place.
                guard error.isMissing, try other.hasFolder(of: moved) else { throw error }
                isThere = false
            }
        }
        if isThere { removeFolders(of: link) }
        return isThere
    }

    /// The first links up to a date, in the order of their dates.
    /// - Parameters:
    ///   - date: The last date.
    ///   - last: The link after which to begin.
    ///   - limit: The number of links, at least one.
    ///   - isIncluded: Whether to include a machine.
    /// - Returns: The links.
    /// - Throws: `ArchiveError.inaccessibleFile(_:explanation:)`.
    func links(
        upTo date: SortableDate,
        after last: Link? = nil,
        limit: Int = .max,
        where isIncluded: (Label) -> Bool = { _ in true }
    ) throws(ArchiveError) -> [Link] {
        var found: [Link] = []
        let outers = try names(in: folder.path, last?.date.outer, date.outer)
        for outer in outers where isDigits(outer, SortableDate.lengths.0) {
            let isFirst = last.map { $0.date.outer == outer } ?? false
            let isLast = date.outer == outer
            let path = folder.file(outer)
            let inners = try names(in: path, isFirst ? last?.date.inner : nil, isLast ? date.inner : nil)
            for inner in inners where isDigits(inner, SortableDate.lengths.1) {
                let most = isLast && date.inner == inner ? date.rest : nil
                let isLasts = isFirst && last?.date.inner == inner[...]
                var least = isLasts ? last.map { "\($0.date.rest).\($0.label.text)" } : nil
                while true {
                    let names = try names(in: "\(path)/\(inner)", least?[...], most, limit: Self.pageSize)
                    for name in names where name != least {
                        guard let link = Link(outer + inner + name), isIncluded(link.label) else { continue }
                        found.append(link)
                        if found.count >= limit { return found }
                    }
                    if names.count < Self.pageSize { break }
                    least = names.last
                }
            }
        }
        return found
    }

    /// Whether a folder is one of links: other programs may put files there.
    private func isDigits(_ name: String, _ count: Int) -> Bool {
        name.utf8.count == count && name.allSatisfy(\.isHexDigit)
    }

    private func names(
        in path: String,
        _ least: Substring?,
        _ most: Substring?,
        limit: Int = .max
    ) throws(ArchiveError) -> [String] {
        do {
            // A tilde sorts after all digits.
            return try SystemFile.names(in: path, from: String(least ?? ""), upTo: String(most ?? "~"), limit: limit)
        } catch {
            if error.isMissing { return [] }
            throw .file(path, error)
        }
    }

    private func path(of link: Link) -> String {
        "\(folder.path)/\(link.date.outer)/\(link.date.inner)/\(link.date.rest).\(link.label.text)"
    }

    private func hasFolder(of link: Link) throws(SystemError) -> Bool {
        do {
            _ = try SystemFile("\(folder.path)/\(link.date.outer)/\(link.date.inner)", for: .folder)
            return true
        } catch {
            if error.isMissing { return false }
            throw error
        }
    }

    /// Calls a body that makes a link, and makes missing folders for it.
    private func inFolder(
        of link: Link,
        _ body: (_ path: String) throws(SystemError) -> Void
    ) throws(ArchiveError) {
        let path = path(of: link)
        // Another process may remove the folders again while they are empty.
        for attempt in 0... {
            do {
                return try body(path)
            } catch {
                guard error.isMissing, attempt < 1_000 else { throw .file(path, error) }
            }
            let outer = folder.file(String(link.date.outer))
            for path in [folder.path, outer, "\(outer)/\(link.date.inner)"] {
                do {
                    try SystemFile.makeFolder(path)
                } catch {
                    if !error.isThereAlready, !error.isMissing { throw .file(path, error) }
                    // The store's own folder is gone.
                    if error.isMissing, path == folder.path { throw .file(path, error) }
                }
            }
        }
    }

    /// Removes the folders of a link if they are empty.
    private func removeFolders(of link: Link) {
        let outer = folder.file(String(link.date.outer))
        do {
            try SystemFile.removeFolder("\(outer)/\(link.date.inner)")
            try SystemFile.removeFolder(outer)
        } catch {}
    }
}

extension DatedLinks.Link {
    /// Parses the path of a link below the folder; `nil` for other paths.
    fileprivate init?(_ path: String) {
        let digits = path.prefix(16)
        let parts = path.dropFirst(17).split(separator: ".", maxSplits: 3).map(String.init)
        guard digits.utf8.count == 16, path.dropFirst(16).first == ".", parts.count == 4 else { return nil }
        date = DatedLinks.SortableDate(digits: String(digits))
        label = DatedLinks.Label(mark: parts[0], workflow: parts[1], version: parts[2], file: parts[3])
    }
}
