/// Whether a type is a protocol, a composition of protocols, or `Any`.
///
/// Only the name of a metatype shows a protocol. The runtime writes `P.Protocol` for a protocol, and `.Type` for a
/// class and a value's type. For protocols with arguments it writes `(any P<Int>).Type`.
func isProtocol<T>(_ type: T.Type) -> Bool {
    let metatype = String(describing: Swift.type(of: type))
    return metatype.hasSuffix(".Protocol") || metatype.hasPrefix("(any ")
}
