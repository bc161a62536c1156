package import Heraclitus

extension TransitionTable {
    /// The workflow as a document in ``DiagramFormat/scxml``.
    package func scxml() -> String {
        let start =
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"null\" "
            + "name=\"\(Self.xmlName(workflow))\" initial=\"\(xmlInitial)\">"
        let document = block(start, scxmlStates(statePath: "", eventPath: ""), "</scxml>")
        return ([#"<?xml version="1.0" encoding="UTF-8"?>"#] + document + [""]).joined(separator: "\n")
    }

    private var xmlInitial: String { Self.xmlName(states.first { $0 == initial } ?? initial) }

    /// The states, whose ids and events begin with a path.
    private func scxmlStates(statePath: String, eventPath: String) -> [String] {
        // Equal names may be composed of other characters, but an id is compared by them.
        let spellings = Dictionary(states.map { ($0, $0) }) { first, _ in first }
        var transitions: [String: [String]] = [:]
        for event in events {
            let pairs = event.transitions.once
            let leaving = Dictionary(grouping: pairs, by: \.from)
            for transition in pairs {
                let isOnly = leaving[transition.from]?.count == 1
                let to = Self.xmlName(spellings[transition.to] ?? transition.to)
                let name = eventPath + Self.xmlEventName(event.name) + (isOnly ? "" : ".\(to)")
                let target = transition.isUpdate ? "" : " target=\"\(statePath)\(to)\""
                transitions[transition.from, default: []].append("<transition event=\"\(name)\"\(target)/>")
            }
        }
        let finals = Set(finals)
        let eventNames = Set(events.map { Self.xmlEventName($0.name) })
        let regions = Dictionary(grouping: regions, by: \.state)
        return states.flatMap { state in
            let id = statePath + Self.xmlName(state)
            let inner = Self.scxmlRegions(regions[state] ?? [], of: id, eventPath: eventPath, besides: eventNames)
            let content = (transitions[state] ?? []) + inner
            if !content.isEmpty { return block("<state id=\"\(id)\">", content, "</state>") }
            return finals.contains(state) ? ["<final id=\"\(id)\"/>"] : ["<state id=\"\(id)\"/>"]
        }
    }

    /// The machines of a state; several run in parallel.
    private static func scxmlRegions(
        _ regions: [Region],
        of state: String,
        eventPath: String,
        besides eventNames: Set<String>
    ) -> [String] {
        var uses: [String: Int] = [:]
        let parts = regions.flatMap { region in
            let (name, event) = (xmlName(region.name), xmlEventName(region.name))
            let number = uses[name, default: 0] + 1
            uses[name] = number
            // No name has a dot.
            let suffix = number == 1 ? "" : ".\(number)"
            let id = "\(state).\(name)\(suffix)"
            // Names never begin like this: a number stands behind `_x`.
            let path = eventPath + (eventNames.contains(event) ? "_x_" : "") + "\(event)\(suffix)."
            let states = region.table.scxmlStates(statePath: id + ".", eventPath: path)
            return block("<state id=\"\(id)\" initial=\"\(id).\(region.table.xmlInitial)\">", states, "</state>")
        }
        return regions.count > 1 ? block("<parallel id=\"\(state)._\">", parts, "</parallel>") : parts
    }

    /// A name of an event, which differs from the names of the platform's events.
    static func xmlEventName(_ text: String) -> String {
        switch text {
        case "done": "_x0064_one"
        case "error": "_x0065_rror"
        default: xmlName(text)
        }
    }

    /// A name of XML, unique for each text.
    static func xmlName(_ text: String) -> String {
        // An underscore alone is the id of the parallel state, and in other names a number stands behind `_x`.
        if text.isEmpty { return "_x_" }
        if text == "_" { return "_x005f_" }
        var name = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            let isLetter = "a"..."z" ~= scalar || "A"..."Z" ~= scalar
            let isPlain = isLetter || (!name.isEmpty && ("0"..."9" ~= scalar || scalar == "-"))
            // An underscore that looks like the beginning of a number becomes a number.
            if isPlain || (scalar == "_" && rest.first != "x") {
                name.unicodeScalars.append(scalar)
            } else {
                // Four digits tell the number from parts of others' names, such as `grid_x1_y2`.
                let digits = String(scalar.value, radix: 16)
                name += "_x\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)_"
            }
        }
        return name
    }
}
