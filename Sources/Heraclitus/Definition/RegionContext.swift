/// The context of the machines of one workflow in the states of another one.
///
/// A machine in a ``Composite`` state gets the ``Workflow/Context`` of its holder, if its own workflow has a context of
/// that type. Otherwise the holder's workflow makes its context:
///
/// ```swift
/// struct Order: Workflow {
///     typealias Context = Services
///     static var regionContexts: [RegionContext] {
///         [RegionContext(of: Payment.self) { (services: Services) in services.payments }]
///     }
/// }
/// ```
///
/// A machine without a context gets it when its state is entered or restored, or before it is rehearsed or read.
public struct RegionContext: Sendable {
    /// The workflow of the inner machines.
    let workflow: ObjectIdentifier

    /// The type of the holder's context.
    let holdersContext: ObjectIdentifier

    /// Makes the inner context from the holder's; `nil` if the holder's context is of another type.
    let make: @Sendable (GivenContext?) -> GivenContext?

    /// Makes the context of a workflow's machines.
    /// - Parameters:
    ///   - workflow: The workflow of the inner machines.
    ///   - make: Gets the holder's context, and returns the inner one. It is called on the calling thread, once for
    ///     each machine.
    public init<Inner: Workflow, Context: Sendable>(
        of workflow: Inner.Type,
        _ make: @escaping @Sendable (Context) -> Inner.Context
    ) {
        self.workflow = ObjectIdentifier(workflow)
        holdersContext = ObjectIdentifier(Context.self)
        self.make = { given in GivenContext.value(of: given, as: Context.self).map { GivenContext(make($0)) } }
    }
}

extension Definition {
    /// The context of an inner machine, if this workflow makes one.
    func context(for workflow: any Workflow.Type, _ given: GivenContext?) -> GivenContext? {
        content.value.facts.regionContexts.first { $0.workflow == ObjectIdentifier(workflow) }?.make(given)
    }
}
