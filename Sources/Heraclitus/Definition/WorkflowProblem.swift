/// A mistake in the definition of a workflow.
///
/// Most of them stop the program when the workflow is first used. The others do not, and a test finds them in
/// ``Workflow/diagnostics``. ``stopsTheProgram`` says which. What is odd about a right definition, such as a state that nothing leads to, is
/// a `WorkflowFinding`.
@nonexhaustive
public enum WorkflowProblem: Error, Hashable, Sendable {
    /// The workflow's name is blank.
    case blankWorkflowName

    /// The workflow's version is less than 1.
    case badVersion(Int)

    /// No migration leads to a version, so older archives cannot be read.
    case missingMigration(version: Int)

    /// Two migrations to the same version have the same name.
    case duplicateMigration(String, version: Int)

    /// A migration leads to a version that does not exist, or is listed after one that leads to a newer version.
    case misplacedMigration(String, version: Int)

    /// A migration leads to a state that does not exist in that version, by the later steps.
    ///
    /// It does not stop the program, because a step with a closure may rename the state.
    case migrationToUnknownState(String, version: Int, migration: String)

    /// The name of a state is blank; the payload is its class.
    case blankStateName(className: String)

    /// Several states have the same name, so an archive would be ambiguous; of a table there are no class names.
    case duplicateStateName(String, classNames: [String])

    /// No state of the workflow is in a group.
    case emptyGroup(String)

    /// Groups of different protocols, or of a table, have the same name.
    case duplicateGroupName(String)

    /// The closure of a group does not match its protocol.
    ///
    /// The definition can only check the initial state, which has an object. For other states, the first object stops the program.
    case mistakenGroup(String, state: String)

    /// The name of an event is blank; the payload is its property.
    case blankEventName(property: String)

    /// Several events have the same name; of a table there are no properties.
    case duplicateEventName(String, properties: [String])

    /// An event leads nowhere, because it lists no source or no destination.
    case emptyEvent(String)

    /// The name of an action is blank; the payload is its property.
    case blankActionName(property: String)

    /// Several actions have the same name.
    case duplicateActionName(String, properties: [String])

    /// An action is not allowed in any state of the workflow.
    case emptyAction(String)

    /// Several properties have the same event value, or the same action.
    case sharedEvent(properties: [String])

    /// An event is ignored in a state that it also leads from.
    case contradictoryIgnore(event: String, state: String)

    /// An event both updates a state and leads from it to itself.
    case contradictoryUpdate(event: String, state: String)

    /// A state's work is that of a state of another workflow: `work(_:)` gets the ``WorkCall`` of that one.
    case foreignWork(className: String, workflow: String)

    /// An event fires when work has failed or is done, and none of the states that it leads from is ``Working``.
    case eventWithoutWork(event: String)

    /// An ``EmptyState`` has a property of its own: an event that is fired without an object gives it the value of `init()`.
    ///
    /// Machines in a state and ``Live`` values are none of these, because `init()` makes new ones.
    case emptyStateWithData(className: String, property: String)

    /// Several events fire when the work of a state has failed, or when it is done.
    case ambiguousWork(state: String, events: [String])

    /// An event fires by itself in a state, and neither has a builder for it nor leads to exactly one state, an empty one.
    case missingBuilder(event: String, state: String)

    /// A state holds a machine, or has a property for one, and is neither ``Composite`` nor ``Copying``: its copy would change with the original.
    ///
    /// The definition can only check the initial state and, for ``Workflow/diagnostics``, each ``EmptyState``, which have objects. For other
    /// states, the first object that is fired or restored stops the program. A machine in a property of the type `any` protocol shows only
    /// while it is there; such a state stops the program at its first ``StateMachine/copy()`` with a machine, at the latest.
    case uncopiableMachine(className: String, property: String)

    /// A ``Composite`` state holds a machine that its ``Composite/regions`` do not list.
    ///
    /// Nobody activates such a machine with the state, so that its deadlines do not come after a restoration. The initial state shows it, and
    /// each ``EmptyState``. It does not stop the program: a state may keep a machine for a later state.
    case unlistedRegion(className: String, property: String)

    /// An event fires when machines in a state have ended, but the state is not ``Composite``, so that none of them belongs to it.
    case completionWithoutRegions(event: String, state: String)

    /// An event fires when machines in a state have ended, and their workflow has no final state: it never fires by itself.
    case completionWithoutEnd(event: String, workflow: String)

