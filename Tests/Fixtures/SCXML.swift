import Foundation
import Heraclitus
import HeraclitusInspecting

extension TransitionTable {
    /// Reads a document in SCXML from a text.
    init(scxml document: String, version: Int = 1) throws(ArchiveError) {
        try self.init(scxml: Data(document.utf8), version: version, limit: .max)
    }
}

extension ArchiveError {
    /// The problems of a malformed document in SCXML, which its text lists.
    var problems: [(line: Int, name: String, explanation: String)] {
        guard case .malformed(let path, let explanation) = self else { return [] }
        return "\(path): \(explanation)".split(separator: "\n  ").compactMap { text in
            guard let found = text.wholeMatch(of: /(?s)line (\d+), (.*?): (.*)/), let line = Int(found.1) else {
                return nil
            }
            return (line, String(found.2), String(found.3))
        }
    }
}
