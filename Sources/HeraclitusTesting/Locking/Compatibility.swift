import Foundation
import Heraclitus

/// What has become unreadable, or would be lost, of what one version has stored.
struct Compatibility<W: Workflow> {
    let lock: ArchiveLock
    let today: ArchiveLock
    let initial: String
    let except: Set<String>

    /// The machines in the archives of the lock, as migrations leave them, and in those of today.
    let storedMachines: [StoredMachine]
    let machinesOfToday: [StoredMachine]

    init(_ lock: ArchiveLock, _ today: ArchiveLock, initial: String, except: Set<String>) {
        self.lock = lock
        self.today = today
        self.initial = initial
        self.except = except
        storedMachines = lock.archives.compactMap { StoredMachine(Self.migrated($0)) }.flatMap(\.all)
        machinesOfToday = today.archives.compactMap { StoredMachine($0) }.flatMap(\.all)
    }

    /// Each remedy once, with all that it mends.
    func breaks() throws -> [IncompatibleArchives.Break] {
        let found =
            try lock.archives.flatMap(breaks) + lostEvents + EffectCompatibility<W>(lock, except: except).breaks()
        let alike = Dictionary(grouping: found) { [$0.state, $0.remedy] }
        var seen: Set<[String?]> = []
        return found.filter { seen.insert([$0.state, $0.remedy]).inserted }.map { first in
            var explanations: [String] = []
            for other in alike[[first.state, first.remedy]] ?? [] where !explanations.contains(other.explanation) {
                explanations.append(other.explanation)
            }
            // As many values as show what has changed.
            return made(first.state, explanations.prefix(3).joined(separator: " "), first.remedy)
        }
    }

    private func breaks(_ archive: JSONValue) throws -> [IncompatibleArchives.Break] {
        guard let stored = StoredMachine(archive), let migrated = StoredMachine(Self.migrated(archive)) else {
            return []
        }
        let place = StoredPlace(outer: stored.state)
        do {
            // Twice: what is another value each time is not said to have changed.
            let (restored, again) = (try readAgain(archive), try readAgain(archive))
            guard let restored, let again else { return [] }
            return compare(stored, migrated, restored, again, in: place)
        } catch let error as ArchiveError {
            return [found(error, in: migrated, place)]
        }
    }

    /// An archive as migrations leave it, as text would be read; the archive itself if one of them throws.
    private static func migrated(_ archive: JSONValue) -> JSONValue {
        (try? JSONValue(encoding: W.migrated(archive), at: [])) ?? archive
    }

    /// A machine as it is when it was restored and archived again, without what no class has read: that is lost when the state is left.
    private func readAgain(_ archive: JSONValue) throws -> StoredMachine? {
        let state = try W.state(from: Data(ArchiveEncoder.bytes(of: archive)))
        let info = CodingUserInfoKey.leavesUnreadOut.map { [$0: true as Any] } ?? [:]
        let json = try ArchiveEncoder.bytes(of: StateArchive<W>.self, userInfo: info) {
            try $0.encode(StateArchive<W>(state))
        }
        return StoredMachine(try JSONValue(text: json))
    }

    private var lostEvents: [IncompatibleArchives.Break] {
        guard lock.version == today.version else { return [] }
        return lock.events.filter { !today.events.contains($0) }.map { event in
            made(
                nil,
                "The event \(event.debugDescription) is gone. Archived events and occurrences name it.",
                "Event(\(event.debugDescription), …)  // whichever property has taken its place"
            )
        }
    }

    func made(_ state: String?, _ explanation: String, _ remedy: String) -> IncompatibleArchives.Break {
        IncompatibleArchives.Break(version: lock.version, state: state, explanation: explanation, remedy: remedy)
    }
}
