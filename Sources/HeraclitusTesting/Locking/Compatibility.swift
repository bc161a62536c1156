import Foundation
import Heraclitus

/// Finds archives of one version that the current version cannot read, or would lose a part of.
struct Compatibility<W: Workflow> {
    let lock: ArchiveLock
    let today: ArchiveLock
    let except: Set<String>

    /// The machines of today's archives.
    let machinesOfToday: [StoredMachine]

    /// The shapes of the states of the lock's migrated archives, and of today's archives.
    let storedShapes: ShapesOfStates
    let shapesOfToday: ShapesOfStates

    init(_ lock: ArchiveLock, _ today: ArchiveLock, except: Set<String>) {
        self.lock = lock
        self.today = today
        self.except = except
        storedShapes = ShapesOfStates(of: lock.archives.compactMap { StoredMachine(Self.migrated($0)) }.flatMap(\.all))
        machinesOfToday = today.archives.compactMap { StoredMachine($0) }.flatMap(\.all)
        shapesOfToday = ShapesOfStates(of: machinesOfToday)
    }

    /// The breaks, each remedy once with the explanations of all breaks that it mends.
    func breaks() throws -> [IncompatibleArchives.Break] {
        let found = try lock.archives.flatMap(breaks) + lostEvents + effectBreaks()
        let alike = Dictionary(grouping: found) { [$0.state, $0.remedy] }
        return found.map { [$0.state, $0.remedy] }.once.compactMap { key in
            guard let breaks = alike[key], let first = breaks.first else { return nil }
            // A few values are enough to show the change.
            return made(first.state, breaks.map(\.explanation).once.prefix(3).joined(separator: " "), first.remedy)
        }
    }

    private func breaks(_ archive: JSONValue) throws -> [IncompatibleArchives.Break] {
        guard let stored = StoredMachine(archive),
            let migrated = StoredMachine(Self.migrated(archive), in: stored.state)
        else { return [] }
        do {
            // Reads twice: a value that differs on each read counts as unchanged.
            let (restored, again) = (try readAgain(archive), try readAgain(archive))
            guard let restored, let again else { return [] }
            return compare(stored, migrated, restored, again)
        } catch let error as ArchiveError {
            return [found(error, in: migrated)]
        }
    }

    /// A migrated archive as the decoder sees it; the archive itself if a step throws.
    private static func migrated(_ archive: JSONValue) -> JSONValue {
        (try? JSONValue(encoding: W.migrated(archive), at: [])) ?? archive
    }

    /// Restores and archives a machine, leaving out unread keys, which are lost when the machine leaves the state.
    private func readAgain(_ archive: JSONValue) throws -> StoredMachine? {
        let decoder = try ArchiveDecoder(text: ArchiveEncoder.data(of: archive))
        let state = try StateArchive<W>(from: decoder).state
        let json = try ArchiveEncoder.data(of: StateArchive<W>(state), userInfo: [.leavesUnreadOut: true])
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
