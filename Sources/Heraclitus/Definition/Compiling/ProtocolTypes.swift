/// Whether a type is a protocol, a composition of protocols, or `Any`.
///
/// The language cannot be asked: a protocol conforms to nothing, and has no values of its own. Only the name of its metatype shows it.
/// The runtime says `P.Protocol`, where a class and a value's type have `.Type`; for protocols with arguments it says `(any P<Int>).Type`.
func isProtocol<T>(_ type: T.Type) -> Bool {
    let metatype = String(describing: Swift.type(of: type))
    return metatype.hasSuffix(".Protocol") || metatype.hasPrefix("(any ")
}
