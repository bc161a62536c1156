/// A line of dpkg's log, as far as it is understood.
struct LogLine {
    enum Content {
        /// A run of dpkg begins.
        case startup
        case action(Action.Kind, package: String, old: String?, new: String?)
        case status(PackageState.Type, package: String, version: String?)
        /// The user was asked what to do with a configuration file.
        case conffile
    }

    /// Date and time as written, in whatever time zone dpkg was run.
    let time: String
    let content: Content

    /// Reads a line; `nil` for one that dpkg does not write.
    init?(_ text: String) {
        let fields = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 3, Self.isPattern("0000-00-00", fields[0]), Self.isPattern("00:00:00", fields[1]) else {
            return nil
        }
        time = fields[0] + " " + fields[1]
        let rest = fields[3...]
        switch fields[2] {
        case "startup" where rest.count == 2:
            content = .startup
        case "conffile" where rest.count >= 2:
            content = .conffile
        case "status":
            guard rest.count == 3, let state = PackageState.byWord[rest[3]], Self.isName(rest[4]), !rest[5].isEmpty
            else {
                return nil
            }
            content = .status(state, package: rest[4], version: Self.version(rest[5]))
        default:
            guard let kind = Action.Kind(rawValue: fields[2]), rest.count == 3, Self.isName(rest[3]), !rest[4].isEmpty,
                !rest[5].isEmpty
            else { return nil }
            content = .action(kind, package: rest[3], old: Self.version(rest[4]), new: Self.version(rest[5]))
        }
    }

    /// `<none>`, or what it is in other languages.
    private static func version(_ text: String) -> String? {
        text.hasPrefix("<") && text.hasSuffix(">") ? nil : text
    }

    /// Whether a text has digits where the pattern has zeros, and else its characters.
    private static func isPattern(_ pattern: String, _ text: String) -> Bool {
        text.utf8.count == pattern.utf8.count
            && zip(pattern.utf8, text.utf8).allSatisfy { wanted, found in
                wanted == UInt8(ascii: "0") ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(found) : wanted == found
            }
    }

    /// Whether a text may name a package, perhaps with its architecture.
    private static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        return first.isASCII && first.properties.isAlphabetic || ("0"..."9").contains(first)
    }
}
