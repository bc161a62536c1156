/// A mistake in the definition of a workflow, or a warning about a valid one.
///
/// ``Workflow/diagnostics`` and `problems` of a table list mistakes; most stop the program at the first use of the
/// workflow. `findings` of `HeraclitusInspecting` lists warnings. Leave out a known problem by its kind and its names:
///
/// ```swift
/// #expect(Download.findings.filter { !($0.kind == "deadEnd" && $0.names == ["Archived"]) }.isEmpty)
/// ```
public struct WorkflowProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the problem, such as `missingMigration`; a kind keeps its name in later releases.
    public let kind: String

    /// The names concerned, in the order of the description; the table of kinds lists what they name.
    public let names: [String]

    /// A sentence about the problem: the fault, its place and the remedy.
    public let description: String

    /// Whether the problem stops the program at the first use of the workflow.
    ///
    /// Problems of an ``EmptyState``'s object appear later, because objects are made for ``Workflow/diagnostics`` and
    /// for fires.
    public let stopsTheProgram: Bool

    package init(_ kind: String, _ names: [String], stopsTheProgram: Bool = true, _ description: String) {
        (self.kind, self.names) = (kind, names)
        (self.stopsTheProgram, self.description) = (stopsTheProgram, description)
    }
}

extension WorkflowProblem {
    package static func empty(event name: String) -> WorkflowProblem {
        .init(
            "emptyEvent",
            [name],
            "The event \"\(name.shortened)\" leads nowhere: it lists no source or no destination. List both."
        )
    }

    package static func empty(group name: String) -> WorkflowProblem {
        .init("emptyGroup", [name], "The group \"\(name.shortened)\" has no states. Add one, or remove the group.")
    }

    /// A state that is not of the initial state's type.
    static func foreignState(
        _ type: any WorkflowState.Type,
        expected: String,
        stopsTheProgram: Bool = true
    ) -> WorkflowProblem {
        let name = fullName(of: type)
        let text =
            "The state \(name) lacks the type of `initial`, \(expected). "
            + "Conform it to that type, or declare `initial` as `any` protocol of all states."
        return .init("foreignState", [name, expected], stopsTheProgram: stopsTheProgram, text)
    }

    /// The problems of blank and repeated names.
    /// - Parameters:
    ///   - part: The kind of elements in words.
    ///   - elements: The elements with these names.
    ///   - name: The name of an element.
    ///   - place: The class or property of an element; `nil` in a table, and for a group.
    /// - Returns: The problems.
    static func ofNames<Element>(
        _ part: String,
        _ elements: some Collection<Element>,
        _ name: (Element) -> String,
        at place: (Element) -> String?
    ) -> [WorkflowProblem] {
        let kind = part.prefix(1).uppercased() + part.dropFirst() + "Name"
        let blank = elements.filter { name($0).isBlank }.map { element in
            let place = place(element)
            let subject = place.map { "the \(part) `\($0)`" } ?? "one \(part)"
            return Self("blank\(kind)", place.map { [$0] } ?? [], "The name of \(subject) is blank. Give it a name.")
        }
        return blank
            + repeated(Array(elements), by: name).map { name, elements in
                let places = elements.compactMap(place)
                let list = places.isEmpty ? "" : ": \(places.joined(separator: ", "))"
                let text = "Several \(part)s have the name \"\(name.shortened)\"\(list). Give each its own name."
                return Self("duplicate\(kind)", [name] + places, text)
            }
    }

    /// The groups of elements that share a key, in the order of their first element.
    static func repeated<Element, Key: Hashable>(
        _ elements: [Element],
        by key: (Element) -> Key
    ) -> [(Key, [Element])] {
        let groups = Dictionary(grouping: elements, by: key).filter { $0.value.count > 1 }
        return elements.map(key).once.compactMap { key in groups[key].map { (key, $0) } }
    }
}

extension String {
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension Sequence where Element: Hashable {
    /// The elements without repetitions, in the order of their first places.
    package var once: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
