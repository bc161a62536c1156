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
}

/// The places at which somebody does listen.
@usableFromInline
struct Places: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ place: Place) { self.init(rawValue: 1 << UInt8(place.rawValue)) }

    init(_ places: [(Place, isUsed: Bool)]) {
        self = places.reduce(into: []) { if $1.isUsed { $0.insert(Places($1.0)) } }
    }

    func contains(_ place: Place) -> Bool { contains(Places(place)) }
}
