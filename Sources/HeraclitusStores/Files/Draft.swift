import Heraclitus

/// A file that is to replace another one beside it.
///
/// The draft's name has the beginning of the other file's name, a random number, and a check number computed from both.
/// Files of users therefore never match. A writer holds the draft's lock; an unlocked draft was left by a dead process.
struct Draft {
    private static let suffix = ".tmp"
    private static let digits = 16

    let path: String

    /// A new draft of the file at a path.
    init(of path: String) {
        let number = Self.hexadecimal(UInt64.random(in: 0...UInt64.max))
        let name = Folder.name(of: path)
        let folder = String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self)
        self.path = "\(folder)\(Self.beginning(of: name)).\(number)-\(Self.check(name, number))\(Self.suffix)"
    }

    /// Removes the drafts of a file that have no writer.
    ///
    /// Errors of the removal are ignored.
    static func sweep(of path: String) {
        let folder = Folder(of: path)
        let target = Folder.name(of: path)
        guard let names = try? folder.names() else { return }
        for name in names where isDraft(name, of: target) { removeIfFree(folder.file(name)) }
    }

    private static func removeIfFree(_ path: String) {
        guard let file = try? SystemFile(path, for: .readingInFolder) else { return }
        if file.lockIfFree(), file.isAt(path) { try? SystemFile.remove(path) }
    }

    private static func isDraft(_ name: String, of target: String) -> Bool {
        let beginning = beginning(of: target)
        guard name.hasPrefix(beginning + "."), name.hasSuffix(suffix) else { return false }
        let parts = name.dropFirst(beginning.count + 1).dropLast(suffix.count).split(separator: "-")
        guard parts.count == 2, parts[0].utf8.count == digits else { return false }
        return parts[1] == check(target, String(parts[0]))
    }

    /// The beginning of a file's name that leaves room for the rest: a name has at most 255 bytes.
    private static func beginning(of name: String) -> String {
        let room = 255 - suffix.utf8.count - 2 * digits - 2
        // The name is cut between code points, because some file systems reject others.
        var beginning = name.unicodeScalars
        while String(beginning).utf8.count > room { beginning.removeLast() }
        return String(beginning)
    }

    /// FNV-1a of the file's name and a random number.
    private static func check(_ name: String, _ number: String) -> String {
        hexadecimal(
            (name + number).utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        )
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
