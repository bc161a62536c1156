/// How the caller says which event is to fire.
@usableFromInline
enum Trigger {
    case event(Int)
    indirect case named(String)

    /// An event value that belongs to no workflow: no stored property, or a modified copy of one.
    case unbound

    /// Whichever event leads to this class.
    indirect case entering(any AnyObject.Type)

    /// Whichever event leads to the state of this name.
    indirect case enteringNamed(String)

    @inlinable
    init(_ event: Int?) { self = event.map(Trigger.event) ?? .unbound }
}
