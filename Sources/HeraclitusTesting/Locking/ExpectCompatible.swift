public import Foundation
public import Heraclitus

/// Throws unless everything that was stored by today's version of a workflow, and by those before it, can still be read.
///
/// ```swift
/// @Test func archives() throws {
///     try expectCompatible(Order.self, samples: samples, in: folder)   // a folder of the repository
/// }
/// ```
///
/// The folder has a file for each version: the states with the keys of their data and the types of their values, the events, and archives of
/// machines that were driven through every transition. The first run of a version writes its file, and throws ``ArchiveLockNotRecorded``;
/// commit the file. From then on, a change that makes archives of any version unreadable, or that drops what today's version has stored,
/// throws ``IncompatibleArchives``, which names each break and the `Migration` to write.
///
/// A state that was added breaks nothing. Until it is recorded, too, it throws ``ArchiveLockNotRecorded``.
/// - Parameters:
///   - workflow: The workflow.
///   - context: What states need and archives do not keep.
///   - samples: How states are made, as for ``exercise(_:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)``.
///   - folder: Where the files are; one folder for each workflow.
///   - isRecording: Whether to write the file of today's version anew, if nothing is broken.
///   - hookEvents: The names of the events that hooks may fire.
/// - Throws: ``IncompatibleArchives``; ``ArchiveLockNotRecorded``; ``ExerciseFailure``; what reading and writing files throws.
public func expectCompatible<W: Workflow>(
    _ workflow: W.Type,
    context: W.Context,
    samples: [Sample<W>] = [],
    in folder: URL,
    recording isRecording: Bool = false,
    firedByHooks hookEvents: Set<String> = []
) throws {
    let table = W.table
    let today = ArchiveLock(of: table, try archives(of: W.self, context, samples, firedByHooks: hookEvents))
    let locks = try ArchiveLock.all(in: folder)
    let breaks = try locks.flatMap { try Compatibility<W>($0, today, initial: table.initial).breaks() }
    guard breaks.isEmpty else { throw IncompatibleArchives(workflow: table.workflow, breaks: breaks) }
    let recorded = locks.last { $0.version == table.version }
    let missing = today.states.keys.filter { recorded?.states[$0] == nil }.sorted()
    if isRecording || recorded == nil { try today.write(to: folder) }
    if !isRecording, !missing.isEmpty {
        throw ArchiveLockNotRecorded(
            file: ArchiveLock.file(of: table.version, in: folder),
            states: missing,
            isWritten: recorded == nil
        )
    }
}

/// Throws unless a workflow without a context still reads what its versions have stored, as
/// ``expectCompatible(_:context:samples:in:recording:firedByHooks:)`` does.
/// - Parameters:
///   - workflow: The workflow.
///   - samples: How states are made, as for ``exercise(_:samples:covering:restartingAtEveryStep:firedByHooks:except:invariants:)``.
///   - folder: Where the files are; one folder for each workflow.
///   - isRecording: Whether to write the file of today's version anew, if nothing is broken.
///   - hookEvents: The names of the events that hooks may fire.
/// - Throws: ``IncompatibleArchives``; ``ArchiveLockNotRecorded``; ``ExerciseFailure``; what reading and writing files throws.
public func expectCompatible<W: Workflow>(
    _ workflow: W.Type,
    samples: [Sample<W>] = [],
    in folder: URL,
    recording isRecording: Bool = false,
    firedByHooks hookEvents: Set<String> = []
) throws where W.Context == Void {
    try expectCompatible(
        workflow,
        context: (),
        samples: samples,
        in: folder,
        recording: isRecording,
        firedByHooks: hookEvents
    )
}

/// What today's version of a workflow stores was not recorded yet, or not all of it.
public struct ArchiveLockNotRecorded: Error, Equatable, CustomStringConvertible {
    /// The file.
    public let file: URL

    /// The states that it did not have.
    public let states: [String]

    /// Whether it was written now; otherwise run once with `recording: true`.
    public let isWritten: Bool

    /// What to do.
    public var description: String {
        isWritten
            ? "\(file.lastPathComponent) was written, with \(states.joined(separator: ", ")). Commit it and run the test again."
            : "\(file.lastPathComponent) does not have \(states.joined(separator: ", ")). Run the test once with `recording: true`."
    }
}

/// Archives of machines that are driven through every transition.
private func archives<W: Workflow>(
    of workflow: W.Type,
    _ context: W.Context,
    _ samples: [Sample<W>],
    firedByHooks hookEvents: Set<String>
) throws -> [(state: String, archive: JSONValue)] {
    var archives: [(state: String, archive: JSONValue)] = []
    let exercise = Exercise(
        table: W.table,
        context: context,
        samples: samples,
        isRestarting: true,
        hookEvents: hookEvents,
        except: [],
        invariants: [
            "archives are collected": { machine in
                let archive = try JSONValue(json: machine.archive())
                archives.append((machine.stateName, archive))
                return true
            }
        ]
    )
    _ = try exercise.report(covering: .transitions)
    return archives
}
