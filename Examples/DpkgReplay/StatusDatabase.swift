import Foundation

/// dpkg's own record of what is installed: `/var/lib/dpkg/status`.
struct StatusDatabase {
    struct Entry {
        let name: String
        let architecture: String?
        let state: String
        let version: String?
    }

    private let entries: [String: [Entry]]

    init(path: String) throws(Refused) {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Refused("\(path) cannot be read: \(Refused.explanation(of: error))")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let entries = text.split(separator: "\n\n").compactMap(Self.entry)
        guard !entries.isEmpty || bytes.isEmpty else { throw Refused("\(path) is no status database of dpkg.") }
        self.entries = Dictionary(grouping: entries, by: \.name)
    }

    private static func entry(of stanza: Substring) -> Entry? {
        var fields: [Substring: Substring] = [:]
        for line in stanza.split(separator: "\n") where line.first != " " && line.first != "\t" {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon]] = line[line.index(after: colon)...].drop { $0 == " " }
        }
        guard let name = fields["Package"], let state = fields["Status"]?.split(separator: " ").last else { return nil }
        return Entry(
            name: String(name),
            architecture: fields["Architecture"].map(String.init),
            state: String(state),
            version: fields["Version"].map(String.init)
        )
    }

    /// What dpkg has on record of a package; `nil` if it has nothing.
    subscript(package: String) -> Entry? {
        if let (name, architecture) = Replay.parts(of: package) {
            let candidates = entries[name] ?? []
            return candidates.first { $0.architecture == architecture } ?? candidates.first { $0.architecture == nil }
        }
        return entries[package]?.first
    }

    /// Why the record differs from where a package ended in the log; `nil` if both agree.
    func difference(from state: PackageState) -> String? {
        let ended = "\(type(of: state).name)\(state.facts.version.map { " " + $0 } ?? "")"
        guard let entry = self[state.facts.package], entry.state != NotInstalledState.name else {
            return state is NotInstalledState ? nil : "ended as \(ended), dpkg does not know it"
        }
        guard entry.state != type(of: state).name || entry.version != state.facts.version else { return nil }
        return "ended as \(ended), dpkg says \(entry.state)\(entry.version.map { " " + $0 } ?? "")"
    }
}
