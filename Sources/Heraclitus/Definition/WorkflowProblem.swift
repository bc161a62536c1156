/// A mistake in the definition of a workflow.
///
/// Most problems stop the program at the first use of the workflow; ``stopsTheProgram`` tells. A test finds the others
/// in ``Workflow/diagnostics``. Warnings about a valid definition, such as an unreachable state, are
/// `WorkflowFinding`s.
@nonexhaustive
public enum WorkflowProblem: Error, Hashable, Sendable {
    /// The kind of a part with a name.
    @nonexhaustive
    public enum Part: Hashable, Sendable {
        /// The workflow itself.
        case workflow

        /// A state.
        case state

        /// A group of states.
        case group

        /// An event.
        case event

        /// An action.
        case action

        /// A type of effects.
        case effect

        /// A migration to a version.
        case migration(version: Int)
    }

    /// The name of a part is blank; the place is its class or its property, or `nil` in a table and for a group.
    case blankName(Part, at: String?)

    /// Several parts of a kind have the same name, so an archive or a fire by name would be ambiguous.
    ///
    /// The places are their classes or properties; parts of a table have none.
    case duplicateName(Part, String, at: [String])

    /// A group or an action has no states, or an event has no pairs because it lists no source or no destination.
    case empty(Part, String)

    /// The workflow's version is less than 1.
    case badVersion(Int)

    /// A version has no migration, so older archives are unreadable.
    case missingMigration(version: Int)

    /// A migration leads to an unknown version, or is listed after a migration to a newer version.
    case misplacedMigration(String, version: Int)

    /// A migration leads to a state that does not exist in that version, according to the later steps.
    ///
    /// The program goes on, because a step with a closure may rename the state.
    case migrationToUnknownState(String, version: Int, migration: String)

    /// The closure of a group contradicts its protocol.
    ///
    /// The definition checks the initial state, which has an object. For other states, the first object stops the
    /// program.
    case mistakenGroup(String, state: String)

    /// Several properties have the same event value, or the same action.
    case sharedEvent(properties: [String])

    /// A state that ignores an event is also its source.
    case contradictoryIgnore(event: String, state: String)

    /// An event both updates a state and leads from it to itself.
    case contradictoryUpdate(event: String, state: String)

    /// A state's work is for another workflow: `work(_:)` gets the ``WorkCall`` of the other one.
    case foreignWork(className: String, workflow: String)

    /// An event fires after work, and none of its sources is ``Working``.
    case eventWithoutWork(event: String)

    /// An ``EmptyState`` has its own property, which an event fired without an object resets to the value of `init()`.
    ///
    /// Machines in a state and ``Live`` values are allowed, because `init()` makes new ones.
    case emptyStateWithData(className: String, property: String)

    /// Several events fire after failed work of a state, or after completed work.
    case ambiguousWork(state: String, events: [String])

    /// An automatic event in a state has no builder, and does not lead to exactly one state that is empty.
    case missingBuilder(event: String, state: String)

    /// A state has a machine, or a property for one, and is neither ``Composite`` nor ``Copying``.
    ///
    /// Its copy would change with the original.
    ///
    /// The definition checks the initial state and, for ``Workflow/diagnostics``, each ``EmptyState``, because these
    /// have objects. For other states, the first object that is fired or restored stops the program. A property of type
    /// `any` protocol shows a machine only while it holds one; such a state stops the program at the latest at its
    /// first ``StateMachine/copy()`` with a machine.
    case uncopiableMachine(className: String, property: String)

    /// A ``Composite`` state holds a machine that its ``Composite/regions`` do not list.
    ///
    /// Such a machine is not activated with the state, so its deadlines stay off after a restoration. The initial state
    /// and each ``EmptyState`` are checked. The program goes on, because a state may keep a machine for a later state.
    case unlistedRegion(className: String, property: String)

    /// An event waits for the end of machines in a state that is not ``Composite``, so that no machine belongs to the
    /// state.
    case completionWithoutRegions(event: String, state: String)

    /// An event waits for the end of machines whose workflow has no final state, so it never fires by itself.
    case completionWithoutEnd(event: String, workflow: String)

    /// Inner machines of a workflow need a context of another type, and ``Workflow/regionContexts`` does not make it.
    ///
    /// After a restoration they have no context.
    case missingRegionContext(workflow: String)

