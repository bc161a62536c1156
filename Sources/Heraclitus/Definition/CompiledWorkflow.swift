import Synchronization

/// A workflow's events and its definition, made when the workflow is first used and shared by all its machines.
@usableFromInline
final class CompiledWorkflow<W: Workflow>: Sendable {
    // By address, so that a key path reads one event and does not copy them all. Never written and never freed: a compiled
    // workflow lives as long as the program.
    @usableFromInline nonisolated(unsafe) let storage: UnsafePointer<W>
    @usableFromInline let definition: Definition

    private init(events: W, definition: Definition) {
        let storage = UnsafeMutablePointer<W>.allocate(capacity: 1)
        storage.initialize(to: events)
        self.storage = UnsafePointer(storage)
        self.definition = definition
    }

    @inlinable var events: W { storage.pointee }

    @usableFromInline static var shared: CompiledWorkflow {
        let key = ObjectIdentifier(W.self)
        if let found = registry.withLock({ $0[key] }) { return unsafeDowncast(found, to: CompiledWorkflow.self) }
        // Outside the lock: reading a definition calls its author's code, which may itself use another workflow. Of two
        // threads that get here at once, the first to finish wins.
        let made = compile()
        let kept = registry.withLock { registry in
            if let found = registry[key] { return found }
            registry[key] = made
            return made
        }
        return unsafeDowncast(kept, to: CompiledWorkflow.self)
    }

    static func diagnose() -> [WorkflowProblem] { compiler().compiler.problems }

    private static func compile() -> CompiledWorkflow {
        let (compiler, events) = compiler()
        let problems = compiler.problems
        guard problems.isEmpty else {
            let list = problems.map { "\n  - \($0)" }.joined()
            fatalError("The definition of the workflow \(String(reflecting: W.self)) is wrong:\(list)")
        }
        compiler.bind()
        return CompiledWorkflow(events: events, definition: compiler.definition())
    }

    private static func compiler() -> (compiler: DefinitionCompiler, events: W) {
        let events = W()
        return (DefinitionCompiler(W.self, events: events, initial: W.initial), events)
    }
}

/// The compiled workflows by type.
///
/// An entry's class is the `CompiledWorkflow` of the type in its key.
private let registry = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])
