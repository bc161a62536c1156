/// Something that is wrong with the definition of a workflow.
///
/// Most stop the program when the workflow is first used. Those that only a test is to find, because machines work all the same, do not:
/// ``stopsTheProgram`` says which.
@nonexhaustive
public enum WorkflowProblem: Error, Hashable, Sendable {
    /// The workflow's name is blank.
    case blankWorkflowName

    /// The workflow's version is less than 1.
    case badVersion(Int)

    /// No migration leads to a version, so that nobody said what becomes of older archives.
    case missingMigration(version: Int)

    /// Two migrations to one version have one name.
    case duplicateMigration(String, version: Int)

    /// A migration leads to a version that there is not, or stands behind one that leads to a newer version.
    case misplacedMigration(String, version: Int)

    /// A migration renames a state to one, or removes it into one, that there is neither now nor, by the steps behind it, was then.
    ///
    /// A step with a closure may make another state of it, and so this does not stop the program.
    case migrationToUnknownState(String, version: Int, migration: String)

    /// The name of a state is blank; the payload is its class.
    case blankStateName(className: String)

    /// Several states have one name, so that an archive could not say which it means.
    case duplicateStateName(String, classNames: [String])

    /// No state of the workflow is in a group.
    case emptyGroup(String)

    /// Groups of different protocols have one name.
    case duplicateGroupName(String)

    /// A group's closure says of a state that it conforms to the group's protocol, or that it does not, and its object shows otherwise.
    ///
    /// Only the initial state has an object when the definition is read. Of any other state the first object stops the program.
    case mistakenGroup(String, state: String)

    /// The name of an event is blank; the payload is its property.
    case blankEventName(property: String)

    /// Several events have one name.
    case duplicateEventName(String, properties: [String])

    /// An event leads nowhere, because it lists no source or no destination.
    case emptyEvent(String)

    /// The name of an action is blank; the payload is its property.
    case blankActionName(property: String)

    /// Several actions have one name.
    case duplicateActionName(String, properties: [String])

    /// An action is allowed in no state of the workflow.
    case emptyAction(String)

    /// Several properties hold one and the same event, or one and the same action.
    case sharedEvent(properties: [String])

    /// An event is ignored in a state that it also leads out of.
    case contradictoryIgnore(event: String, state: String)

    /// An event both updates a state and leads from it to itself.
    case contradictoryUpdate(event: String, state: String)

    /// What the initial state is declared as is neither a class nor `any` protocol of states: an optional, `any Error`.
    case unsuitableStateType(String)

    /// A state is not what the initial state is declared as: no subclass of that class, or of a class that does not conform to that
    /// protocol.
    ///
    /// Whether a class conforms is known of an ``EmptyState``, and of every class if ``Workflow/groups`` has a group of that protocol.
    case foreignState(className: String, expected: String)

    /// An event or an action stands within a property, such as an optional, a list or a `lazy` one, where it cannot be found.
    case hiddenEvent(property: String)

    /// A property holds an event or an action that is declared for another workflow.
    case foreignEvent(property: String, workflow: String)

    /// The initial state is a value of an enum or a struct, and a state has to be a class.
    case initialStateIsNoClass(String)

    /// No event leads, from the initial state and those in ``Workflow/states``, to a state in which the event may be fired.
    ///
    /// It does not stop the program, because a machine may begin elsewhere: list such a state in ``Workflow/states``.
    case unreachableEvent(String)

    /// A guard was added before an `or`, and what that added is not of the guard's types: the guard would not be asked there.
    case unaskedGuard(event: String)

    /// The class of the initial state is named by no event and not listed among the workflow's states.
    case unregisteredInitialState(String)
}

extension WorkflowProblem {
    /// Whether the first use of the workflow stops the program; the others are only in ``Workflow/diagnostics``.
    public var stopsTheProgram: Bool {
        switch self {
        case .migrationToUnknownState, .unreachableEvent: false
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
            "No migration leads to version \(version); if nothing changed in it, say `.unchanged(in: \(version))`."
        case .duplicateMigration(let name, let version):
            "The migration \"\(name)\" to version \(version) is there twice."
        case .misplacedMigration(let name, let version):
            "The migration \"\(name)\" leads to version \(version), which there is not or which comes before."
        case .migrationToUnknownState(let state, let version, let migration):
            "The migration \"\(migration)\" leads to \(state), which is no state of version \(version)."
        case .blankStateName(let className):
            "The name of the state \(className) is blank."
        case .duplicateStateName(let name, let classNames):
            "The name \"\(name)\" is that of several states: \(classNames.joined(separator: ", "))."
        case .emptyGroup(let name):
            "No state of the workflow is in the group \"\(name)\"."
        case .duplicateGroupName(let name):
            "The name \"\(name)\" is that of groups of different protocols; give one another name."
        case .mistakenGroup(let name, let state):
            "The group \"\(name)\" is wrong about \(state): its closure asks for something else than its protocol."
        case .blankEventName(let property):
            "The name of the event \(property) is blank."
        case .duplicateEventName(let name, let properties):
            "The name \"\(name)\" is that of several events: \(properties.joined(separator: ", "))."
        case .emptyEvent(let name):
            "The event \"\(name)\" leads nowhere: it lists no source or no destination."
        case .blankActionName(let property):
            "The name of the action \(property) is blank."
        case .duplicateActionName(let name, let properties):
            "The name \"\(name)\" is that of several actions: \(properties.joined(separator: ", "))."
        case .emptyAction(let name):
            "The action \"\(name)\" is allowed in no state of the workflow."
        case .sharedEvent(let properties):
            "One event or action is kept in several properties: \(properties.joined(separator: ", "))."
        case .contradictoryIgnore(let event, let state):
            "The event \"\(event)\" is ignored in \(state) and leads out of it as well."
        case .contradictoryUpdate(let event, let state):
            "The event \"\(event)\" updates \(state) and leads from it to itself as well."
        case .unsuitableStateType(let name):
            "The initial state is declared as \(name), which is neither a class nor `any` protocol of states."
        case .foreignState(let className, let expected):
            "The state \(className) is no \(expected), as which `initial` is declared; all states have to be."
        case .hiddenEvent(let property):
            "The property \(property) holds an event or action within; only stored properties that are one are found."
        case .foreignEvent(let property, let workflow):
            "The property \(property) is declared for \(workflow); declare one of this workflow with `Event(…)` or `Action(…)`."
        case .initialStateIsNoClass(let name):
            "The initial state is a \(name), which is an enum or a struct; a state has to be a class."
        case .unreachableEvent(let event):
            "The event \"\(event)\" can never be fired: no events lead to where it leads from."
        case .unaskedGuard(let event):
            "A guard of the event \"\(event)\" would not be asked where `or` lets it lead from or to; put the guard behind `or`."
        case .unregisteredInitialState(let className):
            "The initial state \(className) is named by no event and not listed in `states`."
        }
    }
}
