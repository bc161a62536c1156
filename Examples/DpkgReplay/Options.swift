/// What the user asks for.
struct Options {
    static let usage = """
        Usage: dpkg-replay [LOG] [--status FILE] [--archive FILE] [--stop-after LINES] [--package NAME]

        Replays dpkg's log: every package is a state machine, every line an event. Lines that dpkg cannot have written
        after those before them are reported.

          LOG                 the log; without it /var/log/dpkg.log, or a sample where there is none
          --status FILE       compare the end with dpkg's database; /var/lib/dpkg/status if no LOG is given
          --archive FILE      write all machines to a file of JSON lines; an existing one is restored first
          --stop-after LINES  stop after that many lines of this run
          --package NAME      tell the life of one package, with or without its architecture, and print its archive
        """

    var log: String?
    var status: String?
    var archive: String?
    var stopAfter: Int?
    var package: String?
    var wantsHelp = false

    init(_ arguments: [String]) throws(Refused) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--status": status = try Self.value(of: argument, &rest)
            case "--archive": archive = try Self.value(of: argument, &rest)
            case "--package": package = try Self.value(of: argument, &rest)
            case "--stop-after":
                let text = try Self.value(of: argument, &rest)
                guard let number = Int(text), number >= 0 else {
                    throw Refused("--stop-after takes a number of lines, not \"\(text)\".")
                }
                stopAfter = number
            case _ where argument.hasPrefix("-"): throw Refused("There is no option \(argument); see --help.")
            case _ where log == nil: log = argument
            default: throw Refused("One log at a time: \(log ?? "") or \(argument).")
            }
        }
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(Refused) -> String {
        guard let value = rest.popFirst(), !value.isEmpty else { throw Refused("\(option) takes a value.") }
        return value
    }
}
