/// A mistake in the definition of a workflow.
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

    /// The name of a state is blank; the payload is its class.
    case blankStateName(className: String)

    /// Several states have the same name, so an archive would be ambiguous.
    case duplicateStateName(String, classNames: [String])

    /// The name of an event is blank; the payload is its property.
    case blankEventName(property: String)

    /// Several events have the same name.
    case duplicateEventName(String, properties: [String])

    /// An event leads nowhere, because it lists no source or no destination.
    case emptyEvent(String)

    /// Several properties have the same event value.
    case sharedEvent(properties: [String])

    /// An event is ignored in a state that it also leads from.
    case contradictoryIgnore(event: String, state: String)

    /// An event both updates a state and leads from it to itself.
    case contradictoryUpdate(event: String, state: String)

    /// The type of the initial state is neither a class nor `any` protocol of states: for example an optional, or `any Error`.
    case unsuitableStateType(String)

    /// A state is not a subclass of the class that is the type of the initial state.
    case foreignState(className: String, expected: String)

    /// An event is within a property, such as an optional, a list or a `lazy` one, where it cannot be found.
    case hiddenEvent(property: String)

    /// A property holds an event that is declared for another workflow.
    case foreignEvent(property: String, workflow: String)

    /// The class of the initial state is not registered: no event and no list of states names it.
    case unregisteredInitialState(String)
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
        case .blankStateName(let className):
            "The name of the state \(className) is blank."
        case .duplicateStateName(let name, let classNames):
            "Several states have the name \"\(name)\": \(classNames.joined(separator: ", "))."
        case .blankEventName(let property):
            "The name of the event \(property) is blank."
        case .duplicateEventName(let name, let properties):
            "Several events have the name \"\(name)\": \(properties.joined(separator: ", "))."
        case .emptyEvent(let name):
            "The event \"\(name)\" leads nowhere: it lists no source or no destination."
        case .sharedEvent(let properties):
            "Several properties have the same event value: \(properties.joined(separator: ", "))."
        case .contradictoryIgnore(let event, let state):
            "The event \"\(event)\" is ignored in \(state), and also leads from it."
        case .contradictoryUpdate(let event, let state):
            "The event \"\(event)\" updates \(state), and also leads from it to itself."
        case .unsuitableStateType(let name):
            "The initial state is declared as \(name), which is neither a class nor `any` protocol of states."
        case .foreignState(let className, let expected):
            "The state \(className) is not a subclass of \(expected), the type of `initial`. Did you mean `any` protocol?"
        case .hiddenEvent(let property):
            "The property \(property) contains an event. Declare each event as a stored property of its own."
        case .foreignEvent(let property, let workflow):
            "The property \(property) has an event of \(workflow). Declare an event of this workflow with `Event(…)`."
        case .unregisteredInitialState(let className):
            "The initial state \(className) is not registered. Name it in an event or list it in `states`."
        }
    }
}
