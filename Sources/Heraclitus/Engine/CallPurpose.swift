// What does a call want, and what follows from that?

/// What a call wants of a machine.
enum CallPurpose {
    /// A transition, an action or an announcement.
    case fire

    /// The same, of what goes on by itself in a state: it belongs to a machine that is active, and activates none.
    case automatic

    /// To know whether a fire would be a transition; with what gets all guards that decline, if all are to be asked.
    case rehearsal(UnmetGuards?)

    /// To activate it.
    case activation

    /// Whether it changes nothing.
    @inline(__always)
    var endsWithGuards: Bool { if case .rehearsal = self { true } else { false } }

    /// Whether observers hear how it ends.
    @inline(__always)
    var isToldToObservers: Bool { !endsWithGuards }
}

extension CallPurpose {
    /// The purpose of a fire whose event was chosen in some way.
    func firing(_ selector: EventSelector) -> CallPurpose {
        if case .fire = self, selector.isAutomatic { .automatic } else { self }
    }

    /// What a call of a machine is for its holder.
    var ofHolder: CallPurpose {
        switch self {
        case .rehearsal: .rehearsal(nil)
        case .automatic: .automatic
        case .fire, .activation: .fire
        }
    }
}