    /// An event updates a state after a time since its entry, or leads from it to itself after no time.
    ///
    /// An update keeps the date of entry, and a time of zero or less has always passed. The event is therefore due
    /// again at once, endlessly.
    case endlessDeadline(event: String)

    /// The type of the initial state is neither a class nor `any` protocol of states: for example an optional, or `any Error`.
    case unsuitableStateType(String)

    /// A state is not of the initial state's type: not a subclass of the class, or without conformance to the protocol.
    ///
    /// Conformance is known for an ``EmptyState``, and for every class if ``Workflow/groups`` has a group of the
    /// protocol.
    case foreignState(className: String, expected: String)

    /// An event or action is hidden within a property, such as an optional, a list or a `lazy` property.
    case hiddenEvent(property: String)

    /// A property holds an event or action of another workflow.
    case foreignEvent(property: String, workflow: String)

    /// The initial state is an enum or a struct instead of a class.
    case initialStateIsNoClass(String)

    /// A guard before an `or` skips the pairs that `or` adds, because they have other types.
    case unaskedGuard(event: String)

    /// The class of the initial state is unregistered: no event and no list of states names it.
    case unregisteredInitialState(String)

    /// A table names an unlisted state; the payload has the place.
    case unknownTableState(String, place: String)

    /// States of a table contain one another in a circle.
    case circularSuperstates([String])

    /// The delay of a table's event is no number of seconds from 0.
    case badDeadline(event: String)

    /// A table uses a feature that a workflow of data lacks; the text names it.
    case unsupportedInTable(String)
}

extension WorkflowProblem {
    /// Whether the problem stops the program at the first use of the workflow.
    ///
    /// Other problems appear only in ``Workflow/diagnostics``.
    ///
    /// Problems of an ``EmptyState``'s object appear later, because objects are made for ``Workflow/diagnostics`` and
    /// for fires.
    public var stopsTheProgram: Bool {
        switch self {
        case .migrationToUnknownState, .endlessDeadline, .completionWithoutEnd, .unlistedRegion, .missingRegionContext:
            false
        default: true
        }
    }
}

