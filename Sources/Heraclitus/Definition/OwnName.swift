/// A type's own name, without its module.
///
/// It equals `String(describing:)`, without three questions to the runtime about the type.
// Never inlined: with a known type, the optimizer adds the context of a private class.
@inline(never)
func ownName(of type: Any.Type) -> String { unmarked(_typeName(type, qualified: false)) }

/// The written name of a property with a mirror's label, also for a `lazy` property.
package func propertyName(_ label: String) -> String {
    let lazy = "$__lazy_storage_$_"
    return unmarked(label.hasPrefix(lazy) ? String(label.dropFirst(lazy.count)) : label)
}

/// The name of a type with its module and outer types, for finding it in the code.
///
/// For a local type, `String(reflecting:)` adds an address, which differs in each run.
func fullName(of type: Any.Type) -> String {
    String(reflecting: type).split(separator: ".", omittingEmptySubsequences: false)
        .filter { !$0.hasPrefix("(unknown context at $") }.joined(separator: ".")
}

/// A name as written between backticks.
///
/// The runtime reports such a name with the backticks, and with a no-break space for each space.
func unmarked(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "`")) else { return name }
    var result = ""
    var isWithin = false
    for character in name {
        switch character {
        case "`": isWithin.toggle()
        case "\u{A0}" where isWithin: result.append(" ")
        default: result.append(character)
        }
    }
    return result
}
