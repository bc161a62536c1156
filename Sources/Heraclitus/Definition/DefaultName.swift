/// The name that a state, a workflow or an effect has by default: the type's own, and that of a generic type with what its arguments are.
///
/// Arguments have their module and all types around them, because `Loaded<Sales.Item>` and `Loaded<Purchases.Item>` are two states. A type
/// within a generic one has that one before its name: `Approval<Shop.Sales.Doc>.DraftState`. A type that is not generic has its own name alone.
// Never inlined, as `ownName(of:)`.
@inline(never)
func defaultName(of type: Any.Type) -> String {
    let own = ownName(of: type)
    let full = _typeName(type, qualified: true)
    // Few types are generic, and every generic one has this somewhere.
    guard full.utf8.contains(UInt8(ascii: "<")) else { return own }
    return TypeName(full).withArguments ?? own
}

/// The name that a type with a default name had before generic types were told apart by their arguments; `nil` if it has that still.
func formerName(of type: Any.Type, named name: String) -> String? {
    guard name.utf8.contains(UInt8(ascii: "<")) else { return nil }
    let former = ownName(of: type)
    return former != name && defaultName(of: type) == name ? former : nil
}

extension Workflow {
    /// The names under which archives of this workflow may be stored: its own first, and the default name that it had in earlier versions.
    package static var storedNames: [String] { [name] + [formerName(of: self, named: name)].compactMap(\.self) }

    /// The names under which archives of machines with a context may be stored.
    package static func storedNames(in context: Context) -> [String] {
        StateMachine<Self>.given(context)?.definition.map { [$0.workflow] } ?? storedNames
    }

    /// The version of the archives of machines with a context.
    package static func version(in context: Context) -> Int {
        StateMachine<Self>.given(context)?.definition?.version ?? version
    }

    /// The names under which archives of this workflow may have states of a class, as ``storedNames``; `nil` if all its states are of that class.
    package static func storedNames(of state: any WorkflowState.Type) -> [String]? {
        // The states of a table have names of their own.
        if state == DataState.self, Self.self == DataWorkflow.self { return nil }
        let definition = CompiledWorkflow<Self>.shared.definition
        guard let former = formerName(of: state, named: state.name), let index = definition.stateIndex(of: state),
            definition.stateIndex(named: former) == index
        else { return [state.name] }
        return [state.name, former]
    }

    /// The name of the state that archives may have stored under a name: the same, except for a default name of earlier versions.
    package static func nameToday(ofState name: String) -> String {
        let definition = CompiledWorkflow<Self>.shared.definition
        return definition.stateIndex(named: name).map { definition.states[$0].name } ?? name
    }
}

/// The name of a type as the runtime writes it, with modules: `Shop.Loaded<Shop.Sales.Item>`.
private struct TypeName {
    /// The modules of the system and of this library.
    ///
    /// They are left out of names: which of them a type is of differs between platforms and versions.
    private static let commonModules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "CoreFoundation",
        "CoreGraphics", "__C", "Heraclitus", "HeraclitusJSON",
    ]

    /// What the runtime says of a type that a function declares or a file keeps to itself: an address, another one in each run.
    private static let hiddenContext = "(unknown context at $"
    private static let extensionContext = "(extension in "

    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    /// The name without what is around it, and with its arguments in full; `nil` if it has none.
    var withArguments: String? {
        var isWithinMarks = false
        var start = 0
        for (place, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "`"): isWithinMarks.toggle()
            case UInt8(ascii: "."), UInt8(ascii: ":"): if !isWithinMarks { start = place + 1 }
            case UInt8(ascii: "<"): if !isWithinMarks { return unmarked(text(from: start)) }
            default: break
            }
        }
        return nil
    }

    /// The text from the name of a type on, with each argument in full.
    private func text(from start: Int) -> String {
        var result: [UInt8] = []
        var place = start
        // The first name has lost what was around it.
        var isPathStart = false
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
                Self.commonModules.contains(String(decoding: bytes[place..<end], as: UTF8.self))
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

    /// Where what the runtime says of the surroundings of a type ends.
    private func endOfContext(at place: Int) -> Int? {
        guard bytes[place] == UInt8(ascii: "(") else { return nil }
        for (beginning, end) in [(Self.hiddenContext, UInt8(ascii: ".")), (Self.extensionContext, UInt8(ascii: ":"))]
        where bytes[place...].starts(with: beginning.utf8) {
            return bytes[place...].firstIndex(of: end).map { $0 + 1 }
        }
        return nil
    }

    /// Where a name ends that begins here; the same place if none does.
    private func endOfWord(at place: Int) -> Int {
        if bytes[place] == UInt8(ascii: "`") {
            return bytes[(place + 1)...].firstIndex(of: UInt8(ascii: "`")).map { $0 + 1 } ?? bytes.count
        }
        return bytes[place...].firstIndex { !Self.isPartOfWord($0) } ?? bytes.count
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        // Letters of other alphabets are of bytes beyond ASCII.
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: true
        default: false
        }
    }
}
