/// Something that is wrong with the definition of a workflow.
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

    /// The name of a state is blank; the payload is its class.
    case blankStateName(className: String)

    /// Several states have one name, so that an archive could not say which it means.
    case duplicateStateName(String, classNames: [String])

    /// The name of an event is blank; the payload is its property.
    case blankEventName(property: String)

    /// Several events have one name.
    case duplicateEventName(String, properties: [String])

    /// An event leads nowhere, because it lists no source or no destination.
    case emptyEvent(String)

    /// Several properties hold one and the same event value.
    case sharedEvent(properties: [String])

    /// An event is ignored in a state that it also leads out of.
    case contradictoryIgnore(event: String, state: String)

    /// An event both updates a state and leads from it to itself.
    case contradictoryUpdate(event: String, state: String)

    /// What the initial state is declared as is neither a class nor `any` protocol of states: an optional, `any Error`.
    case unsuitableStateType(String)

    /// A state is no subclass of the class that the initial state is declared as.
    case foreignState(className: String, expected: String)

    /// An event stands within a property, such as an optional, a list or a `lazy` one, where it cannot be found.
    case hiddenEvent(property: String)

    /// A property holds an event that is declared for another workflow.
    case foreignEvent(property: String, workflow: String)

    /// The class of the initial state is named by no event and not listed among the workflow's states.
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
            "No migration leads to version \(version); if nothing changed in it, say `.unchanged(in: \(version))`."
        case .duplicateMigration(let name, let version):
            "The migration \"\(name)\" to version \(version) is there twice."
        case .misplacedMigration(let name, let version):
            "The migration \"\(name)\" leads to version \(version), which there is not or which comes before."
        case .blankStateName(let className):
            "The name of the state \(className) is blank."
        case .duplicateStateName(let name, let classNames):
            "The name \"\(name)\" is that of several states: \(classNames.joined(separator: ", "))."
        case .blankEventName(let property):
            "The name of the event \(property) is blank."
        case .duplicateEventName(let name, let properties):
            "The name \"\(name)\" is that of several events: \(properties.joined(separator: ", "))."
        case .emptyEvent(let name):
            "The event \"\(name)\" leads nowhere: it lists no source or no destination."
        case .sharedEvent(let properties):
            "One event value is kept in several properties: \(properties.joined(separator: ", "))."
        case .contradictoryIgnore(let event, let state):
            "The event \"\(event)\" is ignored in \(state) and leads out of it as well."
        case .contradictoryUpdate(let event, let state):
            "The event \"\(event)\" updates \(state) and leads from it to itself as well."
        case .unsuitableStateType(let name):
            "The initial state is declared as \(name), which is neither a class nor `any` protocol of states."
        case .foreignState(let className, let expected):
            "The state \(className) is no \(expected), as which `initial` is declared; was `any` a protocol meant?"
        case .hiddenEvent(let property):
            "The property \(property) holds an event within; only stored properties that are events are found."
        case .foreignEvent(let property, let workflow):
            "The property \(property) holds an event of \(workflow); declare one of this workflow with `Event(…)`."
        case .unregisteredInitialState(let className):
            "The initial state \(className) is named by no event and not listed in `states`."
        }
    }
}
