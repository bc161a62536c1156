/// A type's own name, without its module.
///
/// It is what `String(describing:)` says, without asking the runtime three times whether the type describes itself.
// Never inlined to where the type is known: there the optimizer knows better, and adds to a private class where it is from.
@inline(never)
func ownName(of type: Any.Type) -> String { unmarked(_typeName(type, qualified: false)) }

/// A property's name as it is written, of its label in a mirror; also of one that is `lazy`.
package func propertyName(_ label: String) -> String {
    let lazy = "$__lazy_storage_$_"
    return unmarked(label.hasPrefix(lazy) ? String(label.dropFirst(lazy.count)) : label)
}

/// A type's name with its module and all types around it, by which somebody who has to change it finds it.
///
/// For a type that a function declares `String(reflecting:)` adds an address, which is another one in each run of the program.
func fullName(of type: Any.Type) -> String {
    String(reflecting: type).split(separator: ".", omittingEmptySubsequences: false)
        .filter { !$0.hasPrefix("(unknown context at $") }.joined(separator: ".")
}

/// A name as it was written between backticks, if it is no plain identifier.
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
