extension WorkflowEvent {
    /// An event of the definition, for whoever has decoded its name.
    init(_ event: CompiledEvent) { self.init(EventSlot(event.declaration, index: event.index)) }

    /// The name that was given, or the name of the property.
    ///
    /// It is empty for an event without a name of its own that was not taken from ``Workflow/events``.
    public var name: String { bound?.name ?? declaration.name ?? "" }

    /// What the workflow made of this event; `nil` for one that is no stored property of it.
    var bound: CompiledEvent? {
        slot.index.map { CompiledWorkflow<W>.shared.definition.events[$0] }
    }
}
