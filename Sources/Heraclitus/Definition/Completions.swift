// An event of the definition that fires by itself when machines within the state have ended.

/// Which machines have to have ended for an event to fire, and what it enters then.
struct CompletionRule: Sendable {
    /// The states that have these machines.
    let sources: ClosureTypes.Parameter

    /// What is known of the machines without a state.
    let properties: [RegionProperty]

    /// The machines in a state.
    let regions: @Sendable (AnyObject) -> [any Region]

    /// Builds the state to enter from the one that is left; `nil` for the only empty state that the event leads to.
    let build: AutomaticBuilder?
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
    for mirror in sequence(first: Mirror(reflecting: object), next: \.superclassMirror) {
        for case (let label?, let value as any Region) in mirror.children where value === region {
            return propertyName(label)
        }
    }
    return nil
}

extension WorkflowEvent {
    /// Makes the event fire by itself when machines within the state are in a final state: one that nothing leaves.
    ///
    /// ```swift
    /// let deliver = Event(from: PlacedState.self, to: DeliveredState.self)
    ///     .whenFinal(\.payment, \.parcel) { placed in DeliveredState(address: placed.address) }
    /// ```
    ///
    /// It fires when the last of them has ended, in the same turn, and also when they have ended already as their state is entered,
    /// restored or updated. What a guard declines then comes again after the next transition of one of them into a final state, or the
    /// next update; observers hear of the rejection. The event can be fired as any other, too.
    ///
    /// A state that is not ``Composite`` is a ``WorkflowProblem``, and a machine of a workflow that has no final state is one in
    /// ``Workflow/diagnostics``: the event never fires by itself. A state that does not list such a machine among its ``Composite/regions`` stops the
    /// program when a machine is to enter it.
    /// - Parameters:
    ///   - regions: The properties of the state, which is ``Composite``, that hold the machines.
    ///   - build: Builds the state to enter from the one that is left. What it throws declines the transition.
    /// - Returns: The event with this completion.
    public func whenFinal<each R: Region>(
        _ regions: repeat any KeyPath<Source, each R> & Sendable,
        enters build: @escaping @Sendable (Source) throws -> Destination
    ) -> Self {
        adding(repeat each regions, build: Self.erased(build))
    }

    /// Makes the event fire by itself when machines within the state are in a final state, into a state that needs the machine's context.
    ///
    /// It is the same as ``whenFinal(_:)`` with a builder that takes the ``Workflow/Context``, too.
    /// - Parameters:
    ///   - regions: The properties of the state, which is ``Composite``, that hold the machines.
    ///   - build: Builds the state to enter from the one that is left and the context. What it throws declines the transition.
    /// - Returns: The event with this completion.
    public func whenFinal<each R: Region>(
        _ regions: repeat any KeyPath<Source, each R> & Sendable,
        enters build: @escaping @Sendable (Source, W.Context) throws -> Destination
    ) -> Self {
        adding(repeat each regions, build: Self.erased(build))
    }

    /// Makes the event fire by itself, into an empty state, when machines within the state are in a final state.
    /// - Parameter regions: The properties of the state, which is ``Composite``, that hold the machines.
    /// - Returns: The event with this completion.
    public func whenFinal<each R: Region>(_ regions: repeat any KeyPath<Source, each R> & Sendable) -> Self
    where Destination: EmptyState {
        adding(repeat each regions, build: nil)
    }

    private typealias RegionAccess = @Sendable (AnyObject) -> (any Region)?

    private static func access<R: Region>(_ path: any KeyPath<Source, R> & Sendable) -> RegionAccess {
        { state in (state as? Source)?[keyPath: path] }
    }

    private func adding<each R: Region>(
        _ regions: repeat any KeyPath<Source, each R> & Sendable,
        build: AutomaticBuilder?
    ) -> Self {
        var accesses: [RegionAccess] = []
        var properties: [RegionProperty] = []
        repeat accesses.append(Self.access(each regions))
        repeat properties.append(RegionProperty(each regions))
        return .init(
            declaration.adding(
                completion: CompletionRule(
                    sources: ClosureTypes.Parameter(Source.self, of: W.AnyState.self),
                    properties: properties,
                    regions: { [accesses] state in accesses.compactMap { $0(state) } },
                    build: build
                )
            )
        )
    }
}
