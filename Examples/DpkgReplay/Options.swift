/// The options of the command line.
struct Options {
    static let usage = """
        usage: heraclitus-dpkg-replay [LOG…] [--status FILE] [--archive FILE] [--limit N] [--verbose] [--json] …

        Replays dpkg's logs: every package is a state machine, every line an event. Lines that dpkg cannot have written
        after those before them are reported, and packages that are in another state than dpkg's database says.

          LOG                  a log, also compressed by gzip, or - for the standard input; several are read in the order
                               of their times. Without one: /var/log/dpkg.log and what logrotate has made of it, or a
                               sample where there is none
          --status FILE        compare the end with dpkg's database; /var/lib/dpkg/status if no LOG is given
          --archive FILE       write all machines to a file of JSON lines; an existing one is restored first, and the
                               replay goes on where it stopped, also after the log was rotated
          --checkpoint SECONDS how often the archive is written meanwhile; 5 unless given
          --stop-after LINES   stop after that many lines of this run
          --package NAME       tell the life of one package, with or without its architecture, and print its archive
          --limit N            name no more than N lines and packages of a kind; 50 unless given
          --verbose            with each rejected line its text, and what the state machine says of it
          --json               print one JSON object

        Exit status: 0 if all is well; 1 if this run has rejected a line, or a package disagrees with the database; 2 if
        something cannot be read or written; 64 if the arguments are wrong.
        """

    var logs: [String] = []
    var status: String?
    var archive: String?
    var checkpoint = Duration.seconds(5)
    var stopAfter: Int?
    var package: String?
    var limit = 50
    var isVerbose = false
    var asJSON = false
    var wantsHelp = false

    init(_ arguments: [String]) throws(Refused) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--verbose", "-v": isVerbose = true
            case "--json": asJSON = true
            case "--status": status = try Self.value(of: argument, &rest)
            case "--archive": archive = try Self.value(of: argument, &rest)
            case "--package": package = try Self.value(of: argument, &rest)
            case "--stop-after": stopAfter = try Self.number(of: "lines", argument, &rest)
            case "--limit": limit = try Self.number(of: "lines", argument, &rest)
            case "--checkpoint": checkpoint = .seconds(try Self.number(of: "seconds", argument, &rest))
            case "--":
                logs += rest
                rest = []
            case "-": logs.append(argument)
            case _ where argument.hasPrefix("-"): throw Refused("There is no option \(argument).")
            default: logs.append(argument)
            }
        }
        if asJSON, package != nil { throw Refused("--json and --package do not go together.") }
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(Refused) -> String {
        guard let value = rest.popFirst(), !value.isEmpty else { throw Refused("\(option) takes a value.") }
        return value
    }

    private static func number(
        of what: String,
        _ option: String,
        _ rest: inout ArraySlice<String>
    ) throws(Refused) -> Int {
        let text = try value(of: option, &rest)
        guard let number = Int(text), number >= 0 else {
            throw Refused("\(option) takes a number of \(what), not \"\(text)\".")
        }
        return number
    }
}
