public import Foundation
public import Heraclitus
import HeraclitusInspecting

/// Throws unless everything that was stored by today's version of a workflow, and by those before it, can still be read.
///
/// ```swift
/// @Test func archives() throws {
///     try expectCompatible(Order.self, samples: samples, in: folder)   // a folder of the repository
/// }
/// ```
///
/// The folder has a file for each version: the states with the keys of their data and the types of their values, the events, archives of
/// machines that were driven through every transition and of every sample, and the effects of the states. The first run of a version writes its file, and throws ``ArchiveLockNotRecorded``;
/// commit the file. From then on, a change that makes archives of any version unreadable, or that drops what today's version has stored,
/// throws ``IncompatibleArchives``, which names each break and the `Migration` to write.
///
/// A state, an event, an effect or a key that was added breaks nothing that is stored. Until it is recorded, ``ArchiveLockNotRecorded`` is thrown, which
/// says what processes of the release before do with it while both releases run. The same error is thrown for a state of which there is no archive,
/// because a guard declines or a sample is missing.
///
/// A step of `Workflow.migrations` that looks for a state, an effect or a key that no recorded archive of an older version has is a break, too.
/// - Parameters:
///   - workflow: The workflow.
///   - context: What states need and archives do not keep.
///   - samples: How states are made, as for ``exercise(_:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)``.
///   - folder: Where the files are; one folder for each workflow.
///   - isRecording: Whether to add to the file of today's version what it does not have, if nothing is broken.
///   - hookEvents: The names of the events that hooks may fire. Those that fire under a condition, or when regions have ended, need not be named.
///   - except: Names of properties that need not survive an archive.
/// - Throws: ``IncompatibleArchives``; ``ArchiveLockNotRecorded``; ``ExerciseFailure``; what reading and writing files throws.
public func expectCompatible<W: Workflow>(
    _ workflow: W.Type,
    context: W.Context,
    samples: [Sample<W>] = [],
    in folder: URL,
    recording isRecording: Bool = false,
    firedByHooks hookEvents: Set<String> = [],
    except: Set<String> = []
) throws {
    let table = W.table
    func lockOfToday() throws -> ArchiveLock {
        ArchiveLock(
            of: table,
            try CollectedArchives(of: W.self, context, samples, firedByHooks: hookEvents, except: except)
        )
    }
    let today = try lockOfToday()
    let locks = try ArchiveLock.all(in: folder)
    let breaks = try locks.flatMap {
        try Compatibility<W>($0, today, initial: table.initial, except: except).breaks()
    }
    let stepsWithoutUse = ArchiveLock.stepsWithoutUse(of: W.self, for: locks)
    guard breaks.isEmpty, stepsWithoutUse.isEmpty else {
        throw IncompatibleArchives(workflow: table.workflow, breaks: breaks + stepsWithoutUse)
    }
    let recorded = locks.last { $0.version == table.version }
    if isRecording || recorded == nil { try (recorded.map(today.adding(to:)) ?? today).write(to: folder) }
    let known = recorded?.renamed(for: W.self)
    var additions = isRecording ? LockAdditions() : today.additions(to: known)
    if recorded != nil, !additions.isEmpty {
        additions = try additions.common(with: lockOfToday().additions(to: known))
    }
    let unreached = table.reachableStates.filter { today.states[$0] == nil }
    guard additions.isEmpty, unreached.isEmpty else {
        throw ArchiveLockNotRecorded(
            file: ArchiveLock.file(of: table.version, in: folder),
            additions,
            unreached: unreached,
            isWritten: recorded == nil && !isRecording
        )
    }
}

/// Throws unless a workflow without a context still reads what its versions have stored, as
/// ``expectCompatible(_:context:samples:in:recording:firedByHooks:except:)`` does.
/// - Parameters:
///   - workflow: The workflow.
///   - samples: How states are made, as for ``exercise(_:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)``.
///   - folder: Where the files are; one folder for each workflow.
///   - isRecording: Whether to add to the file of today's version what it does not have, if nothing is broken.
///   - hookEvents: The names of the events that hooks may fire. Those that fire under a condition, or when regions have ended, need not be named.
///   - except: Names of properties that need not survive an archive.
/// - Throws: ``IncompatibleArchives``; ``ArchiveLockNotRecorded``; ``ExerciseFailure``; what reading and writing files throws.
public func expectCompatible<W: Workflow>(
    _ workflow: W.Type,
    samples: [Sample<W>] = [],
    in folder: URL,
    recording isRecording: Bool = false,
    firedByHooks hookEvents: Set<String> = [],
    except: Set<String> = []
) throws where W.Context == Void {
    try expectCompatible(
        workflow,
        context: (),
        samples: samples,
        in: folder,
        recording: isRecording,
        firedByHooks: hookEvents,
        except: except
    )
}

extension TransitionTable {
    /// The states in which a machine can be; not a superclass of one of them, of which there may be no object.
    fileprivate var reachableStates: [String] {
        let superclasses = Set(superstates.values)
        let findings = Set(findings)
        return states.filter { !superclasses.contains($0) && !findings.contains(.unreachableState($0)) }
    }
}
