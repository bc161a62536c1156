import Foundation
import HeraclitusStores

extension PostgresConnection {
    /// A claimed row.
    private struct Claimed {
        var archive: StoredArchive

        /// The date since which the machine has waited.
        let date: Double

        /// Whether an earlier release stored the effects within the archive.
        let hasFormerEffects: Bool

        static func isBefore(_ left: Claimed, _ right: Claimed) -> Bool {
            if left.date != right.date { return left.date < right.date }
            return left.archive.id.utf8.lexicographicallyPrecedes(right.archive.id.utf8)
        }
    }

    /// Claims machines with one statement for each name of the workflow; most workflows have one name.
    ///
    /// The statement skips locked rows. The result leaves out an unreadable row, which stays claimed so that later rows get their turn.
    func claim(_ claim: StoreClaim) throws -> [StoredArchive] {
        var archives: [StoredArchive] = []
        let names: [[String]?] = claim.query.workflows?.map { [$0] } ?? [nil]
        for workflows in names {
            while archives.count < claim.query.limit {
                var part = claim
                part.query.workflows = workflows
                part.query.limit -= archives.count
                let (claimed, rows) = try claimOnce(part)
                for row in claimed.sorted(by: Claimed.isBefore) {
                    if row.hasFormerEffects {
                        if let archive = try split(row, part) { archives.append(archive) }
                    } else {
                        archives.append(row.archive)
                    }
                }
                // Claim again at once if the batch was full and some of its rows were unreadable. A claim that ends at once would return the same
                // rows again.
                let isComplete = claimed.count == rows || claimed.contains(where: \.hasFormerEffects)
                if rows < part.query.limit || isComplete || claim.end <= claim.now { break }
            }
        }
        return archives
    }

    private func claimOnce(_ claim: StoreClaim) throws -> (claimed: [Claimed], rows: Int) {
        guard var condition = ArchiveCondition(claim.query) else { return ([], 0) }
        let end = PostgresValue.date(claim.end)
        let (waiting, change): (String, String)
        switch claim.query.queue {
        case .due?, nil:
            condition.add(
                "(claimed is null or claimed <= cast(\(condition.parameter(.date(claim.now))) as double precision))"
            )
            (waiting, change) = ("due", "claimed = \(condition.parameter(end))")
        case .effects?:
            let worker = condition.parameter(.text(claim.worker))
            (waiting, change) = (
                "effects_date", "effects_worker = \(worker), effects_date = \(condition.parameter(end))"
            )
        }
        let columns = Statements.columns.map { "machines.\($0)" }.joined(separator: ", ")
        // A common table expression locks the rows once, before the update. PostgreSQL might evaluate a subquery in the condition again for each row.
        let sql = """
            with waiting as (
            select id, id_hash, \(waiting) as since from machines where \(condition.sqlInOrder()) for update skip locked
            )
            update machines set \(change) from waiting
            where machines.id = waiting.id and machines.id_hash = waiting.id_hash returning \(columns), waiting.since
            """
        var claimed: [Claimed] = []
        let rows = try run(Command(sql, condition.parameters)) {
            guard let start = bytes(0), let rest = bytes(1), let id = StoredID.text(start, rest),
                StoredID(id).bytes.beginning == start, let date = real(15),
                let archive = try? archive(of: id)
            else { return }
            claimed.append(Claimed(archive: archive, date: date, hasFormerEffects: isNull(11) && !isNull(13)))
        }
        return (claimed, rows)
    }

    /// Moves the effects of a claimed row of an earlier release to their own columns; `nil` if the claim is for other effects.
    private func split(_ row: Claimed, _ claim: StoreClaim) throws -> StoredArchive? {
        var archive = row.archive
        guard case .effects(_, let names)? = claim.query.queue else { return archive }
        let isWanted = names.map { names in archive.effects?.next.map(names.contains) == true } ?? true
        if !isWanted {
            let since = Date(timeIntervalSinceReferenceDate: row.date)
            archive.effects = archive.effects.map {
                WaitingEffects(content: $0.content, next: $0.next, date: since, worker: nil)
            }
        }
        try split(archive, StoredID(archive.id), date: .date(claim.end), worker: .text(claim.worker))
        return isWanted ? archive : nil
    }
}