extension WorkflowProblem: CustomStringConvertible {
    /// A sentence about the problem.
    public var description: String {
        switch self {
        case .blankName(.workflow, _):
            "The workflow's name is blank. Give it a name."
        case .blankName(let part, let place?):
            "The name of the \(part) `\(place)` is blank. Give it a name."
        case .blankName(let part, nil):
            "The name of one \(part) is blank. Give it a name."
        case .duplicateName(let part, let name, let places):
            "Several \(part.plural) have the name \"\(name)\"\(Self.list(places)). Give each its own name."
        case .empty(.event, let name):
            "The event \"\(name)\" leads nowhere: it lists no source or no destination. List both."
        case .empty(.action, let name):
            "The action \"\(name)\" is allowed in no state of the workflow. Name a class of the workflow."
        case .empty(let part, let name):
            "The \(part) \"\(name)\" has no states. Add one, or remove the \(part)."
        case .badVersion(let version):
            "The workflow's version is \(version); versions start at 1."
        case .missingMigration(let version):
            "No migration leads to version \(version). If nothing changed, list `.unchanged(in: \(version))`."
        case .misplacedMigration(let name, let version):
            "The migration \"\(name)\" leads to version \(version), which does not exist, or is listed after a newer version. "
                + "List migrations in ascending order, up to the workflow's version."
        case .migrationToUnknownState(let state, let version, let migration):
            "The migration \"\(migration)\" leads to \"\(state)\", which is not a state of version \(version). "
                + "Correct the name, or rename that state in a later migration."
        case .mistakenGroup(let name, let state):
            "The closure of the group \"\(name)\" is wrong about \(state). Let it check conformance to the group's protocol."
        case .sharedEvent(let properties):
            "Several properties have the same event or action value: \(properties.joined(separator: ", ")). Make one for each."
        case .contradictoryIgnore(let event, let state):
            "The event \"\(event)\" is ignored in \(state), and also leads from it. Remove one of the two."
        case .contradictoryUpdate(let event, let state):
            "The event \"\(event)\" updates \(state), and also leads from it to itself. Remove one of the two."
        case .foreignWork(let className, let workflow):
            "The work of the state \(className) is for \(workflow). Let `work(_:)` get a `WorkCall` of this workflow."
        case .eventWithoutWork(let event):
            "The event \"\(event)\" fires at the end of work, but none of its sources is `Working`. Conform one to it."
        case .emptyStateWithData(let className, let property):
            "\(className) is an EmptyState with data in `\(property)`, which a fire without an object resets. Conform it to WorkflowState."
        case .ambiguousWork(let state, let events):
            "Several events fire at the same outcome of the work of \(state): \(events.joined(separator: ", ")). "
                + "Keep one, and let its builder choose the destination."
        case .missingBuilder(let event, let state):
            "The automatic event \"\(event)\" in \(state) has no builder of its destination. Add `.enters { … }` to the event."
        case .uncopiableMachine(let className, let property):
            "\(className) holds a state machine in `\(property)` without being Copying: its copy would share the machine. "
                + "Conform it to `Composite`, or to `Copying` for an independent machine."
        case .unlistedRegion(let className, let property):
            "The `regions` of \(className) leave out the state machine in `\(property)`: the machine stays inactive, and its "
                + "deadlines never fire. List it, or hold it in another object until a later state lists it."
        case .completionWithoutRegions(let event, let state):
            "The event \"\(event)\" fires when machines in \(state) have ended. Conform \(state) to `Composite`, and list them in `regions`."
        case .completionWithoutEnd(let event, let workflow):
            "The event \"\(event)\" fires when machines of \(workflow) have ended, but \(workflow) has no final state. "
                + "Let it wait for other machines, or fire it from a state's hook."
        case .missingRegionContext(let workflow):
            "Restored machines of \(workflow) in states of this workflow lack a context, because its type differs. "
                + "Add a `RegionContext` of \(workflow) to `regionContexts`, with a closure that takes this workflow's context."
        case .endlessDeadline(let event):
            "The event \"\(event)\" is due again at once after each fire: an update keeps the date of entry, and a delay of "
                + "zero has always passed. Compute the date in `due` from the state's data, or guard the event."
        case .unsuitableStateType(let name):
            "The initial state is declared as \(name), which is neither a class nor `any` protocol of states. "
                + "Declare it as one of them."
        case .foreignState(let className, let expected):
            "The state \(className) lacks the type of `initial`, \(expected). Did you mean `any` protocol?"
        case .hiddenEvent(let property):
            "The property \(property) contains an event or action. Declare each as a separate stored property."
        case .foreignEvent(let property, let workflow):
            "The property \(property) has an event or action of \(workflow). Declare one of this workflow with `Event(…)` or `Action(…)`."
        case .initialStateIsNoClass(let name):
            "The initial state is a \(name) instead of an object of a class. Make the state a class."
        case .unaskedGuard(let event):
            "A guard of the event \"\(event)\" misses the pairs that a later `or` adds. Put the guard after `or`."
        case .unregisteredInitialState(let className):
            "The initial state \(className) is not registered. Name its class in an event, or list it in `static var states`. "
                + "A group registers no classes."
        case .unknownTableState(let name, let place):
            "The table lists no state \"\(name)\", which is named in \(place). List it, or correct the name."
        case .circularSuperstates(let names):
            "The states \(names.joined(separator: ", ")) contain one another in a circle. Remove one of their superstates."
        case .badDeadline(let event):
            "The delay of the event \"\(event)\" is not a number of seconds from 0 to 100 billion."
        case .unsupportedInTable(let text):
            "A workflow of data cannot do this: \(text). Change the table, or write a `Workflow`."
        }
    }

    /// The list of places that share a name; empty for a table.
    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "" : ": \(names.joined(separator: ", "))"
    }
}

extension WorkflowProblem.Part: CustomStringConvertible {
    /// The kind in words.
    public var description: String {
        switch self {
        case .workflow: "workflow"
        case .state: "state"
        case .group: "group"
        case .event: "event"
        case .action: "action"
        case .effect: "effect"
        case .migration(let version): "migration to version \(version)"
        }
    }

    fileprivate var plural: String {
        if case .migration(let version) = self { "migrations to version \(version)" } else { "\(self)s" }
    }
}
