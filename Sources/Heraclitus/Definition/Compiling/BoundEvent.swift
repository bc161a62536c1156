extension WorkflowEvent {
    /// An event of the definition, for decoding by name.
    init(_ event: CompiledEvent) { self.init(EventSlot(event.declaration, index: event.index)) }

    /// The given name, or the name of the property.
    ///
    /// It is empty for an unnamed event outside ``Workflow/events``.
    public var name: String { bound?.name ?? declaration.name ?? "" }

    /// The compiled event; `nil` if this value is no stored property of the workflow.
    var bound: CompiledEvent? {
        slot.index.map { W.definition.events[$0] }
    }
}
