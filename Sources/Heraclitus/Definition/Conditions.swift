// An event of the definition that fires by itself when a condition holds in the state: one that is written down, or that machines
// within it have ended.

/// The condition under which an event fires.
struct ConditionRule: Sendable {
    /// The states in which it is asked.
    let sources: ClosureTypes.Parameter
    let condition: Condition

    enum Condition: Sendable {
        /// What a closure says.
        case holds(@Sendable (AnyObject) -> Bool)

        /// That machines have ended: what is known of them without a state, and those in a state.
        case haveEnded([RegionProperty], @Sendable (AnyObject) -> [any Region])
    }

    /// What is known, without a state, of the machines that have to end.
    var properties: [RegionProperty] { if case .haveEnded(let properties, _) = condition { properties } else { [] } }

    /// Whether machines have to end.
    var isCompletion: Bool { if case .haveEnded = condition { true } else { false } }

    /// The machines in a state that have to end.
    func regions(_ state: AnyObject) -> [any Region] {
        if case .haveEnded(_, let regions) = condition { regions(state) } else { [] }
    }
}

/// A property of a state that holds a machine.
struct RegionProperty: Sendable {
    /// The property's name, if it is known.
    let name: String?

    /// Where the machine is; `nil` for one that an object holds.
    let path: (any AnyKeyPath & Sendable)?

    /// The type of the machine, if the property's own type says it.
    let type: (any DescribedRegion.Type)?

    /// Makes the table of the machine's workflow, which is within others.
    let table: @Sendable (_ path: [ObjectIdentifier]) -> TransitionTable
}

/// A machine as a table describes it.
protocol DescribedRegion: Region {
    /// The type of the workflow.
    static var workflow: ObjectIdentifier { get }

    /// The type of the workflow's context.
    static var context: ObjectIdentifier { get }

    /// The name of the workflow.
    static var workflowName: String { get }

    /// Whether the workflow has a final state; also while its definition is wrong.
    static var canEnd: Bool { get }

    /// The table of the workflow; without regions, if that is within itself.
    static func table(within path: [ObjectIdentifier]) -> TransitionTable

    /// The same, with the regions that the current state shows.
    func table(within path: [ObjectIdentifier]) -> TransitionTable
}

extension RegionProperty {
    init<Root, R: Region>(_ path: any KeyPath<Root, R> & Sendable) {
        let type = R.self as? any DescribedRegion.Type
        self.init(name: Self.name(in: String(reflecting: path)), path: path, type: type) {
            type?.table(within: $0) ?? .unknown
        }
    }

    /// A machine that an object holds.
    init(_ region: any Region, in object: AnyObject) {
        self.init(name: propertyName(of: region, in: object), path: nil, type: nil) {
            (region as? any DescribedRegion)?.table(within: $0) ?? .unknown
        }
    }

    /// Whether it is the same machine, named by another event.
    ///
    /// One with another name may be the same, too, and is not: machines in a list share a name or have none. A path of a superclass is another
    /// one than that of the class itself, so those are compared by name.
    func isSame(as other: RegionProperty) -> Bool {
        guard let path = path as AnyKeyPath?, let otherPath = other.path as AnyKeyPath? else { return false }
        return path == otherPath
            || Swift.type(of: path).rootType != Swift.type(of: otherPath).rootType && name != nil && name == other.name
    }

    /// The name of the property in the text of a key path, which ends with it where the runtime knows it.
    private static func name(in path: String) -> String? {
        if path.hasSuffix("`") {
            // Between backticks there may be any other character.
            return path.dropLast().lastIndex(of: "`").map { unmarked(String(path[$0...])) }
        }
        let name = path.split(separator: ".").last ?? ""
        let isName = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isName && name.first?.isNumber == false ? String(name) : nil
    }
}

/// The name of the property of an object that holds a machine; `nil` for one that is not held by a property itself, but by a list.
func propertyName(of region: any Region, in object: AnyObject) -> String? {
    let data = (object as? any Updatable).map { Mirror(reflecting: $0.values) }
    for mirror in [data].compactMap(\.self) + sequence(first: Mirror(reflecting: object), next: \.superclassMirror) {
        for case (let label?, let value as any Region) in mirror.children where value === region {
            return propertyName(label)
        }
    }
    return nil
}

extension WorkflowEvent {
    /// Makes the event fire by itself when a condition holds in the state.
    ///
    /// ```swift
    /// let add = Event(updating: GatheringState.self)
    /// let close = Event(from: GatheringState.self, to: ClosedState.self)
    ///     .when { $0.isComplete }
    ///     .enters { ClosedState($0.names) }
    /// ```
    ///
    /// The condition is asked when everybody has been called who hears that the state was entered, restored or updated, in the same turn; in a
    /// store's unit of work, too. In a ``Composite`` state it is also asked when a machine in it has come to its end. It is about the state's data alone: for
    /// what follows from the time there is `due`.
    ///
    /// Of several events whose condition holds, the first in the order of the definition fires. What a guard declines comes again after the next
    /// update; observers hear of the rejection. An event that updates the state and whose condition still holds fires again, up to
    /// ``StateMachine/chainLimit``. The event can be fired as any other, too.
    /// - Parameter condition: Gets the state, and returns whether the event fires.
    /// - Returns: The event with this condition.
    public func when(_ condition: @escaping @Sendable (Source) -> Bool) -> Self {
        .init(
            declaration.adding(
                condition: ConditionRule(
                    sources: ClosureTypes.Parameter(Source.self, of: W.AnyState.self),
                    condition: .holds { state in (state as? Source).map(condition) ?? false }
                )
            )
        )
    }

    /// Makes the event fire by itself when machines within the state are in a final state: one that nothing leaves.
    ///
    /// ```swift
    /// let deliver = Event(from: PlacedState.self, to: DeliveredState.self)
    ///     .whenFinal(\.payment, \.parcel).enters { placed in DeliveredState(address: placed.address) }
    /// ```
    ///
    /// It fires when the last of them has ended, in the same turn, and also when they have ended already as their state is entered,
    /// restored or updated. What a guard declines then comes again after the next transition of one of them into a final state, or the
    /// next update; observers hear of the rejection. The event can be fired as any other, too.
    ///
    /// A state that is not ``Composite`` is a ``WorkflowProblem``, and a machine of a workflow that has no final state is one in
    /// ``Workflow/diagnostics``: the event never fires by itself. A state that does not list such a machine among its ``Composite/regions`` stops the
    /// program when a machine is to enter it.
    /// - Parameter regions: The properties of the state, which is ``Composite``, that hold the machines.
    /// - Returns: The event with this completion.
    public func whenFinal<each R: Region>(_ regions: repeat any KeyPath<Source, each R> & Sendable) -> Self {
        var accesses: [RegionAccess] = []
        var properties: [RegionProperty] = []
        repeat accesses.append(Self.access(each regions))
        repeat properties.append(RegionProperty(each regions))
        return .init(
            declaration.adding(
                condition: ConditionRule(
                    sources: ClosureTypes.Parameter(Source.self, of: W.AnyState.self),
                    condition: .haveEnded(properties) { [accesses] state in accesses.compactMap { $0(state) } }
                )
            )
        )
    }

    private typealias RegionAccess = @Sendable (AnyObject) -> (any Region)?

    private static func access<R: Region>(_ path: any KeyPath<Source, R> & Sendable) -> RegionAccess {
        { state in (state as? Source)?[keyPath: path] }
    }
}
