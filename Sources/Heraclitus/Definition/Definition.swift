/// A workflow as its machines use it: every state and event by number, every question about them answered in advance.
///
/// There is one a workflow. It never changes and lives as long as the program; this is one word that says where it is.
@usableFromInline
struct Definition: @unchecked Sendable {
    // Unchecked, because it is written before anybody else sees it and never again. A pointer and no object: a count of
    // references would be written by every thread that fires any machine of the workflow.
    @usableFromInline let content: UnsafePointer<Content>

    @usableFromInline
    struct Content {
        let workflow: String
        let version: Int
        let migrations: [Migration]
        @usableFromInline let states: UnsafeBufferPointer<RegisteredState>
        @usableFromInline let events: UnsafeBufferPointer<BoundEvent>

        /// The workflow's own value, with its bound events.
        @usableFromInline let eventValues: UnsafeRawPointer

        /// `nil` only while the definition is wrong.
        let initial: RegisteredClass?

        /// What follows an object in the workflow's `AnyState`, if it can be one.
        let cast: @Sendable (AnyObject) -> [UInt]?
        let stateIndices: AddressTable
        let stateIndicesByName: [String: Int]
        let eventIndicesByName: [String: Int]
    }

    init(
        workflow: String,
        version: Int,
        migrations: [Migration],
        states: [RegisteredState],
        events: [BoundEvent],
        eventValues: UnsafeRawPointer,
        cast: @escaping @Sendable (AnyObject) -> [UInt]?,
        initial: (any WorkflowState.Type)?
    ) {
        let stateIndices = AddressTable(for: states.count)
        for state in states { stateIndices.add(UInt(state.index), for: RegisteredClass.address(of: state.type)) }
        let content = Content(
            workflow: workflow,
            version: version,
            migrations: migrations,
            states: UnsafeBufferPointer(start: states.compiled(), count: states.count),
            events: UnsafeBufferPointer(start: events.compiled(), count: events.count),
            eventValues: eventValues,
            initial: initial.flatMap { initial in
                stateIndices[RegisteredClass.address(of: initial)].map { RegisteredClass(initial, index: Int($0)) }
            },
            cast: cast,
            stateIndices: stateIndices,
            stateIndicesByName: Dictionary(states.map { ($0.name, $0.index) }) { first, _ in first },
            eventIndicesByName: Dictionary(events.map { ($0.name, $0.index) }) { first, _ in first }
        )
        self.content = UnsafePointer([content].compiled())
    }

    var workflow: String { content.pointee.workflow }

    var version: Int { content.pointee.version }

    var migrations: [Migration] { content.pointee.migrations }

    @inlinable var states: UnsafeBufferPointer<RegisteredState> { content.pointee.states }

    @inlinable var events: UnsafeBufferPointer<BoundEvent> { content.pointee.events }

    var initial: Int? { content.pointee.initial?.index }

    @inlinable
    func state(_ index: Int) -> UnsafePointer<RegisteredState> {
        content.pointee.states.baseAddress.unsafelyUnwrapped + index
    }

    @inlinable
    func event(_ index: Int) -> UnsafePointer<BoundEvent> {
        content.pointee.events.baseAddress.unsafelyUnwrapped + index
    }

    /// The number of a class among the registered states; a subclass that is not registered has none.
    func stateIndex(of type: any AnyObject.Type) -> Int? {
        content.pointee.stateIndices[RegisteredClass.address(of: type)].map { Int($0) }
    }

    func stateIndex(named name: String) -> Int? { content.pointee.stateIndicesByName[name] }

    func eventIndex(named name: String) -> Int? { content.pointee.eventIndicesByName[name] }

    func eventNames(acceptedIn source: Int) -> [String] {
        events.filter { $0.reach.isAccepted(in: source) }.map(\.name)
    }

    /// The states that an event leads to from a state, as they were declared and in that order.
    func declaredDestinations(of event: BoundEvent, from source: Int) -> [RegisteredState] {
        var found: [RegisteredState] = []
        for pair in event.declaration.pairs {
            guard let declared = stateIndex(of: pair.destination) else { continue }
            let destination = pair.isUpdate ? source : declared
            guard event.reach.leads[source, destination] else { continue }
            if let declared = pair.source.flatMap({ stateIndex(of: $0) }), !states[source].lineage.contains(declared) {
                continue
            }
            if !found.contains(where: { $0.index == destination }) { found.append(states[destination]) }
        }
        return found
    }
}

// MARK: - Classes

extension Definition {
    /// The number of the class of an object that an event is to lead to.
    @inline(__always)
    func stateIndex(of object: Unmanaged<AnyObject>, likely event: UnsafePointer<BoundEvent>) -> Int? {
        stateIndex(of: object, likely: event.pointee.reach.onlyDestination)
    }

    /// The number of an object's class, tried first with the class that it is likely to be.
    @inline(__always)
    func stateIndex(of object: Unmanaged<AnyObject>, likely: RegisteredClass? = nil) -> Int? {
        let address = RegisteredClass.address(of: object)
        if let likely, likely.address == address { return likely.index }
        return content.pointee.stateIndices[address].map { Int($0) }
    }
}

extension Definition {
    /// Whether an object of a registered class can be handed out as the workflow's `AnyState`.
    @inline(__always)
    func suits(_ object: Unmanaged<AnyObject>, _ index: Int) -> Bool {
        // Looking at the closure would be counting a reference to it.
        state(index).pointee.tail.words != nil
            || state(index).pointee.tail.isKnown(for: object, by: content.pointee.cast)
    }
}

extension Definition {
    /// What follows an object of a class in what is handed out, when one of them was found to suit.
    @usableFromInline
    func tail(_ index: Int) -> UnsafePointer<UInt> {
        guard let tail = state(index).pointee.tail.words else {
            preconditionFailure("How to hand out a class is known before a machine is in a state of it.")
        }
        return tail
    }
}

/// A class of states with its number.
struct RegisteredClass: @unchecked Sendable {
    // Unchecked, because what a class is never changes.
    let address: UnsafeRawPointer
    let index: Int

    init(_ type: any AnyObject.Type, index: Int) {
        address = Self.address(of: type)
        self.index = index
    }

    static func address(of type: any AnyObject.Type) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
    }

    static func address(of object: Unmanaged<AnyObject>) -> UnsafeRawPointer {
        object._withUnsafeGuaranteedRef { address(of: type(of: $0)) }
    }
}
