import Heraclitus
import HeraclitusInspecting

/// The options of the command line.
struct Options {
    static let usage = """
        usage: workflow-diagram [WORKFLOW | FILE]… [--all] [--format FORMAT] [--theme THEME] [--to FOLDER]

        Draws workflows. Without arguments it lists those of the examples.

          WORKFLOW         one of the examples' workflows, such as orders/Order
          FILE             a workflow of your own: its table as JSON, or an archive with the table, in which the current state is
                           marked; - for the standard input
          --all            all of the examples' workflows
          --format FORMAT  mermaid, dot or scxml; mermaid unless given
          --theme THEME    light or dark; the colours of whoever draws it unless given
          --to FOLDER      write a file in each format for each workflow, and print their paths
        """

    private(set) var names: [String] = []
    private(set) var wantsAll = false
    private(set) var wantsHelp = false
    private(set) var format = DiagramFormat.mermaid
    private(set) var theme: DiagramTheme?
    private(set) var folder: String?

    init(_ arguments: [String]) throws(Refused) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--all": wantsAll = true
            case "--format": format = try Self.choice(of: argument, &rest)
            case "--theme": theme = try Self.choice(of: argument, &rest) as DiagramTheme
            case "--to": folder = try Self.value(of: argument, &rest)
            case _ where argument.hasPrefix("-") && argument != "-":
                throw Refused("There is no option \(argument).")
            default: names.append(argument)
            }
        }
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(Refused) -> String {
        guard let value = rest.popFirst() else { throw Refused("\(option) needs a value.") }
        return value
    }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        of option: String,
        _ rest: inout ArraySlice<String>
    ) throws(Refused) -> Choice {
        let value = try value(of: option, &rest)
        if let choice = Choice(rawValue: value) { return choice }
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw Refused("\(option) is one of \(choices), not \(value).")
    }
}