    /// Machines of a workflow in states of this one have a context of another type, and ``Workflow/regionContexts`` does not make it: they have
    /// none when they are restored.
    case missingRegionContext(workflow: String)

    /// An event updates a state some time after that was entered, or leads from it to itself after no time.
    ///
    /// An update does not begin that time anew, and a time of zero or less has always passed. So the event is due again at once, without an
    /// end.
    case endlessDeadline(event: String)

    /// The name of a type of effects is blank.
    case blankEffectName(typeName: String)

    /// Several types of effects have the same name, so an archive would be ambiguous.
    case duplicateEffectName(String, typeNames: [String])

    /// The type of the initial state is neither a class nor `any` protocol of states: for example an optional, or `any Error`.
    case unsuitableStateType(String)

    /// A state does not have the type of the initial state: it is not a subclass of that class, or does not conform to that
    /// protocol.
    ///
    /// Whether a class conforms is known of an ``EmptyState``, and of every class if ``Workflow/groups`` has a group of that protocol.
    case foreignState(className: String, expected: String)

    /// An event or an action is within a property, such as an optional, a list or a `lazy` one, where it cannot be found.
    case hiddenEvent(property: String)

    /// A property holds an event or an action that is declared for another workflow.
    case foreignEvent(property: String, workflow: String)

    /// The initial state is an enum or a struct; a state has to be a class.
    case initialStateIsNoClass(String)

    /// A guard was added before an `or`, and is not asked for the pairs that `or` adds, because they are not of its types.
    case unaskedGuard(event: String)

    /// The class of the initial state is not registered: no event and no list of states names it.
    case unregisteredInitialState(String)

    /// A table names a state that it does not list; the place says where.
    case unknownTableState(String, place: String)

    /// A table says that states are within one another in a circle.
    case circularSuperstates([String])

    /// The time after which an event of a table fires is no number of seconds from 0 on.
    case badDeadline(event: String)

    /// A table says what a workflow of data cannot do; the text names it.
    case unsupportedInTable(String)
}

extension WorkflowProblem {
    /// Whether the first use of the workflow stops the program; the others are only in ``Workflow/diagnostics``.
    ///
    /// What only an object of an ``EmptyState`` shows does not stop it at once: objects are made for ``Workflow/diagnostics`` and for fires.
    public var stopsTheProgram: Bool {
        switch self {
        case .migrationToUnknownState, .endlessDeadline, .completionWithoutEnd, .unlistedRegion, .missingRegionContext:
            false
        default: true
        }
    }
}

