import Heraclitus
package import HeraclitusEssentials

// Workers find and share waiting machines by links.

/// A link that a worker may claim.
struct Candidate: Sendable {
    let kind: DirectoryIndex.Kind
    let link: DatedLinks.Link
}

/// The links that a worker looks for, in pages.
private struct CandidateList {
    static let pageSize = 1_000

    let index: DirectoryIndex
    let wanted: Wanted
    let now: DatedLinks.SortableDate
    private let queue: DatedLinks.SortableDate
    private var last: [DirectoryIndex.Kind: DatedLinks.Link] = [:]
    private var rest: [DirectoryIndex.Kind]

    init(_ index: DirectoryIndex, _ wanted: Wanted, _ claim: StoreClaim) {
        (self.index, self.wanted) = (index, wanted)
        (queue, now) = (claim.query.queueDate, .init(claim.now))
        // A machine with an expired claim waits as if it were due since the end of the claim.
        rest = wanted.isForEffects ? [.effects] : [.due, .claimed]
    }

    /// The latest date of claimable links.
    func latest(of kind: DirectoryIndex.Kind) -> DatedLinks.SortableDate { kind == .claimed ? now : queue }

    /// The next links, in the order of their dates; `nil` at the end.
    mutating func next() throws(ArchiveError) -> ArraySlice<Candidate>? {
        guard !rest.isEmpty else { return nil }
        var page: [Candidate] = []
        for kind in rest {
            let links = try index.links(kind)
                .links(upTo: latest(of: kind), after: last[kind], limit: Self.pageSize, where: wanted.includes)
            if links.count < Self.pageSize { rest.removeAll { $0 == kind } }
            last[kind] = links.last
            page += links.map { Candidate(kind: kind, link: $0) }
        }
        page.sort { $0.link.date < $1.link.date }
        return page[...]
    }
}

extension DirectoryStore {
    /// The waiting machines, without their archives.
    func waiting(_ query: ArchiveQuery) throws -> [StoredArchive] {
        try look()
        let wanted = Wanted(query)
        var rows: [ExactID: StoredArchive] = [:]
        func add(_ candidate: Candidate) throws -> Bool {
            guard let row = try file(of: candidate)?.row, query.includes(row) else { return false }
            rows[ExactID(row.id)] = row
            return true
        }
        if !wanted.isForEffects {
            // The link of a claimed machine has the date when the claim ends.
            let links = index.links(.claimed)
            for link in try links.links(upTo: .last, where: wanted.includes) {
                _ = try add(Candidate(kind: .claimed, link: link))
            }
        }
        let kind = wanted.isForEffects ? DirectoryIndex.Kind.effects : .due
        var found = 0
        var last: DatedLinks.Link?
        while true {
            let page = try index.links(kind)
                .links(upTo: query.queueDate, after: last, limit: CandidateList.pageSize, where: wanted.includes)
            for link in page {
                // Links of one date are in another order than the ids of their machines.
                if found >= query.limit, link.date != last?.date { return query.sorted(rows.values) }
                if try add(Candidate(kind: kind, link: link)) { found += 1 }
                last = link
            }
            if page.count < CandidateList.pageSize { return query.sorted(rows.values) }
        }
    }

    /// The date at which the next machine waits for a worker, or an earlier claim ends; read from the index alone.
    package func nextDate(_ query: ArchiveQuery, after date: Date) async throws -> Date? {
        try look()
        let wanted = Wanted(query)
        let last = DatedLinks.Link(date: .init(date), label: .last)
        let kinds: [DirectoryIndex.Kind] = wanted.isForEffects ? [.effects] : [.due, .claimed]
        let next = try kinds.compactMap { kind in
            try index.links(kind).links(upTo: .last, after: last, limit: 1, where: wanted.includes).first?.date
        }
        return next.min()?.date
    }

    /// Claims machines for a worker.
    ///
    /// A claim of a due machine moves its link. A lease of effects replaces the file without a sync of the folder, so a
    /// loss of power may undo the lease.
    package func claim(_ claim: StoreClaim) async throws -> [StoredArchive] {
        try look()
        let wanted = Wanted(claim.query)
        var list = CandidateList(index, wanted, claim)
        index.forgetClaims(endedBy: list.now)
        // The untaken candidates of an earlier claim come first, then the current ones.
        var found = candidates.withLock { $0.removeValue(forKey: wanted) } ?? []
        var busy: [Candidate] = []
        var claimed: [StoredArchive] = []
        var failure: (any Error)?
        var failures = 0
        // An inaccessible file must not keep workers from the machines after it. After many in a row, the medium fails.
        func tryTaking(_ candidate: Candidate, ifBusy: (() -> Void)?) throws {
            do {
                if let archive = try take(candidate, claim, ifBusy: ifBusy) { claimed.append(archive) }
                failures = 0
            } catch {
                (failure, failures) = (failure ?? error, failures + 1)
                if failures == 1_000 { throw error }
            }
        }
        do {
            while claimed.count < claim.query.limit {
                guard let candidate = found.popFirst() else {
                    guard let page = try list.next() else { break }
                    found = page
                    continue
                }
                guard candidate.link.date <= list.latest(of: candidate.kind) else { continue }
                try tryTaking(candidate) { busy.append(candidate) }
            }
            for candidate in busy where claimed.count < claim.query.limit {
                try tryTaking(candidate, ifBusy: nil)
            }
        } catch {
            failure = failure ?? error
        }
        // Throwing would leave the machines claimed until the claims end. A lasting error is thrown by the next claim.
        if claimed.isEmpty, let failure { throw failure }
        candidates.withLock { candidates in
            // Candidates are kept for a few kinds of workers; other workers list the links each time.
            if candidates.count < 100 { candidates[wanted] = found.isEmpty ? nil : found }
        }
        return claimed
    }

