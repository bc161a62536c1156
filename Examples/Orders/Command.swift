import Foundation

/// A command on one line.
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
        usage: heraclitus-orders [--database] DIRECTORY [COMMAND]

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

    /// Whether the command may make a missing database.
    var mayBeFirst: Bool {
        switch self {
        case .add, .run, .bench, .work: true
        case .remove, .place, .pay, .ship, .deliver, .giveBack, .cancel, .show, .list: false
        }
    }

    /// The first word of the line.
    private enum Verb: String {
        case add, remove, place, pay, ship, deliver
        case giveBack = "return"
        case cancel, show, list, run, bench
        case work = "bench-work"
    }

    struct Misuse: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    init(_ words: [String]) throws(Misuse) {
        var words = words[...]
        guard let first = words.popFirst() else { throw Misuse("there is no command") }
        guard let verb = Verb(rawValue: first) else { throw Misuse("there is no command \(first)") }
        switch verb {
        case .add:
            let id = try Self.id(&words, verb)
            let name = try Self.word("the name of an item", &words, verb)
            let price = try Self.amount(try Self.word("its price", &words, verb))
            let quantity = words.popFirst().map(Int.init) ?? 1
            guard let quantity, (1...1_000_000).contains(quantity) else {
                throw Misuse("a quantity is a number from 1 to 1000000")
            }
            self = .add(id: id, Item(name: name, price: price, quantity: quantity))
        case .remove:
            self = .remove(id: try Self.id(&words, verb), item: try Self.word("the name of an item", &words, verb))
        case .place:
            let id = try Self.id(&words, verb)
            let address = try Self.option("--to", &words, verb)
            let seconds = words.isEmpty ? "1209600" : try Self.option("--within", &words, verb)
            guard let seconds = Int(seconds), (0...1_000_000_000).contains(seconds) else {
                throw Misuse("\(seconds) is no number of seconds")
            }
            self = .place(id: id, address: address, payWithin: TimeInterval(seconds))
        case .pay:
            let id = try Self.id(&words, verb)
            self = .pay(id: id, amount: try Self.amount(try Self.option("--amount", &words, verb)))
        case .ship: self = .ship(id: try Self.id(&words, verb), tracking: try Self.option("--tracking", &words, verb))
        case .deliver: self = .deliver(id: try Self.id(&words, verb))
        case .giveBack:
            self = .giveBack(id: try Self.id(&words, verb), reason: try Self.option("--reason", &words, verb))
        case .cancel:
            let id = try Self.id(&words, verb)
            self = .cancel(id: id, reason: words.isEmpty ? "" : try Self.option("--reason", &words, verb))
        case .show: self = .show(id: try Self.id(&words, verb))
        case .list: self = .list(state: words.popFirst())
        case .run:
            self = .run(isOnce: words.first == "--once")
            if words.first == "--once" { words.removeFirst() }
        case .bench:
            let workers = try Self.number("--workers", &words, 1...64) ?? 4
            self = .bench(Bench(workers: workers, seconds: try Self.seconds(&words)))
        case .work:
            guard let prefix = words.popFirst(), let file = words.popFirst() else { throw Misuse("this is for bench") }
            self = .work(BenchWork(prefix: prefix, file: file, seconds: try Self.seconds(&words)))
        }
        if let extra = words.first { throw Misuse("what is \(extra)?") }
    }

    private static func id(_ words: inout ArraySlice<String>, _ verb: Verb) throws(Misuse) -> String {
        try word("the id of an order", &words, verb)
    }

    private static func word(_ what: String, _ words: inout ArraySlice<String>, _ verb: Verb) throws(Misuse) -> String {
        guard let word = words.popFirst() else { throw Misuse("\(verb.rawValue) needs \(what)") }
        return word
    }

    private static func option(
        _ name: String,
        _ words: inout ArraySlice<String>,
        _ verb: Verb
    ) throws(Misuse) -> String {
        guard words.popFirst() == name, let value = words.popFirst() else {
            throw Misuse("\(verb.rawValue) needs \(name)")
        }
        return value
    }

    /// The duration of a bench.
    private static func seconds(_ words: inout ArraySlice<String>) throws(Misuse) -> Int {
        try number("--seconds", &words, 1...86_400) ?? 10
    }

    /// The number after an option; `nil` without the option.
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

    /// An amount of money: digits, with two more for cents if any.
    private static func amount(_ text: String) throws(Misuse) -> Decimal {
        guard text.wholeMatch(of: #/[0-9]{1,9}(\.[0-9]{2})?/#) != nil, let amount = Decimal(string: text) else {
            throw Misuse("\(text) is no amount like 10.00")
        }
        return amount
    }

    /// The words of a line; quotation marks hold words together.
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
