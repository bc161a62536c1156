public import Foundation
public import Heraclitus
import HeraclitusInspecting

/// Throws unless the current version of a workflow can read everything that it and earlier versions have stored.
///
/// ```swift
/// @Test func archives() throws {
///     try expectCompatible(Order.self, samples: samples, in: folder)   // a folder of the repository
/// }
/// ```
///
/// The folder has a file for each version. A file records the states with their keys and types, the events, the
/// effects, and archives of driven machines and of all samples. The first run of a version writes its file and throws
/// ``ArchiveLockNotRecorded``; commit the file.
///
/// From then on, a change that makes archives unreadable or drops stored data throws ``IncompatibleArchives``. The
/// error names each break and the `Migration` to write. A step of `Workflow.migrations` is a break, too, if its state,
/// effect or key is missing from every older recorded archive.
///
/// An added state, event, effect or key keeps old archives readable. ``ArchiveLockNotRecorded`` is thrown until the
/// addition is recorded; it says how processes of the previous release treat the addition. The same error reports a
/// state without an archive, because a guard declines or a sample is missing.
///
/// `expectCompatible` throws an error for a `DataWorkflow`, whose archives belong to a table.
/// - Parameters:
///   - workflow: The workflow.
///   - context: The runtime dependencies of the states; `nil` for a workflow without a context.
///   - samples: Samples that make states, as for ``exercise(_:context:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)``.
///   - folder: The folder of this workflow's files, which no other workflow uses.
///   - isRecording: Whether to add missing parts to the current version's file, if there are no breaks.
///   - hookEvents: The names of the events that hooks may fire. Events that fire by themselves are always allowed.
///   - except: Names of properties that may be lost in an archive.
/// - Throws: ``IncompatibleArchives``; ``ArchiveLockNotRecorded``; ``ExerciseFailure``; errors of reading and writing
///   files.
public func expectCompatible<W: Workflow>(
    _ workflow: W.Type,
    context: W.Context? = nil,
    samples: [Sample<W>] = [],
    in folder: URL,
    recording isRecording: Bool = false,
    firedByHooks hookEvents: Set<String> = [],
    except: Set<String> = []
) throws {
    if W.self is any ContextDefined.Type { throw WorkflowWithoutLock(name: writtenName(of: W.self)) }
    let context = try Exercise<W>.context(context)
    let table = W.table
    func lockOfToday() throws -> ArchiveLock {
        try ArchiveLock(in: context, samples, firedByHooks: hookEvents, except: except)
    }
    let today = try lockOfToday()
    let locks = try ArchiveLock.all(in: folder)
    let breaks =
        try locks.flatMap { try Compatibility<W>($0, today, except: except).breaks() }
        + Compatibility<W>.stepsWithoutUse(for: locks)
    guard breaks.isEmpty else { throw IncompatibleArchives(workflow: table.workflow, breaks: breaks) }
    let recorded = locks.last { $0.version == table.version }
    if isRecording || recorded == nil { try (recorded.map(today.adding(to:)) ?? today).write(to: folder) }
    var additions = isRecording ? [] : today.additions(to: recorded)
    if recorded != nil, !additions.isEmpty {
        // A run's random keys, such as those of a dictionary, drop out.
        let others = try Set(lockOfToday().additions(to: recorded))
        additions.removeAll { !others.contains($0) }
    }
    let unreachable = table.findings.filter { $0.kind == "unreachableState" }.flatMap(\.names)
    // Superclasses may be abstract.
    let others = table.superclasses.union(unreachable + today.states.keys)
    let unreached = table.states.filter { !others.contains($0) }
    guard additions.isEmpty, unreached.isEmpty else {
        let file = ArchiveLock.file(of: table.version, in: folder)
        let isWritten = recorded == nil && !isRecording
        throw ArchiveLockNotRecorded(file: file, additions: additions, unreached: unreached, isWritten: isWritten)
    }
}

/// The error of a workflow whose machines have their definition from a context.
private struct WorkflowWithoutLock: Error, CustomStringConvertible {
    let name: String

    var description: String {
        "\(name) has no archive lock, because the table of its context has the states and the migrations. "
            + "In a test, restore recorded archives with the current table instead."
    }
}
