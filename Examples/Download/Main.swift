import Foundation
import Heraclitus

/// Loads a file, and goes on where it was interrupted.
@main
struct Main {
    static let usage = """
        usage: download URL-or-file [--to FILE]

        Ctrl-C cancels; the same command goes on where it was, if the server lets it. A download fails when nothing comes for
        30 seconds, or for as many as the environment variable DOWNLOAD_PATIENCE says.
        """

    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--help" || arguments.first == "-h" { return print(usage) }
        var target: String?
        if let option = arguments.firstIndex(of: "--to") {
            guard arguments.indices.contains(option + 1) else { stop(usage, EX_USAGE) }
            target = arguments[option + 1]
            arguments.removeSubrange(option...option + 1)
        }
        guard arguments.count == 1, !arguments[0].hasPrefix("--") else { stop(usage, EX_USAGE) }
        do {
            let origin = try Origin(arguments[0], to: target)
            try await load(origin)
        } catch {
            stop("download: \(error.localizedDescription)", 1)
        }
    }

    private static func load(_ origin: Origin) async throws {
        let machine = restored(origin) ?? StateMachine<Download>()
        let keeper = Keeper(origin)
        let registrations = [
            machine.onTransition { [unowned machine] in keeper.keep(machine, after: $0) },
            machine.log { entry in if entry.level > .debug { complain("\(entry)") } },
        ]
        let interrupt = onInterrupt { try? machine.fire.cancel { CancelledState($0.part) } }

        if let part = machine.state.part, part.byteCount > 0 { print("going on at \(part.amount)") }
        if machine.isIn(LoadingState.self) {
            // It was killed while it was loading.
            machine.activate()
        } else {
            try machine.fire.load { state in LoadingState(state.part ?? Part(origin: origin)) }
        }
        let ended = try await machine.wait(for: (any EndedState).self)
        // In turn: when everybody has heard of it, and it is kept.
        try machine.perform { _ in }
        withExtendedLifetime((registrations, interrupt)) {}
        let (text, status) = ended.verdict
        print("\(origin.target): \(text)")
        exit(status)
    }

    /// The machine that was kept beside the target, if it is one of the same download.
    private static func restored(_ origin: Origin) -> StateMachine<Download>? {
        guard let archive = FileManager.default.contents(atPath: origin.archivePath) else { return nil }
        do {
            let machine = try StateMachine<Download>(archive: archive)
            if machine.state.part?.origin == origin { return machine }
        } catch {
            complain("\(origin.archivePath) cannot be read, and is replaced: \(error.localizedDescription)")
        }
        return nil
    }

    private static func onInterrupt(_ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        source.setEventHandler(handler: body)
        source.resume()
        return source
    }

    private static func stop(_ text: String, _ status: Int32) -> Never {
        complain(text)
        exit(status)
    }
}

func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
