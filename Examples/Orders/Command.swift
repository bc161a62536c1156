import Foundation

/// What one line asks for.
enum Command: Equatable {
    case add(id: String, Item)
    case remove(id: String, item: String)
    case place(id: String, address: String, payWithin: TimeInterval)
    case pay(id: String, amount: Decimal)
    case ship(id: String, tracking: String)
    case deliver(id: String)
    case giveBack(id: String, reason: String)
    case cancel(id: String, reason: String)
    case show(id: String)
    case list(state: String?)
    case run(isOnce: Bool)
    case bench(Bench)
    case work(BenchWork)

    static let usage = """
        usage: orders [--database] DIRECTORY [COMMAND]

          add ID NAME PRICE [QUANTITY]     put something into a cart, a new one if there is none
          remove ID NAME                   take it out
          place ID --to ADDRESS [--within SECONDS]
                                           to be paid within that time, 14 days if it is left out
          pay ID --amount AMOUNT           all of it, or a part
          ship ID --tracking NUMBER
          deliver ID
          return ID --reason TEXT          gives the money back
          cancel ID [--reason TEXT]        likewise
          show ID
          list [STATE]
          run [--once]                     cancels orders that were not paid in time and sends notices, until it is ended
          bench [--workers N] [--seconds S]
                                           lets processes work on orders of their own, and checks the books afterwards

        Without a command, commands are read from standard input, one a line; "…" holds words together. The orders of Examples/Databases also take
        a file that ends in .sqlite, or postgres://…, for a directory.
        """

    /// Whether it may be the first for a database that is not there yet.
    var mayBeFirst: Bool {
        switch self {
        case .add, .run, .bench, .work: true
        case .remove, .place, .pay, .ship, .deliver, .giveBack, .cancel, .show, .list: false
        }
    }

    /// The commands that begin with the id of an order.
    private static let verbs: Set = [
        "add", "remove", "place", "pay", "ship", "deliver", "return", "cancel", "show",
    ]

    struct Misuse: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    init(_ words: [String]) throws(Misuse) {
        var words = words[...]
        guard let verb = words.popFirst() else { throw Misuse("there is no command") }
        if verb == "list" {
            self = .list(state: words.popFirst())
        } else if verb == "run" {
            self = .run(isOnce: words.first == "--once")
            if words.first == "--once" { words.removeFirst() }
        } else if verb == "bench" {
            let workers = try Self.number("--workers", &words, 1...64) ?? 4
            self = .bench(Bench(workers: workers, seconds: try Self.number("--seconds", &words, 1...86_400) ?? 10))
        } else if verb == "bench-work" {
            guard let prefix = words.popFirst(), let file = words.popFirst() else { throw Misuse("this is for bench") }
            let seconds = try Self.number("--seconds", &words, 1...86_400) ?? 10
            self = .work(BenchWork(prefix: prefix, file: file, seconds: seconds))
        } else {
            guard Self.verbs.contains(verb) else { throw Misuse("there is no command \(verb)") }
            guard let id = words.popFirst() else { throw Misuse("\(verb) needs the id of an order") }
            switch verb {
            case "add":
                let name = try Self.word("the name of an item", &words, verb)
                let price = try Self.amount(try Self.word("its price", &words, verb))
                let quantity = words.popFirst().map(Int.init) ?? 1
                guard let quantity, (1...1_000_000).contains(quantity) else {
                    throw Misuse("a quantity is a number from 1 to 1000000")
                }
                self = .add(id: id, Item(name: name, price: price, quantity: quantity))
            case "remove": self = .remove(id: id, item: try Self.word("the name of an item", &words, verb))
            case "place":
                let address = try Self.option("--to", &words, verb)
                let seconds = words.isEmpty ? "1209600" : try Self.option("--within", &words, verb)
                guard let seconds = Int(seconds), (0...1_000_000_000).contains(seconds) else {
                    throw Misuse("\(seconds) is no number of seconds")
                }
                self = .place(id: id, address: address, payWithin: TimeInterval(seconds))
            case "pay": self = .pay(id: id, amount: try Self.amount(try Self.option("--amount", &words, verb)))
            case "ship": self = .ship(id: id, tracking: try Self.option("--tracking", &words, verb))
            case "deliver": self = .deliver(id: id)
            case "return": self = .giveBack(id: id, reason: try Self.option("--reason", &words, verb))
            case "cancel":
                self = .cancel(id: id, reason: words.isEmpty ? "" : try Self.option("--reason", &words, verb))
            case "show": self = .show(id: id)
            default: throw Misuse("there is no command \(verb)")
            }
        }
        if let extra = words.first { throw Misuse("what is \(extra)?") }
    }

    private static func word(_ what: String, _ words: inout ArraySlice<String>, _ verb: String) throws(Misuse) -> String
    {
        guard let word = words.popFirst() else { throw Misuse("\(verb) needs \(what)") }
        return word
    }

    private static func option(
        _ name: String,
        _ words: inout ArraySlice<String>,
        _ verb: String
    ) throws(Misuse) -> String {
        guard words.popFirst() == name, let value = words.popFirst() else { throw Misuse("\(verb) needs \(name)") }
        return value
    }

    /// A number behind an option; `nil` if the option is left out.
    private static func number(
        _ name: String,
        _ words: inout ArraySlice<String>,
        _ range: ClosedRange<Int>
    ) throws(Misuse) -> Int? {
        guard words.first == name else { return nil }
        words.removeFirst()
        guard let number = words.popFirst().flatMap({ Int($0) }), range.contains(number) else {
            throw Misuse("\(name) needs a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// An amount of money: digits, and two more for cents where there are any.
    private static func amount(_ text: String) throws(Misuse) -> Decimal {
        guard text.wholeMatch(of: #/[0-9]{1,9}(\.[0-9]{2})?/#) != nil, let amount = Decimal(string: text) else {
            throw Misuse("\(text) is no amount like 10.00")
        }
        return amount
    }

    /// The words of a line, with those between quotation marks held together.
    static func words(of line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var isQuoted = false
        var isWord = false
        for character in line {
            switch character {
            case "\"":
                isQuoted.toggle()
                isWord = true
            case _ where character.isWhitespace && !isQuoted:
                if isWord { words.append(word) }
                (word, isWord) = ("", false)
            default:
                word.append(character)
                isWord = true
            }
        }
        return isWord ? words + [word] : words
    }
}
