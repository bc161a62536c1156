/// The name of a type as code writes it: with outer types and arguments, and without modules.
///
/// The runtime hides the function around a local type, so the name lacks it.
func writtenName(of type: Any.Type) -> String {
    var rest = Substring(_typeName(type, qualified: true))
    var name = ""
    var isPathStart = true
    while let first = rest.first {
        if let context = rest.prefixMatch(of: #/\((extension in [^)]*\):|unknown context at [^)]*\)\.)/#) {
            rest = rest[context.range.upperBound...]
        } else if let word = rest.prefixMatch(of: #/`[^`]*`|\w+/#) {
            rest = rest[word.range.upperBound...]
            // A path of names begins with its module.
            if isPathStart, rest.first == "." {
                rest = rest.dropFirst()
            } else {
                // The runtime writes the spaces of a name in backticks as no-break spaces.
                name += word.0.replacing("\u{A0}", with: " ")
            }
            isPathStart = false
        } else {
            name.append(first)
            rest = rest.dropFirst()
            isPathStart = first != "."
        }
    }
    return name
}
