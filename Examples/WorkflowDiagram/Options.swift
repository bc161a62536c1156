import Heraclitus
import HeraclitusInspecting

/// The options of the command line.
struct Options {
    static let usage = """
        usage: heraclitus-workflow-diagram [WORKFLOW | FILE]… [--all] [--format FORMAT] [--to FOLDER]

        Draws workflows. Without arguments it lists those of the examples.

          WORKFLOW         one of the examples' workflows, such as orders/Order
          FILE             a workflow of your own: its table as JSON, or an archive with the table, in which the current state is
                           marked; - for the standard input
          --all            all of the examples' workflows
          --format FORMAT  mermaid, dot or scxml; mermaid unless given
          --to FOLDER      write a file in each format for each workflow, and print their paths
        """

    private(set) var names: [String] = []
    private(set) var wantsAll = false
    private(set) var wantsHelp = false
    private(set) var format = DiagramFormat.mermaid
    private(set) var folder: String?

    init(_ arguments: [String]) throws(Refused) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--all": wantsAll = true
            case "--format": format = try Self.format(of: argument, &rest)
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

    private static func format(of option: String, _ rest: inout ArraySlice<String>) throws(Refused) -> DiagramFormat {
        let value = try value(of: option, &rest)
        if let format = DiagramFormat(rawValue: value) { return format }
        let choices = DiagramFormat.allCases.map(\.rawValue).joined(separator: ", ")
        throw Refused("\(option) is one of \(choices), not \(value).")
    }
}
