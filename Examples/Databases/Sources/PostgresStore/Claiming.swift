import Foundation
import HeraclitusStores

extension PostgresConnection {
    /// A row that was claimed.
    private struct Claimed {
        var archive: StoredArchive

        /// Since when the machine has waited.
        let date: Double

        /// Whether the effects are still within the archive, as an earlier release kept them.
        let hasFormerEffects: Bool

        static func isBefore(_ left: Claimed, _ right: Claimed) -> Bool {
            if left.date != right.date { return left.date < right.date }
            return left.archive.id.utf8.lexicographicallyPrecedes(right.archive.id.utf8)
        }
    }

    /// Claims machines: one statement for each name of the workflow, which has mostly one.
    ///
    /// Rows that others have locked are skipped. A row that cannot be loaded is left out; it stays claimed, or it would hold up those after it.
    func claim(_ claim: StoreClaim) throws -> [StoredArchive] {
        var archives: [StoredArchive] = []
        for workflow in claim.workflows {
            while archives.count < claim.limit {
                var part = claim
                part.workflows = [workflow]
                part.limit = claim.limit - archives.count
                let (claimed, rows) = try claimOnce(part)
                for row in claimed.sorted(by: Claimed.isBefore) {
                    if row.hasFormerEffects {
                        if let archive = try split(row, part) { archives.append(archive) }
                    } else {
                        archives.append(row.archive)
                    }
                }
                // Only if some of as many rows as possible could not be loaded, those after them are of interest at once.
                // A claim that ends at once would get the same rows again.
                let isComplete = claimed.count == rows || claimed.contains(where: \.hasFormerEffects)
                if rows < part.limit || isComplete || claim.end <= claim.now { break }
            }
        }
        return archives
    }

    private func claimOnce(_ claim: StoreClaim) throws -> (claimed: [Claimed], rows: Int) {
        guard var condition = ArchiveCondition(claim.query) else { return ([], 0) }
        let end = PostgresValue.date(claim.end)
        let (waiting, change): (String, String)
        switch claim.queue {
        case .due:
            condition.add(
                "(claimed is null or claimed <= cast(\(condition.parameter(.date(claim.now))) as double precision))"
            )
            (waiting, change) = ("due", "claimed = \(condition.parameter(end))")
        case .effects:
            let worker = condition.parameter(.text(claim.worker))
            (waiting, change) = (
                "effects_date", "effects_worker = \(worker), effects_date = \(condition.parameter(end))"
            )
        }
        let columns = Statements.columns.map { "machines.\($0)" }.joined(separator: ", ")
        // The rows are locked once, before any is changed: a query within the condition might be done again for each row.
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

    /// Writes a claimed row of an earlier release with the effects in their own columns, and gives it back if the claim is not for them.
    private func split(_ row: Claimed, _ claim: StoreClaim) throws -> StoredArchive? {
        var archive = row.archive
        guard case .effects(_, let names) = claim.queue else { return archive }
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
