import Synchronization

/// A definition together with the type that it is the definition of: the events, typed.
@usableFromInline
struct CompiledWorkflow<W: Workflow>: Sendable {
    @usableFromInline let definition: Definition

    @inlinable
    init(_ definition: Definition) { self.definition = definition }

    /// Where the workflow's value is: by address, so that a key path reads one event and does not copy them all.
    @inlinable var events: UnsafePointer<W> {
        definition.content.pointee.eventValues.assumingMemoryBound(to: W.self)
    }

    /// The number of an event; `nil` for a property that is computed from one and so belongs to no workflow.
    // Inlined to where the key path is written, so that it is an offset to the compiler; and by address, for to read the
    // workflow's value would be to count references to all of its events.
    @inlinable @inline(__always)
    func index<S, D>(of event: KeyPath<W, W.Event<S, D>>) -> Int? {
        guard let address = events.pointer(to: event) else { return events.pointee[keyPath: event].slot.index }
        return UnsafeRawPointer(address).load(as: Unmanaged<EventSlot>.self)._withUnsafeGuaranteedRef { $0.index }
    }

    /// The workflow, compiled when it is first used.
    @inlinable static var shared: CompiledWorkflow {
        CompiledWorkflow(Compiled.definition(of: unsafeBitCast(W.self, to: UnsafeRawPointer.self)) ?? compile())
    }

    static func diagnose() -> [WorkflowProblem] { compiler().compiler.problems }

    @usableFromInline
    static func compile() -> Definition {
        // Under no lock: reading a definition calls its author's code, which may itself use another workflow. Of two
        // threads that get here at once, the first to finish wins.
        let (compiler, events) = compiler()
        let problems = compiler.problems
        guard problems.isEmpty else {
            let list = problems.map { "\n  - \($0)" }.joined()
            fatalError("The definition of the workflow \(String(reflecting: W.self)) is wrong:\(list)")
        }
        compiler.bind()
        let values = [events].compiled()
        return Compiled.keep(
            compiler.definition(eventValues: values) { object in (object as? W.AnyState).map { tail(of: $0) } },
            of: unsafeBitCast(W.self, to: UnsafeRawPointer.self)
        )
    }

    private static func compiler() -> (compiler: DefinitionCompiler, events: W) {
        let events = W()
        return (DefinitionCompiler(W.self, events: events, initial: W.initial), events)
    }
}

/// The definitions of the workflows that have been used, by the address of the workflow's type.
@usableFromInline
enum Compiled {
    // The table that readers see, by address; unsafe is only the compiler's view of addresses. One that has become too small is left as it is, for somebody may be reading
    // it; all together are smaller than the one that is in use.
    private nonisolated(unsafe) static let table = Atomic([AddressTable(for: 32)].compiled())
    private static let count = Mutex(0)

    /// The definition of a workflow that has been used before; takes no lock.
    @usableFromInline
    static func definition(of workflow: UnsafeRawPointer) -> Definition? {
        table.load(ordering: .acquiring).pointee[workflow].flatMap(Definition.init(bits:))
    }

    /// Puts a definition where the next one who asks finds it.
    /// - Returns: The one that is there now: another thread may have been faster.
    static func keep(_ definition: Definition, of workflow: UnsafeRawPointer) -> Definition {
        count.withLock { count in
            let current = table.load(ordering: .relaxed)
            if let found = current.pointee[workflow].flatMap(Definition.init(bits:)) { return found }
            count += 1
            guard count > current.pointee.capacity else {
                current.pointee.add(definition.bits, for: workflow)
                return definition
            }
            let larger = AddressTable(for: 2 * count)
            for (address, value) in current.pointee.entries { larger.add(value, for: address) }
            larger.add(definition.bits, for: workflow)
            table.store([larger].compiled(), ordering: .releasing)
            return definition
        }
    }
}

extension Definition {
    fileprivate init?(bits: UInt) {
        guard let content = UnsafePointer<Content>(bitPattern: bits) else { return nil }
        self.content = content
    }

    fileprivate var bits: UInt { UInt(bitPattern: content) }
}
