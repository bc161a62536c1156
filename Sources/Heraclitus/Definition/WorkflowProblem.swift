/// A mistake in the definition of a workflow, or a warning about a valid one.
///
/// ``Workflow/diagnostics`` and `problems` of a table list mistakes; most stop the program at the first use of the
/// workflow. `findings` of `HeraclitusInspecting` lists warnings. Leave out a known problem by its kind and its names:
///
/// ```swift
/// #expect(Download.findings.filter { !($0.kind == "deadEnd" && $0.names == ["Archived"]) }.isEmpty)
/// ```
public struct WorkflowProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the problem, such as `missingMigration`; a kind keeps its name in later releases.
    public let kind: String

    /// The names concerned, in the order of the description; the table of kinds lists what they name.
    public let names: [String]

    /// A sentence about the problem: the fault, its place and the remedy.
    public let description: String

    /// Whether the problem stops the program at the first use of the workflow.
    ///
    /// Problems of an ``EmptyState``'s object appear later, because objects are made for ``Workflow/diagnostics`` and
    /// for fires.
    package let stopsTheProgram: Bool

    package init(_ kind: String, _ names: [String], stopsTheProgram: Bool = true, _ description: String) {
        (self.kind, self.names) = (kind, names)
        (self.stopsTheProgram, self.description) = (stopsTheProgram, description)
    }
}

// MARK: - Texts

extension WorkflowProblem {
    /// A problem whose kind has a text.
    package init(_ kind: String, _ names: [String], stopsTheProgram: Bool = true) {
        guard let parts = Self.parts[kind[...]] else {
            preconditionFailure("The kind \(kind) of problems has no text.")
        }
        let text = parts.dropFirst().reduce(String(parts[0])) { beginning, part in
            // Names may be long, and appear in many problems.
            "\(beginning)\(names[part.first?.wholeNumberValue ?? 0].shortened)\(part.dropFirst())"
        }
        self.init(kind, names, stopsTheProgram: stopsTheProgram, text)
    }

    /// The texts by kind, split at the places of names.
    ///
    /// A table from outside may have any number of problems.
    private static let parts: [Substring: [Substring]] = Dictionary(
        uniqueKeysWithValues: texts.split(separator: "\n").map { line in
            let kind = line.prefix { $0 != ":" }
            return (kind, line.dropFirst(kind.count + 2).split(separator: "$", omittingEmptySubsequences: false))
        }
    )

