import HeraclitusEssentials

// The form of a journal in an archive.
//
//     {"began":"…","dropped":3,"lines":[{"date":"…","event":"pay","kind":"transitioned",…}],"limit":100,"series":8101…}
//
// Lines omit data of the archive: the workflow, and the text of a transition.

package struct ArchivedJournal: Codable {
    private let limit: Int
    private let dropped: Int?
    private let began: Date?
    private let series: Int?
    private let lines: [Line]

    private enum CodingKeys: CodingKey {
        case limit, dropped, began, series, lines
    }

    private struct Line: Codable {
        let occurrence: Occurrence

        init(_ occurrence: Occurrence) { self.occurrence = occurrence }

        // The archive, which is read first, has the workflow's name.
        init(from decoder: any Decoder) throws { occurrence = try Occurrence(from: decoder, in: "") }

        func encode(to encoder: any Encoder) throws { try occurrence.encode(to: encoder, isInArchive: true) }
    }

    init(_ journal: Journal) {
        limit = journal.limit
        dropped = journal.droppedCount > 0 ? journal.droppedCount : nil
        began = journal.droppedCount > 0 ? journal.began : nil
        series = journal.series
        lines = journal.lines.map(Line.init)
    }

    /// The journal of a machine of the workflow.
    package func journal(of workflow: String) -> Journal {
        let lines = lines.map { line in line.occurrence.recorded { $0.workflow = workflow } }
        return Journal(
            limit: limit,
            lines: lines,
            droppedCount: dropped ?? 0,
            began: began ?? lines.first?.date,
            series: series
        )
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let limit = try container.decode(Int.self, forKey: .limit)
        let dropped = try container.decodeIfPresent(Int.self, forKey: .dropped) ?? 0
        for (key, number, least) in [(CodingKeys.limit, limit, 1), (.dropped, dropped, 0)]
        where !(least...MachineCore.largestRevision).contains(number) {
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: container,
                debugDescription: "\(number) is not a number of lines."
            )
        }
        self.limit = limit
        self.dropped = dropped > 0 ? dropped : nil
        began = try container.decodeIfPresent(Date.self, forKey: .began)
        series = try container.decodeIfPresent(Int.self, forKey: .series)
        lines = try container.decode([Line].self, forKey: .lines)
    }
}
