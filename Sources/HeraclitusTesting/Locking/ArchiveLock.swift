import Foundation
import Heraclitus

/// The archives of one version of a workflow, recorded in a file of its lock folder.
struct ArchiveLock: Codable {
    let workflow: String
    let version: Int

    /// The keys of each state and their types.
    private(set) var states: [String: JSONShape] = [:]

    /// The names of the events, which archived events and occurrences refer to.
    private(set) var events: [String]

    /// Archives of machines and of single states, some in each state.
    private(set) var archives: [JSONValue] = []

    /// The data of effects by name.
    private(set) var effects: [String: [JSONValue]] = [:]

    static func file(of version: Int, in folder: URL) -> URL {
        folder.appendingPathComponent("version-\(version).json")
    }

    /// The locks in a folder, the oldest first.
    static func all(in folder: URL) throws -> [ArchiveLock] {
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.lastPathComponent.hasPrefix("version-") && $0.pathExtension == "json" }
            .map(read).sorted { $0.version < $1.version }
    }

    private static func read(_ file: URL) throws -> ArchiveLock {
        let json = try Data(contentsOf: file)
        do {
            return try JSONValue(json: json, limit: .max).decoded(as: ArchiveLock.self)
        } catch {
            throw ArchiveError.inaccessibleFile(file.path, explanation: ArchiveError.explanation(of: error))
        }
    }

    func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let json = try ArchiveEncoder.data(of: self, prettyPrinted: true)
        // Atomically, because a killed test would leave a part of the old release's lock.
        try json.write(to: Self.file(of: version, in: folder), options: .atomic)
    }
}

extension ArchiveLock {
    /// Makes the lock of a workflow's current version: drives machines through every transition, and adds every sample.
    init<W: Workflow>(
        in context: W.Context,
        _ samples: [Sample<W>],
        firedByHooks hookEvents: Set<String>,
        except: Set<String>
    ) throws {
        let table = W.table
        var found: [String: [JSONValue]] = [:]
        var effects: [String: [JSONValue]] = [:]
        let declared = Lock<[any Effect]>([])
        func add(_ json: Data, _ new: [any Effect]) throws {
            let archive = try JSONValue(json: json)
            found[archive["state"]?.stringValue ?? "", default: []].append(archive)
            for effect in new {
                effects[type(of: effect).name, default: []].append(try JSONValue(encoding: effect, at: []))
            }
        }
        let exercise = Exercise(
            table: table,
            context: context,
            samples: samples,
            isRestarting: true,
            hookEvents: hookEvents,
            except: except,
            invariants: [
                "archives are collected": { machine in
                    try add(machine.archive(), declared.withLock { exchange(&$0, with: []) })
                    return true
                }
            ],
            collectEffects: { new in declared.withLock { $0 += new.effects } }
        )
        _ = try exercise.report(covering: .transitions)
        // Adds the states that machines missed because an earlier sample of the state was used.
        let definition = exercise.definition
        for sample in samples {
            // The archives of the holders contain the states of regions.
            guard let state = try? sample.make(()), definition.stateIndex(of: state) != nil,
                let state = state as? W.AnyState
            else { continue }
            try add(ArchiveEncoder.data(of: StateArchive<W>(state)), (state as? any Effecting)?.effects ?? [])
        }
        workflow = table.workflow
        version = table.version
        events = table.events.map(\.name)
        states = found.mapValues { JSONShape(of: $0.map { $0["data"] ?? .null }) }
        // The archives of each state in turn, so that the file is the same in each run.
        addNews(table.states.flatMap { found[$0] ?? [] }, effects)
    }

    /// Merges a lock with the recorded lock of the same version, because recorded archives may still be stored.
    func adding(to recorded: ArchiveLock) -> ArchiveLock {
        var both = recorded
        both.events += events.filter { !recorded.events.contains($0) }
        both.states.merge(states) { $0.union($1) }
        both.addNews(archives, effects)
        return both
    }

    /// Adds each archive and effect with a key, type or value that is new to the lock.
    private mutating func addNews(_ newArchives: [JSONValue], _ newEffects: [String: [JSONValue]]) {
        archives.addNews(newArchives) { ($0["state"]?.stringValue ?? "", $0["data"] ?? .null) }
        for (name, samples) in newEffects { effects[name, default: []].addNews(samples) { (name, $0) } }
    }

    /// The additions of this lock to another lock of the same version, by name, and then the events.
    func additions(to recorded: ArchiveLock?) -> [LockAddition] {
        guard let recorded else { return states.keys.sorted().map { LockAddition(kind: .state, name: $0) } }
        typealias Shapes = [String: JSONShape]
        func added(_ kind: LockAddition.Kind, _ shapes: Shapes, to others: Shapes) -> [LockAddition] {
            shapes.flatMap { name, shape -> [LockAddition] in
                guard let other = others[name] else { return [LockAddition(kind: kind, name: name)] }
                return shape.paths(missingIn: other).map { path -> LockAddition in
                    let keyKind = kind == .effect ? kind : shape.isWithinValue(path) ? .innerKey : .key
                    return LockAddition(kind: keyKind, name: "\(name).\(path)")
                }
            }
        }
        let (new, old) = (effects.mapValues(JSONShape.init(of:)), recorded.effects.mapValues(JSONShape.init(of:)))
        let found = added(.state, states, to: recorded.states) + added(.effect, new, to: old)
        return found.sorted { $0.name < $1.name }
            + events.filter { !recorded.events.contains($0) }.map { LockAddition(kind: .event, name: $0) }
    }
}

/// A part of a lock that an older recording lacks.
struct LockAddition: Hashable {
    enum Kind {
        case state

        /// A key of a state's data, prefixed with the name of the state.
        case key

        /// A key within a value of the data, which an update rewrites as a whole.
        case innerKey
        case event

        /// An effect, or a key of its data, prefixed with the name of the effect.
        case effect
    }

    let kind: Kind
    let name: String
}

extension [JSONValue] {
    /// Adds each element with a key, a type or a value that all elements before it lack, such as a new case of an
    /// enumeration.
    fileprivate mutating func addNews(_ new: [JSONValue], _ content: (JSONValue) -> (name: String, data: JSONValue)) {
        var seen: [[String]: Set<JSONValue>] = [:]
        func isNews(_ element: JSONValue) -> Bool {
            let (name, data) = content(element)
            var hasNews = false
            data.forEachValue { path, value in
                let isNew = seen[[name, path], default: []].insert(value.withoutContent).inserted
                // Enough values for the cases of most enumerations, but few for dates and numbers.
                if isNew, seen[[name, path], default: []].count <= 24 { hasNews = true }
            }
            return hasNews
        }
        for known in self { _ = isNews(known) }
        self += new.filter(isNews)
    }
}
