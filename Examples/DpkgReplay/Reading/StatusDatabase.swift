/// dpkg's record of installed packages: `/var/lib/dpkg/status`.
struct StatusDatabase {
    struct Entry {
        let name: String
        let architecture: String?
        let state: String
        let version: String?
    }

    private let entries: [String: [Entry]]

    init(path: String) throws(Refused) {
        var entries: [Entry] = []
        var stanza = Stanza()
        var reader = LineReader(try ByteSource(path))
        var isEmpty = true
        func take(_ bytes: [UInt8], _ line: Range<Int>) {
            isEmpty = false
            if !line.isEmpty { return stanza.take(bytes, line) }
            if let entry = stanza.entry { entries.append(entry) }
            stanza = Stanza()
        }
        repeat {
            while let line = reader.next() { take(reader.bytes, line.range) }
        } while try reader.fill()
        if let line = reader.half() { take(reader.bytes, line.range) }
        if let entry = stanza.entry { entries.append(entry) }
        guard !entries.isEmpty || isEmpty else { throw Refused("\(path) is no status database of dpkg.") }
        self.entries = Dictionary(grouping: entries, by: \.name)
    }

    /// dpkg's record of a package; `nil` if there is none.
    subscript(package: String) -> Entry? {
        let name = Packages.bare(package)
        guard name.endIndex != package.endIndex else { return entries[package]?.first }
        let architecture = package[name.endIndex...].dropFirst()
        let candidates = entries[String(name)] ?? []
        return candidates.first { $0.architecture.map { $0 == architecture } ?? false }
            ?? candidates.first { $0.architecture == nil }
    }

    /// The difference between the record and a package's last state in the log; `nil` if both agree.
    func difference(from state: PackageState) -> String? {
        let ended = "\(type(of: state).name)\(state.facts.version.map { " " + $0 } ?? "")"
        guard let entry = self[state.facts.package], entry.state != NotInstalledState.name else {
            return state is NotInstalledState ? nil : "ended as \(ended), dpkg does not know it"
        }
        guard entry.state != type(of: state).name || entry.version != state.facts.version else { return nil }
        return "ended as \(ended), dpkg says \(entry.state)\(entry.version.map { " " + $0 } ?? "")"
    }

    /// The number of installed packages outside a set.
    func countOfOthers(than states: [PackageState]) -> Int {
        let mentioned = Set(states.map(\.facts.package))
        return entries.values.joined().count { entry in
            entry.state != NotInstalledState.name && !mentioned.contains(entry.name)
                && !mentioned.contains("\(entry.name):\(entry.architecture ?? "")")
        }
    }
}

/// The fields of one package, in their order.
private struct Stanza {
    private var name: String?
    private var state: String?
    private var architecture: String?
    private var version: String?

    var entry: StatusDatabase.Entry? {
        guard let name, let state else { return nil }
        return .init(name: name, architecture: architecture, state: state, version: version)
    }

    mutating func take(_ bytes: [UInt8], _ line: Range<Int>) {
        switch bytes[line.lowerBound] {
        // The first byte excludes most lines.
        case UInt8(ascii: "P"): name = Self.value(of: "Package", bytes, line) ?? name
        case UInt8(ascii: "S"):
            state = Self.value(of: "Status", bytes, line)?.split(separator: " ").last.map(String.init) ?? state
        case UInt8(ascii: "A"): architecture = Self.value(of: "Architecture", bytes, line) ?? architecture
        case UInt8(ascii: "V"): version = Self.value(of: "Version", bytes, line) ?? version
        default: break
        }
    }

    private static func value(of field: StaticString, _ bytes: [UInt8], _ line: Range<Int>) -> String? {
        let length = field.utf8CodeUnitCount
        guard line.count > length, bytes[line.lowerBound + length] == UInt8(ascii: ":"),
            field.withUTF8Buffer({ unsafe $0.elementsEqual(bytes[line.prefix(length)]) })
        else { return nil }
        let value = bytes[line.dropFirst(length + 1)].drop { $0 == UInt8(ascii: " ") }
        return String(decoding: value, as: UTF8.self)
    }
}
