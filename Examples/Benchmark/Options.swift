/// The options of the command line.
struct Options {
    static let usage = """
        usage: heraclitus-benchmark [--json] [--only TEXT] [--samples N] [--milliseconds N]

          --json             a line of JSON a figure instead of the table
          --only TEXT        only figures whose name contains the text
          --samples N        how often each side is measured, 15 unless given
          --milliseconds N   how long a sample takes about, 20 unless given
        """

    var json = false
    var help = false
    var only: String?
    var samples = 15
    var sampleTime = Duration.milliseconds(20)

    struct Misuse: Error, CustomStringConvertible {
        let description: String

        init(_ problem: String) { description = "heraclitus-benchmark: \(problem)\n\(Options.usage)" }
    }

    init(_ arguments: some Sequence<String>) throws(Misuse) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--json": json = true
            case "--help", "-h": help = true
            case "--only": only = try Self.value(of: argument, arguments.next())
            case "--samples": samples = try Self.number(argument, arguments.next())
            case "--milliseconds": sampleTime = .milliseconds(try Self.number(argument, arguments.next()))
            default: throw Misuse("what is \(argument)?")
            }
        }
    }

    private static func value(of option: String, _ value: String?) throws(Misuse) -> String {
        guard let value else { throw Misuse("\(option) needs a value") }
        return value
    }

    private static func number(_ option: String, _ value: String?) throws(Misuse) -> Int {
        guard let number = Int(try Self.value(of: option, value)), (1...10_000).contains(number) else {
            throw Misuse("\(option) needs a number from 1 to 10000")
        }
        return number
    }
}