extension WorkflowProblem: CustomStringConvertible {
    /// A sentence that names what is wrong.
    public var description: String {
        switch self {
        case .blankWorkflowName:
            "The workflow's name is blank."
        case .badVersion(let version):
            "The workflow's version is \(version); versions start at 1."
        case .missingMigration(let version):
            "No migration leads to version \(version). If nothing changed, list `.unchanged(in: \(version))`."
        case .duplicateMigration(let name, let version):
            "Two migrations to version \(version) have the name \"\(name)\"."
        case .misplacedMigration(let name, let version):
            "The migration \"\(name)\" leads to version \(version), which does not exist, or is listed after a newer version."
        case .migrationToUnknownState(let state, let version, let migration):
            "The migration \"\(migration)\" leads to \(state), which is not a state of version \(version)."
        case .blankStateName(let className):
            "The name of the state \(className) is blank."
        case .duplicateStateName(let name, let classNames):
            "Several states have the name \"\(name)\"\(Self.list(classNames))."
        case .emptyGroup(let name):
            "The group \"\(name)\" has no states."
        case .duplicateGroupName(let name):
            "Several groups have the name \"\(name)\". Give one of them another name."
        case .mistakenGroup(let name, let state):
            "The closure of the group \"\(name)\" is wrong about \(state): it asks for something other than the group's protocol."
        case .blankEventName(let property):
            "The event of the property `\(property)` has a blank name."
        case .duplicateEventName(let name, let properties):
            "Several events have the name \"\(name)\"\(Self.list(properties))."
        case .emptyEvent(let name):
            "The event \"\(name)\" leads nowhere: it lists no source or no destination."
        case .blankActionName(let property):
            "The action of the property `\(property)` has a blank name."
        case .duplicateActionName(let name, let properties):
            "Several actions have the name \"\(name)\": \(properties.joined(separator: ", "))."
        case .emptyAction(let name):
            "The action \"\(name)\" is allowed in no state of the workflow."
        case .sharedEvent(let properties):
            "Several properties have the same event or action value: \(properties.joined(separator: ", "))."
        case .contradictoryIgnore(let event, let state):
            "The event \"\(event)\" is ignored in \(state), and also leads from it."
        case .contradictoryUpdate(let event, let state):
            "The event \"\(event)\" updates \(state), and also leads from it to itself."
        case .foreignWork(let className, let workflow):
            "The work of the state \(className) is for \(workflow). Let `work(_:)` get a `WorkCall` of this workflow."
        case .eventWithoutWork(let event):
            "The event \"\(event)\" fires when work has ended, but no state that it leads from is `Working`."
        case .emptyStateWithData(let className, let property):
            "\(className) is an EmptyState with data in `\(property)`, which a fire without an object resets. Conform it to WorkflowState."
        case .ambiguousWork(let state, let events):
            "Several events fire when the work of \(state) has ended in one way: \(events.joined(separator: ", "))."
        case .missingBuilder(let event, let state):
            "The event \"\(event)\" fires by itself in \(state), and nothing makes the state to enter. Add `.enters { … }` to the event."
        case .uncopiableMachine(let className, let property):
            "\(className) holds a state machine in `\(property)` and is not Copying: its copy would change with the original. "
                + "Conform it to `Composite`, or to `Copying` if its machine is to go on by itself."
        case .unlistedRegion(let className, let property):
            "\(className) holds a state machine in `\(property)` that its `regions` do not list: it is not activated with the state, and "
                + "its deadlines do not come. List it, or keep it in an object of its own until a later state lists it."
        case .completionWithoutRegions(let event, let state):
            "The event \"\(event)\" fires when machines in \(state) have ended. Conform \(state) to `Composite`, and list them in `regions`."
        case .completionWithoutEnd(let event, let workflow):
            "The event \"\(event)\" fires when machines of \(workflow) have ended, but an event leaves every state of \(workflow). "
                + "Let it wait for other machines, or fire it from a state's hook."
        case .missingRegionContext(let workflow):
            "Machines of \(workflow) in states of this workflow need a context of their own type, and have none when they are restored. "
                + "Add a `RegionContext` of \(workflow) to `regionContexts`, with a closure that takes this workflow's context."
        case .endlessDeadline(let event):
            "The event \"\(event)\" is due again at once when it has fired, again and again: an update does not begin the time anew "
                + "that has passed since the state was entered, and a time of zero or less has always passed. Let `due` take a date from "
                + "the state's data, or guard the event."
        case .blankEffectName(let typeName):
            "The name of the effect \(typeName) is blank."
        case .duplicateEffectName(let name, let typeNames):
            "Several effects have the name \"\(name)\": \(typeNames.joined(separator: ", "))."
        case .unsuitableStateType(let name):
            "The initial state is declared as \(name), which is neither a class nor `any` protocol of states."
        case .foreignState(let className, let expected):
            "The state \(className) does not have the type of `initial`, \(expected). Did you mean `any` protocol?"
        case .hiddenEvent(let property):
            "The property \(property) contains an event or action. Declare each as a stored property of its own."
        case .foreignEvent(let property, let workflow):
            "The property \(property) has an event or action of \(workflow). Declare one of this workflow with `Event(…)` or `Action(…)`."
        case .initialStateIsNoClass(let name):
            "The initial state is a \(name), which is no object and no class of a state. A state has to be a class."
        case .unaskedGuard(let event):
            "A guard of the event \"\(event)\" is not asked for the pairs that `or` adds. Put the guard after `or`."
        case .unregisteredInitialState(let className):
            "The initial state \(className) is not registered. Name it in an event or list it in `states`."
        case .unknownTableState(let name, let place):
            "The table lists no state \"\(name)\", which is named in \(place)."
        case .circularSuperstates(let names):
            "The states \(names.joined(separator: ", ")) are within one another in a circle."
        case .badDeadline(let event):
            "The time after which the event \"\(event)\" fires is not a number of seconds from 0 to 100 billion."
        case .unsupportedInTable(let text):
            "A workflow of data cannot do this: \(text)."
        }
    }

    /// What names the things of one name; nothing in a table, where they are the name alone.
    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "" : ": \(names.joined(separator: ", "))"
    }
}