    /// Claims a machine; `nil` if it is unwanted or unreadable, or another worker was faster.
    private func take(
        _ candidate: Candidate,
        _ claim: StoreClaim,
        ifBusy: (() -> Void)?
    ) throws -> StoredArchive? {
        do {
            return try candidate.kind == .effects ? lease(candidate, claim, ifBusy) : claimDue(candidate, claim)
        } catch StoreError.damaged, StoreError.ambiguousID, ArchiveError.tooLarge {
            return nil
        }
    }

    private func claimDue(_ candidate: Candidate, _ claim: StoreClaim) throws -> StoredArchive? {
        let (kind, link) = (candidate.kind, candidate.link)
        let end = DatedLinks.SortableDate(claim.end)
        guard try index.claim(link, kind, until: end) else { return nil }
        do {
            let file = try files.file(of: link.label.file, link.label.file)
            let isOfFile = DirectoryIndex.isLink(link, kind, of: file, in: link.label.file)
            if isOfFile, let row = file?.row, claim.query.includes(row) { return row }
            // The link may belong to a file that another process is about to put in place.
            index.giveBack(link, kind, until: end)
            if !isOfFile { try mend(candidate) }
            return nil
        } catch {
            index.giveBack(link, kind, until: end)
            throw error
        }
    }

    private func lease(_ candidate: Candidate, _ claim: StoreClaim, _ ifBusy: (() -> Void)?) throws -> StoredArchive? {
        let name = candidate.link.label.file
        // A lock holder waits for the disk, so other workers go on with the next machine.
        guard let lock = try ifBusy == nil ? files.lock(name) : files.lockIfFree(name) else {
            ifBusy?()
            return nil
        }
        let beginning = try files.header(of: name)
        guard DirectoryIndex.isLink(candidate.link, .effects, of: beginning, in: name) else {
            try mendLocked(candidate)
            return nil
        }
        guard let row = try files.file(of: name, name)?.row, let leased = claim.leased(row) else { return nil }
        let change = StoreChange.effects(of: row.id, (row.effects, leased))
        let planned = try files.plan(change, in: name, lock)
        try replace(planned, in: name, isLasting: false)
        _ = consume lock
        return planned.new?.row
    }

    // MARK: - The index and the files

    /// The first line of a link's file; `nil` if the file is missing or the link is stale.
    private func file(of candidate: Candidate) throws -> DirectoryFile? {
        let name = candidate.link.label.file
        let file = try files.header(of: name)
        guard DirectoryIndex.isLink(candidate.link, candidate.kind, of: file, in: name) else {
            try mend(candidate)
            return nil
        }
        // An earlier release keeps the type of the effect in the archive.
        return try file?.isFormer == true ? files.file(of: name, name) : file
    }

    /// Removes a stale link and makes missing ones, unless the file is locked.
    private func mend(_ candidate: Candidate) throws {
        guard let lock = try files.lockIfFree(candidate.link.label.file) else { return }
        try mendLocked(candidate)
        _ = consume lock
    }

    private func mendLocked(_ candidate: Candidate) throws {
        let name = candidate.link.label.file
        let file = try files.header(of: name)
        // A damaged file keeps its links for a later repair.
        if file == nil, try !files.isMissing(name) { return }
        try index.mend(file, in: name, without: (candidate.kind, candidate.link))
    }

    /// Completes a transaction, and compares the index with all files at the first look and from time to time.
    private func look() throws {
        try files.transaction.complete()
        let now = ContinuousClock.now
        if let next = nextRepair.withLock({ $0 }), now < next { return }
        try repair()
        let end = ContinuousClock.now
        // The interval keeps repairs below a thousandth of the time.
        nextRepair.withLock { $0 = end + max(.seconds(600), (end - now) * 2_000) }
    }

    /// Makes missing links of files from earlier releases, and links lost with the power.
    private func repair() throws {
        var incomplete: [String] = []
        let known = try index.all()
        for name in try files.folder.names() where FileName.isOne(name) {
            // An unreadable file is skipped, so that the others are found.
            guard let file = try? files.header(of: name) else { continue }
            if !index.isComplete(file, in: name, known) { incomplete.append(name) }
        }
        guard !incomplete.isEmpty else { return }
        // Other processes have changed links in between.
        let knownNow = try index.all()
        for name in incomplete {
            let lock = try files.lock(name)
            if let file = try files.header(of: name), !index.isComplete(file, in: name, knownNow) {
                try index.mend(file, in: name)
            }
            _ = consume lock
        }
    }
}

extension ArchiveQuery {
    /// The latest date for which a query wants waiting machines.
    fileprivate var queueDate: DatedLinks.SortableDate {
        queue.map { DatedLinks.SortableDate($0.date) } ?? .last
    }

    /// Sorts rows in the promised order, up to the limit.
    fileprivate func sorted(_ rows: some Collection<StoredArchive>) -> [StoredArchive] {
        let byID = Dictionary(rows.map { (ExactID($0.id), $0) }) { first, _ in first }
        return ids(among: rows).compactMap { byID[ExactID($0)] }
    }
}