    /// The texts of the kinds that have one, a line each, in which `$` and a digit is the place of a name.
    private static let texts = """
        badVersion: The workflow's version is $0; versions start at 1.
        blankWorkflowName: The workflow's name is blank. Give it a name.
        completionWithoutEnd: The event "$0" fires when machines of $1 have ended, but $1 has no final state. Let it \
        wait for other machines, or fire it from a state's hook.
        completionWithoutRegions: The event "$0" fires when machines in $1 have ended. Conform $1 to `Composite`, and \
        list them in `regions`.
        contradictoryIgnore: The event "$0" is ignored in $1, and also leads from it. Remove one of the two.
        contradictoryUpdate: The event "$0" updates $1, and also leads from it to itself. Remove one of the two.
        duplicateMigration: Several migrations to version $1 have the name "$0". Give each its own name, or join them.
        emptyAction: The action "$0" is allowed in no state of the workflow. Name a class of the workflow.
        emptyEvent: The event "$0" leads nowhere: it lists no source or no destination. List both.
        emptyGroup: The group "$0" has no states. Add one, or remove the group.
        emptyStateWithData: $0 is an EmptyState with data in `$1`, which a fire without an object resets. Conform it \
        to WorkflowState.
        endlessDeadline: The event "$0" is due again at once after each fire: an update keeps the date of entry, and \
        a delay of zero has always passed. Compute the date in `due` from the state's data, or guard the event.
        eventWithoutWork: The event "$0" fires at the end of work, but none of its sources is `Working`. Conform one \
        to it.
        foreignEvent: The property $0 has an event or action of $1. Declare one of this workflow with `Event(…)` or \
        `Action(…)`.
        foreignState: The state $0 lacks the type of `initial`, $1. Conform it to that type, or declare `initial` as \
        `any` protocol of all states.
        foreignWork: The work of the state $0 is for $1. Let `work(_:)` get a `WorkCall` of this workflow.
        hiddenEvent: The property $0 contains an event or action. Declare each as a separate stored property.
        initialStateIsNoClass: The initial state is a $0 instead of an object of a class. Make the state a class. \
        If `initial` is a class itself, declare the type of all states: `typealias AnyState = any …`.
        migrationToUnknownState: The migration "$0" leads to "$1", which is not a state of version $2. Correct the \
        name, or rename that state in a later migration.
        misplacedMigration: The migration "$0" leads to version $1, which does not exist, or is listed after a newer \
        version. List migrations in ascending order, up to the workflow's version.
        missingBuilder: The automatic event "$0" in $1 has no builder of its destination. Let it lead to a single \
        state that needs no data, or add `.enters { … }`.
        missingMigration: No migration leads to version $0. If nothing changed, or no store has older archives, list \
        `.unchanged(in: $0)`.
        missingRegionContext: Restored machines of $0 in states of this workflow lack a context, because its type \
        differs. Add a `RegionContext` of $0 to `regionContexts`, with a closure that takes this workflow's context.
        mistakenGroup: The closure of the group "$0" is wrong about $1. Let it check conformance to the group's \
        protocol.
        unaskedGuard: A guard of the event "$0" misses the pairs that a later `or` adds. Put the guard after `or`.
        uncopiableMachine: $0 holds a state machine in `$1` without being Copying: its copy would share the machine. \
        Conform it to `Composite`, or to `Copying` for an independent machine.
        unlistedRegion: The `regions` of $0 leave out the state machine in `$1`: the machine stays inactive, and its \
        deadlines never fire. List it, or hold it in another object until a later state lists it.
        unregisteredInitialState: The initial state $0 is not registered. Name its class in an event, or list it in \
        `static var states`. A group registers no classes.
        unsuitableStateType: The initial state is declared as $0, which is neither a class nor `any` protocol of \
        states. Declare it as one of them.
        """
}

// MARK: - Common problems

extension WorkflowProblem {
    /// A state that is not of the initial state's type.
    static func foreignState(
        _ type: any WorkflowState.Type,
        expected: String,
        stopsTheProgram: Bool = true
    ) -> WorkflowProblem {
        .init("foreignState", [fullName(of: type), expected], stopsTheProgram: stopsTheProgram)
    }

    /// The problems of blank and repeated names.
    /// - Parameters:
    ///   - part: The kind of elements in words.
    ///   - elements: The elements with these names.
    ///   - name: The name of an element.
    ///   - place: The class or property of an element; `nil` in a table, and for a group.
    /// - Returns: The problems.
    static func ofNames<Element>(
        _ part: String,
        _ elements: some Collection<Element>,
        _ name: (Element) -> String,
        at place: (Element) -> String?
    ) -> [WorkflowProblem] {
        let kind = part.prefix(1).uppercased() + part.dropFirst() + "Name"
        let blank = elements.filter { name($0).isBlank }.map { element in
            let place = place(element)
            let subject = place.map { "the \(part) `\($0)`" } ?? "one \(part)"
            return Self("blank\(kind)", place.map { [$0] } ?? [], "The name of \(subject) is blank. Give it a name.")
        }
        return blank
            + repeated(Array(elements), by: name).map { name, elements in
                let places = elements.compactMap(place)
                let list = places.isEmpty ? "" : ": \(places.joined(separator: ", "))"
                let text = "Several \(part)s have the name \"\(name.shortened)\"\(list). Give each its own name."
                return Self("duplicate\(kind)", [name] + places, text)
            }
    }

    /// The groups of elements that share a key, in the order of their first element.
    static func repeated<Element, Key: Hashable>(
        _ elements: [Element],
        by key: (Element) -> Key
    ) -> [(Key, [Element])] {
        let groups = Dictionary(grouping: elements, by: key).filter { $0.value.count > 1 }
        return elements.map(key).once.compactMap { key in groups[key].map { (key, $0) } }
    }
}

extension String {
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension Sequence where Element: Hashable {
    /// The elements without repetitions, in the order of their first places.
    package var once: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
