/// The context of the machines of one workflow in the states of another one.
///
/// A machine in a state of a ``Composite`` gets the ``Workflow/Context`` of the machine whose state holds it, if its own workflow has a
/// context of that type. Otherwise the holder's workflow says what it gets:
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
/// A machine gets its context when a state that holds it is entered or restored, unless it has one.
public struct RegionContext: Sendable {
    /// The workflow of the machines in states.
    let workflow: ObjectIdentifier

    /// The type of the context that the closure takes.
    let holdersContext: ObjectIdentifier

    /// Makes their context of the holder's; `nil` if the holder has none of the closure's type.
    let make: @Sendable (GivenContext?) -> GivenContext?

    /// Makes the context of the machines of a workflow.
    /// - Parameters:
    ///   - workflow: The workflow of the machines in states.
    ///   - make: Gets the holder's context, and returns theirs; called on the firing thread for each machine that is taken on.
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
    /// The context of a machine of a workflow in a state of this one, if the workflow says what that is.
    func context(for workflow: any Workflow.Type, _ given: GivenContext?) -> GivenContext? {
        content.value.regionContexts.first { $0.workflow == ObjectIdentifier(workflow) }?.make(given)
    }
}
