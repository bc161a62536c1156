/// The default name of a state, a workflow or an effect: the name of its type, including the arguments of a generic
/// type.
///
/// Arguments include their module and outer types, because `Loaded<Sales.Item>` and `Loaded<Purchases.Item>` are two
/// states. A type within a generic type is prefixed by it: `Approval<Shop.Sales.Doc>.DraftState`. Other types have
/// their own name alone.
// Never inlined, like `ownName(of:)`.
@inline(never)
func defaultName(of type: Any.Type) -> String {
    let own = ownName(of: type)
    let full = _typeName(type, qualified: true)
    // The full name of every generic type contains this character, and few types are generic.
    guard full.utf8.contains(UInt8(ascii: "<")) else { return own }
    return TypeName(full).withArguments ?? own
}

/// The default name of a generic type in earlier versions, without arguments; `nil` if it is unchanged.
package func formerName(of type: Any.Type, named name: String) -> String? {
    guard name.utf8.contains(UInt8(ascii: "<")) else { return nil }
    let former = ownName(of: type)
    return former != name && defaultName(of: type) == name ? former : nil
}

/// The name of a type as code writes it: with outer types and arguments, and without modules.
///
/// The runtime hides the function around a local type, so the name lacks it.
// Never inlined, like `ownName(of:)`.
@inline(never)
package func writtenName(of type: Any.Type) -> String {
    let name = TypeName(_typeName(type, qualified: true)).text(from: 0, isPathStart: true) { _ in true }
    // The runtime writes the spaces of a name in backticks as no-break spaces.
    return String(name.map { $0 == "\u{A0}" ? " " : $0 })
}

/// The runtime's name of a type, with modules: `Shop.Loaded<Shop.Sales.Item>`.
private struct TypeName {
    /// The modules of the system and of this library.
    ///
    /// Names omit them, because the module of a type differs between platforms and versions.
    private static let commonModules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "CoreFoundation",
        "CoreGraphics", "__C", "Heraclitus", "HeraclitusEssentials", "HeraclitusFoundation", "HeraclitusInspecting",
        "HeraclitusJSON", "HeraclitusStores", "HeraclitusTables", "HeraclitusTesting",
    ]

    /// The runtime's text for the context of a local or private type: an address that differs in each run.
    private static let hiddenContext = "(unknown context at $"
    private static let extensionContext = "(extension in "

    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The name without its surroundings and with its arguments in full; `nil` for a type without arguments.
    var withArguments: String? {
        var isWithinMarks = false
        var start = 0
        for (place, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "`"): isWithinMarks.toggle()
            case UInt8(ascii: "."), UInt8(ascii: ":"): if !isWithinMarks { start = place + 1 }
            case UInt8(ascii: "<"):
                // The surroundings of the first name are removed here.
                if !isWithinMarks {
                    return unmarked(text(from: start, isPathStart: false, without: Self.commonModules.contains))
                }
            default: break
            }
        }
        return nil
    }

    /// The text from a type's name on, with each argument in full.
    /// - Parameters:
    ///   - start: The place of the first name.
    ///   - isPathStart: Whether the first name may be that of a module.
    ///   - isOmitted: Whether the text omits a module.
    /// - Returns: The text.
    func text(from start: Int, isPathStart: Bool, without isOmitted: (String) -> Bool) -> String {
        var result: [UInt8] = []
        var place = start
        var isPathStart = isPathStart
        while place < bytes.count {
            if let end = endOfContext(at: place) {
                place = end
                continue
            }
            let end = endOfWord(at: place)
            guard end > place else {
                result.append(bytes[place])
                isPathStart = bytes[place] != UInt8(ascii: ".")
                place += 1
                continue
            }
            if isPathStart, end < bytes.count, bytes[end] == UInt8(ascii: "."),
                isOmitted(String(decoding: bytes[place..<end], as: UTF8.self))
            {
                place = end + 1
            } else {
                result += bytes[place..<end]
                place = end
            }
            isPathStart = false
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The end of the runtime's text about a type's surroundings.
    private func endOfContext(at place: Int) -> Int? {
        guard bytes[place] == UInt8(ascii: "(") else { return nil }
        for (beginning, end) in [(Self.hiddenContext, UInt8(ascii: ".")), (Self.extensionContext, UInt8(ascii: ":"))]
        where bytes[place...].starts(with: beginning.utf8) {
            return bytes[place...].firstIndex(of: end).map { $0 + 1 }
        }
        return nil
    }

    /// The end of a name that begins here; the same place if none begins.
    private func endOfWord(at place: Int) -> Int {
        if bytes[place] == UInt8(ascii: "`") {
            return bytes[(place + 1)...].firstIndex(of: UInt8(ascii: "`")).map { $0 + 1 } ?? bytes.count
        }
        return bytes[place...].firstIndex { !Self.isPartOfWord($0) } ?? bytes.count
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        // Bytes beyond ASCII belong to letters of other alphabets.
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
        default: false
        }
    }
}
