private enum EventKey: String, CodingKey {
    case name, from, to
}

extension WorkflowEvent: Encodable {
    /// Writes the name of the event, its sources and its destinations.
    ///
    /// `from` is `null` for any state.
    ///
    /// Closures belong to the definition and are left out.
    /// - Parameter encoder: The encoder.
    /// - Throws: `EncodingError` for an unnamed event: take the event from `Download.events`.
    public func encode(to encoder: any Encoder) throws {
        guard !name.isEmpty else {
            let text = "The event is not bound to a workflow; take it from \(W.self).events."
            throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: text))
        }
        var container = encoder.container(keyedBy: EventKey.self)
        let rules = declaration.rules.all
        try container.encode(name, forKey: .name)
        if rules.contains(where: \.sources.isAny) {
            try container.encodeNil(forKey: .from)
        } else {
            try container.encode(rules.flatMap { Self.sources(of: $0) }.map { $0.name }.once, forKey: .from)
        }
        let destinations = rules.flatMap { $0.isUpdate ? Self.sources(of: $0) : $0.destinations }
        try container.encode(destinations.map { $0.name }.once, forKey: .to)
    }

    private static func sources(of rule: DeclaredRule) -> [any WorkflowState.Type] {
        rule.sources.states(ofGroup: { W.definition.states.map(\.type).filter($0.includes) }) ?? []
    }
}

extension WorkflowEvent: Decodable {
    /// Finds the workflow's event with the encoded name.
    ///
    /// Its states and closures are those of the definition.
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the workflow's event of that name is missing or of another type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: EventKey.self)
        let name = try container.decode(String.self, forKey: .name)
        let definition = W.definition
        func problem(_ text: String) -> DecodingError {
            DecodingError.dataCorruptedError(forKey: .name, in: container, debugDescription: text)
        }
        guard let index = definition.eventIndex(named: name) else {
            throw problem("The workflow \(definition.workflow) has no event \"\(name.shortened)\".")
        }
        let event = definition.events[index]
        guard event.valueType == Self.self else {
            throw problem("The event \"\(name)\" of \(definition.workflow) is a \(event.valueType).")
        }
        self.init(event)
    }
}
