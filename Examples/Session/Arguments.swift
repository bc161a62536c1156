import Foundation

/// The arguments of the program.
struct Arguments {
    static let usage = """
        usage: heraclitus-session SOCKET DIRECTORY [--patience SECONDS] [--attempts NUMBER]

        Hears the heraclitus-session-server at SOCKET, and keeps in DIRECTORY how far it has come. Ctrl-C disconnects. However
        the program ends, the same command goes on where it was. The server may be silent for 5 seconds, or as many as --patience
        says. The session has failed after --attempts failures in a row; without that, it never gives up.
        """

    let network: Network
    let directory: URL

    init(_ words: [String]) throws(Misuse) {
        var words = words[...]
        guard let socket = words.popFirst(), !socket.hasPrefix("-"), let directory = words.popFirst() else {
            throw Misuse()
        }
        var network = Network(path: socket)
        while let option = words.popFirst() {
            switch (option, words.popFirst()) {
            case ("--patience", let seconds?): network.patience = try Self.number(seconds, in: 0.01...86_400)
            case ("--attempts", let number?): network.attempts = try Self.number(number, in: 1...1_000_000)
            default: throw Misuse()
            }
        }
        self.network = network
        self.directory = URL(fileURLWithPath: directory)
    }

    private static func number<Number: LosslessStringConvertible & Comparable>(
        _ text: String,
        in range: ClosedRange<Number>
    ) throws(Misuse) -> Number {
        guard let number = Number(text), range.contains(number) else { throw Misuse() }
        return number
    }
}

struct Misuse: LocalizedError {
    var errorDescription: String? { Arguments.usage }
}
