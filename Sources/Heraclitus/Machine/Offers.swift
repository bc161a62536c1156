/// An event of a machine's workflow, and what would become of it now; see ``StateMachine/offers(userInfo:)``.
public struct Offer: Sendable {
    /// What would become of an event.
    @nonexhaustive
    public enum Answer: Sendable {
        /// A fire without a state object would be a transition.
        case allowed

        /// The event leads from the current state, but has to be fired with an object of one of these states; so the guards, which get
        /// it, could not be asked. ``StateMachine/rehearse`` asks them.
        case needsState([String])

        /// A fire would do nothing, because the current state ignores the event.
        case ignored

        /// A fire would throw this error.
        case refused(InvalidTransition)
    }

    /// The name of the event.
    public let event: String

    /// What would become of it.
    public let answer: Answer

    /// What the guards threw that decline it, all of them in the order in which they are asked; a fire asks none after the first.
    public let unmetGuards: [any Error]

    /// The error that a fire would throw; `nil` if it would throw none, or if that depends on its state object.
    public var refusal: InvalidTransition? {
        if case .refused(let error) = answer { error } else { nil }
    }
}

extension Offer: CustomStringConvertible {
    /// The event and what would become of it, in one line: `ship: allowed`.
    public var description: String {
        switch answer {
        case .allowed: "\(event): allowed"
        case .needsState(let names): "\(event): allowed with \(names.joined(separator: " or "))"
        case .ignored: "\(event): ignored"
        case .refused(let error):
            unmetGuards.isEmpty
                ? "\(event): \(error.reasonText)"
                : "\(event): \(unmetGuards.map(ownWords(of:)).joined(separator: "; "))"
        }
    }
}

extension StateMachine {
    /// Lists every event of the workflow, in the order of the definition, with what would become of it now.
    ///
    /// For menus and buttons: what may be done, and why the rest may not be. Each event is rehearsed without a state object, as
    /// ``rehearse`` says, all in one turn and so for one and the same state. Of an event that guards decline, ``Offer/unmetGuards`` has
    /// the errors of all of them. Guards can only be asked about a state object; so an event that needs one which only its caller can
    /// make is answered by the table alone, with ``Offer/Answer-swift.enum/needsState(_:)``.
    /// - Parameter userInfo: What guards and errors get.
    /// - Returns: An offer for each event.
    public func offers(userInfo: UserInfo = [:]) -> [Offer] {
        let call = Call(self, userInfo)
        // Where the turn can never come each of them says so.
        let role = try? core.acquire(call, for: .rehearsal(nil))
        defer { if let role { core.finishRehearsal(role, call) } }
        return definition.events.map { offer(of: $0, userInfo: userInfo) }
    }

    private func offer(of event: CompiledEvent, userInfo: UserInfo) -> Offer {
        let unmet = UnmetGuards()
        let answer: Offer.Answer
        do throws(InvalidTransition) {
            try core.rehearse(.event(event.index), of: self, userInfo: userInfo, collecting: unmet) { candidate in
                try core.onlyEmptyState(of: candidate)
            }
            let source = core.expectedState(of: self)
            answer = definition.verdict(on: event.index, from: source) == .ignored ? .ignored : .allowed
        } catch {
            answer = error.reason == .destinationNeeded ? .needsState(error.candidates) : .refused(error)
        }
        return Offer(event: event.name, answer: answer, unmetGuards: unmet.errors)
    }
}
