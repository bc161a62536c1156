// Automatic events with a condition: a closure, or the end of machines in the state.

/// A property of a state that holds a machine.
struct RegionProperty: Sendable {
    /// The property's name, if known.
    let name: String?

    /// The key path of the machine, or of an array of machines.
    let path: any AnyKeyPath & Sendable

    /// The workflow of the machine, if the property's type tells.
    let workflow: (any Workflow.Type)?

    /// The machines in a state.
    let regions: @Sendable (_ state: AnyObject) -> [any Region]

    init<R: Region>(
        _ path: any AnyKeyPath & Sendable,
        of region: R.Type,
        _ regions: @escaping @Sendable (AnyObject) -> [any Region]
    ) {
        (self.path, self.regions) = (path, regions)
        name = Self.name(in: String(reflecting: path))
        workflow = (region as? any TreeMachine.Type)?.workflowType
    }

    /// The property's name; a key path to the data of an ``Updatable`` state lacks it.
    func name(in state: AnyObject) -> String? {
        name ?? regions(state).first.flatMap { place(of: $0, in: state)?.property }
    }

    /// Whether another event names the same machine.
    ///
    /// Machines with other names count as different, because machines in a list share a name or have none. Key paths of
    /// a superclass and of the class itself differ, so they are compared by name.
    func isSame(as other: RegionProperty) -> Bool {
        let (own, others): (AnyKeyPath, AnyKeyPath) = (path, other.path)
        return own == others
            || Swift.type(of: own).rootType != Swift.type(of: others).rootType && name != nil && name == other.name
    }

    /// The name of the property in the text of a key path, if the runtime knows it.
    private static func name(in path: String) -> String? {
        if path.hasSuffix("`") {
            // Backticks may enclose any characters.
            return path.dropLast().lastIndex(of: "`").map { unmarked(String(path[$0...])) }
        }
        let name = path.split(separator: ".").last ?? ""
        let isName = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isName && name.first?.isNumber == false ? String(name) : nil
    }
}

extension WorkflowEvent {
    /// Makes the event automatic: it fires when a condition on the state's data holds.
    ///
    /// ```swift
    /// let add = Event(updating: GatheringState.self)
    /// let close = Event(from: GatheringState.self, to: ClosedState.self)
    ///     .when { $0.isComplete }
    ///     .enters { ClosedState($0.names) }
    /// ```
    ///
    /// The condition is checked after all callbacks of entering, restoring or updating the state, in the same turn,
    /// also in a store's unit of work. In a ``Composite`` state it is also checked after each transition of a machine
    /// in the state, at any depth: `.when { $0.door.isIn(OpenState.self) }`. It must not fire machines. It covers the
    /// state's data; use `due` for time.
    ///
    /// Of several events with a true condition, the first of the definition fires. A declined event is retried at the
    /// next check, and observers are told of the rejection. An update whose condition still holds fires again, up to
    /// 10,000 times in one turn. Callers may fire the event, too.
    /// - Parameter condition: Gets the state, and returns whether the event fires.
    /// - Returns: The event with this condition.
    public func when(_ condition: @escaping @Sendable (Source) -> Bool) -> Self {
        let source = StateCast<Source>(in: W.self)
        return adding(.condition { source.with($0, .unknown, condition) ?? false })
    }

    /// Makes the event automatic: it fires when machines within the state have reached a final state.
    ///
    /// ```swift
    /// let deliver = Event(from: PlacedState.self, to: DeliveredState.self)
    ///     .whenFinal(\.payment, \.parcel).enters { placed in DeliveredState(address: placed.address) }
    /// ```
    ///
    /// The event fires in the same turn in which the last machine ends. It also fires if all have ended when their
    /// state is entered, restored or updated. A declined event is retried after the next transition of a machine into a
    /// final state, or after the next update. Observers are told of the rejection. Callers may fire the event, too.
    ///
    /// A state that is not ``Composite`` is a ``WorkflowProblem``. A machine of a workflow without a final state is one
    /// in ``Workflow/diagnostics``, because the event never fires. A state that omits such a machine in its
    /// ``Composite/regions`` stops the program when a machine is about to enter it.
    /// - Parameter regions: The properties of the ``Composite`` state with the machines.
    /// - Returns: The event with this completion.
    public func whenFinal<each R: Region>(_ regions: repeat any KeyPath<Source, each R> & Sendable) -> Self {
        var properties: [RegionProperty] = []
        repeat properties.append(Self.property(each regions))
        return adding(.completion(properties))
    }

    /// Makes the event automatic: it fires when all machines of an array have reached a final state.
    ///
    /// ```swift
    /// let close = Event(from: BusyState.self, to: ClosedState.self).whenFinal(\.elevators)
    /// ```
    ///
    /// It fires as `whenFinal` of single machines does, and never for an empty array.
    /// - Parameter regions: The property of the ``Composite`` state with the machines.
    /// - Returns: The event with this completion.
    public func whenFinal<R: Region>(_ regions: any KeyPath<Source, [R]> & Sendable) -> Self {
        adding(.completion([RegionProperty(regions, of: R.self) { ($0 as? Source)?[keyPath: regions] ?? [] }]))
    }

    private static func property<R: Region>(_ path: any KeyPath<Source, R> & Sendable) -> RegionProperty {
        RegionProperty(path, of: R.self) { if let state = $0 as? Source { [state[keyPath: path]] } else { [] } }
    }
}
