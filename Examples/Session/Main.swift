import Foundation
import Heraclitus

/// Listens to a server until the user ends the program.
@main
struct Main {
    static func main() async {
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            if words == ["--help"] { return print(Arguments.usage) }
            let arguments = try Arguments(words)
            exit(try await hear(arguments.network, Keeper(in: arguments.directory)) is FailedState ? 1 : 0)
        } catch {
            FileHandle.standardError.write(Data("heraclitus-session: \(error.localizedDescription)\n".utf8))
            exit(error is Misuse ? EX_USAGE : 1)
        }
    }

    private static func hear(_ network: Network, _ keeper: Keeper) async throws -> any RestingState {
        let session = try keeper.session(network)
        // Prints before saving: a kill in between repeats a saying, and loses none.
        session.onTransition { [unowned session] _ in
            tell(session.state.text)
            keeper.keep(session)
        }
        if session.can.connect {
            try session.fire.connect()
        } else {
            tell("going on: \(session.state.text)")
            session.activate()
        }
        let interrupts = [SIGINT, SIGTERM].map { number in onSignal(number) { try? session.fire.disconnect() } }
        defer { withExtendedLifetime(interrupts) {} }
        let rest = try await session.wait(for: (any RestingState).self)
        // Until it is told and kept.
        await session.settled()
        return rest
    }

    private static func onSignal(_ number: Int32, _ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler(handler: body)
        source.resume()
        return source
    }
}

/// Prints a message with the time of day.
func tell(_ text: String) { FileHandle.standardOutput.write(Data("\(clock(Date())) \(text)\n".utf8)) }

/// The time of day.
func clock(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: true))
}
