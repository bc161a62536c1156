import Heraclitus
import HeraclitusEssentials

/// An index of the machines that wait for a worker, by date.
///
/// Each machine with a deadline has a link at that date. Each machine with effects has a link at the date from which
/// the next effect may run. A save makes the new links before it replaces the file, and removes the old links
/// afterwards. A killed process therefore leaves at most a superfluous link, which readers detect as stale. Claiming a
/// due machine moves its link to the end of the claim.
final class DirectoryIndex: Sendable {
    typealias Link = DatedLinks.Link
    typealias Label = DatedLinks.Label

    /// A kind of links.
    enum Kind: String, Sendable {
        case due, claimed, effects
    }

    private let folder: Folder

    /// The places to which this process has moved the links of its claimed machines.
    private let claims = Lock<[Label: Link]>([:])

    init(in folder: Folder) { self.folder = folder }

    /// The links of a kind.
    func links(_ kind: Kind) -> DatedLinks { DatedLinks(Folder(path: folder.file(kind.rawValue))) }

    /// The link of a row; `nil` if no work of the row waits.
    ///
    /// The link of a claimed machine has the same label, at the date when the claim ends.
    static func link(_ kind: Kind, of file: DirectoryFile?, in name: String) -> Link? {
        guard let file else { return nil }
        let row = file.row
        func link(_ date: Date, _ mark: String) -> Link {
            let label = Label(
                mark: mark,
                workflow: Wanted.tag(of: row.workflow),
                version: Wanted.tag(of: row.version),
                file: name
            )
            return Link(date: .init(date), label: label)
        }
        switch kind {
        case .due, .claimed:
            // Each save ends a claim.
            return row.due.map { link($0, String(row.revision, radix: 16)) }
        case .effects:
            return row.effects.map { link($0.date, file.isFormer ? Wanted.anyTag : Wanted.tag(ofEffect: $0.next)) }
        }
    }

    /// Makes the links of a new file before it replaces the old one.
    func prepare(_ new: DirectoryFile, replacing old: DirectoryFile?, in name: String) throws(ArchiveError) {
        for kind in [Kind.due, .effects] {
            let link = Self.link(kind, of: new, in: name)
            if let link, link != Self.link(kind, of: old, in: name) { try links(kind).add(link) }
        }
    }

    /// Removes the links of a replaced file.
    func finish(_ new: DirectoryFile?, replacing old: DirectoryFile?, in name: String) {
        for kind in [Kind.due, .effects] {
            guard let link = Self.link(kind, of: old, in: name), link != Self.link(kind, of: new, in: name) else {
                continue
            }
            if kind == .due, let claimed = claims.withLock({ $0.removeValue(forKey: link.label) }) {
                links(.claimed).remove(claimed)
            } else {
                links(kind).remove(link)
            }
        }
    }

    /// Moves the link of a due machine to the end of a claim.
    ///
    /// If several workers try it, one succeeds.
    func claim(_ link: Link, _ kind: Kind, until end: DatedLinks.SortableDate) throws(ArchiveError) -> Bool {
        guard try links(kind).move(link, to: links(.claimed), at: end) else { return false }
        claims.withLock { $0[link.label] = Link(date: end, label: link.label) }
        return true
    }

    /// Moves the link of a claimed machine back.
    func giveBack(_ link: Link, _ kind: Kind, until end: DatedLinks.SortableDate) {
        claims.withLock { $0[link.label] = nil }
        _ = try? links(.claimed).move(Link(date: end, label: link.label), to: links(kind), at: link.date)
    }

    /// Forgets expired claims, whose links other processes may have moved.
    func forgetClaims(endedBy date: DatedLinks.SortableDate) {
        claims.withLock { claims in claims = claims.filter { $0.value.date > date } }
    }

    /// Makes missing links of a locked file, and removes a stale one.
    func mend(_ file: DirectoryFile?, in name: String, without stale: (Kind, Link)? = nil) throws(ArchiveError) {
        if let (kind, link) = stale, !Self.isLink(link, kind, of: file, in: name) { links(kind).remove(link) }
        if let link = Self.link(.effects, of: file, in: name) { try links(.effects).add(link) }
        if let link = Self.link(.due, of: file, in: name), try !isClaimed(link.label) { try links(.due).add(link) }
    }

    /// Whether a link belongs to the current file.
    static func isLink(_ link: Link, _ kind: Kind, of file: DirectoryFile?, in name: String) -> Bool {
        guard let own = Self.link(kind, of: file, in: name) else { return false }
        return kind == .claimed ? own.label == link.label : own == link
    }

    private func isClaimed(_ label: Label) throws(ArchiveError) -> Bool {
        try !links(.claimed).links(upTo: .last, where: { $0 == label }).isEmpty
    }

    /// All links of all files, to compare them with the files.
    func all() throws(ArchiveError) -> Set<Link> {
        var all = Set(try links(.effects).links(upTo: .last))
        // Claims move links during the search, so claimed links are read twice.
        for kind in [Kind.claimed, .due, .claimed] {
            for link in try links(kind).links(upTo: .last) {
                all.insert(kind == .due ? link : Self.withoutDate(link.label))
            }
        }
        return all
    }

    /// Whether all links of a file exist.
    func isComplete(_ file: DirectoryFile, in name: String, _ all: Set<Link>) -> Bool {
        if let link = Self.link(.effects, of: file, in: name), !all.contains(link) { return false }
        guard let link = Self.link(.due, of: file, in: name) else { return true }
        return all.contains(link) || all.contains(Self.withoutDate(link.label))
    }

    /// The link of a claimed machine, regardless of the end of its claim.
    private static func withoutDate(_ label: Label) -> Link { Link(date: .last, label: label) }
}

/// The machines that a worker looks for, as far as the names of links tell.
struct Wanted: Hashable, Sendable {
    let isForEffects: Bool
    private let workflows: Set<String>?
    private let effects: Set<String>?
    private let versions: ClosedRange<Int>

    /// The tag that matches every name.
    static let anyTag = "any"

    init(_ query: ArchiveQuery) {
        workflows = query.workflows.map { Set($0.map(Self.tag)) }
        if case .effects(_, let names) = query.queue {
            isForEffects = true
            effects = names.map { Set($0.map(Self.tag)).union([Self.anyTag]) }
        } else {
            isForEffects = false
            effects = nil
        }
        let oldest = Self.limited(query.oldestVersion ?? .min)
        versions = oldest...max(oldest, Self.limited(query.newestVersion ?? .max))
    }

    func includes(_ label: DatedLinks.Label) -> Bool {
        if let workflows, !workflows.contains(label.workflow) { return false }
        if let effects, !effects.contains(label.mark) { return false }
        return versions.contains(Int(label.version, radix: 16) ?? 1)
    }

    /// A hash of a text with 32 bits.
    static func tag(of text: String) -> String {
        let hash = text.utf8.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return String(hash, radix: 16)
    }

    static func tag(ofEffect name: String?) -> String { name.map(tag) ?? "none" }

    /// The tag of a version; 1 if an earlier release has stored no version.
    static func tag(of version: Int?) -> String { String(limited(version ?? 1), radix: 16) }

    /// Larger versions exceed the name of a link; the file has the exact version.
    private static func limited(_ version: Int) -> Int { min(max(0, version), 0xFFFF_FFFF) }
}
