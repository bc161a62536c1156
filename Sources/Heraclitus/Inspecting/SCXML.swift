extension TransitionTable {
    /// The workflow as a document in SCXML, the interchange format of the W3C for state machines.
    ///
    /// States and final states have their names as ids. An event that leads to one state has its own name; where it leads to several, each has a
    /// transition for the event's name, a dot and the name of the state. An event that updates a state has a transition without a target, which exits
    /// and enters nothing. An ignored event has none, because SCXML drops what no transition is for. What is not a letter, a digit, `-` or `_` in
    /// a name is written as its number, such as `_x20_` for a space. Guards and groups are left out.
    /// - Returns: The text of the document.
    public func scxml() -> String {
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"null\" name=\"\(Self.xmlName(workflow))\" "
                + "initial=\"\(Self.xmlName(initial))\">",
        ]
        var transitions: [String: [String]] = [:]
        for event in events {
            let leaving = Dictionary(grouping: event.transitions, by: \.from)
            for transition in event.transitions {
                let isOnly = leaving[transition.from]?.count == 1
                let name = Self.xmlName(event.name) + (isOnly ? "" : ".\(Self.xmlName(transition.to))")
                let target = transition.isUpdate ? "" : " target=\"\(Self.xmlName(transition.to))\""
                transitions[transition.from, default: []].append("        <transition event=\"\(name)\"\(target)/>")
            }
        }
        let finals = Set(finals)
        for state in states {
            let id = Self.xmlName(state)
            switch transitions[state] {
            case nil where finals.contains(state): lines.append("    <final id=\"\(id)\"/>")
            case nil: lines.append("    <state id=\"\(id)\"/>")
            case let content?: lines += ["    <state id=\"\(id)\">"] + content + ["    </state>"]
            }
        }
        return (lines + ["</scxml>", ""]).joined(separator: "\n")
    }

    /// A name of XML, another one for each text.
    static func xmlName(_ text: String) -> String {
        var name = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            let isLetter = "a"..."z" ~= scalar || "A"..."Z" ~= scalar
            let isPlain = isLetter || (!name.isEmpty && ("0"..."9" ~= scalar || scalar == "-"))
            // An underscore that would look like the beginning of a number is one.
            if isPlain || (scalar == "_" && rest.first != "x") {
                name.unicodeScalars.append(scalar)
            } else {
                name += "_x\(String(scalar.value, radix: 16))_"
            }
        }
        return name.isEmpty ? "_" : name
    }
}
