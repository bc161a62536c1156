import Foundation

/// Serves until its input ends, correctly or with faults.
@main
struct Main {
    static let usage = """
        usage: heraclitus-session-server SOCKET [--every SECONDS]

        Says something to each client every second, or as often as --every says. Its commands, a line each:

          serve    speak to everybody again
          stall    say nothing, and hang up on nobody
          drop     hang up on everybody
          refuse   let nobody connect any more

        It ends with its input: Ctrl-D.
        """

    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        if words == ["--help"] { return print(usage) }
        let pause = words.count == 1 ? 1 : words.count == 3 && words[1] == "--every" ? Double(words[2]) : nil
        guard let pause, pause > 0, !words[0].hasPrefix("-") else {
            FileHandle.standardError.write(Data("\(usage)\n".utf8))
            exit(EX_USAGE)
        }
        do {
            let server = try Server(at: words[0], pause: pause)
            Thread.detachNewThread { server.run() }
            tell("serving at \(words[0])")
            while let command = readLine() { carryOut(command, server) }
        } catch {
            complain(error)
            exit(1)
        }
    }

    private static func carryOut(_ command: String, _ server: Server) {
        do {
            switch command {
            case "serve": try server.serve()
            case "stall": server.stall()
            case "drop": server.drop()
            case "refuse": server.refuse()
            default: return tell("there are serve, stall, drop and refuse")
            }
            tell("done: \(command)")
        } catch {
            complain(error)
        }
    }
}

private func tell(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

func complain(_ error: any Error) {
    FileHandle.standardError.write(Data("heraclitus-session-server: \(error.localizedDescription)\n".utf8))
}
