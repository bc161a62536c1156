/// A place in the course of a transition at which somebody may listen, in the order of the calls.
enum Place: Int, CaseIterable, Sendable {
    case ask
    case willFire
    case willExit
    case willEnter
    case didExit
    case didEnter
    case didFire
    case observe

    /// Beside transitions: what was refused, performed or announced.
    case tell
}

/// The places at which somebody does listen.
@usableFromInline
struct Places: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @inlinable
    init(rawValue: UInt16) { self.rawValue = rawValue }

    @inline(__always)
    init(_ place: Place) { self.init(rawValue: 1 << UInt16(place.rawValue)) }

    init(_ places: [(Place, isUsed: Bool)]) {
        self = places.reduce(into: []) { if $1.isUsed { $0.insert(Places($1.0)) } }
    }

    @inline(__always)
    func contains(_ place: Place) -> Bool { rawValue & Places(place).rawValue != 0 }

    /// Those at which who listens is called before the machine shows the destination.
    static let before = Places(rawValue: 0b1110)

    /// Those at which who listens is called when it does.
    static let after = Places(rawValue: 0b1111_0000)
}
