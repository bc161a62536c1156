import Foundation
import Heraclitus

/// Loads a file, and continues an interrupted download.
@main
struct Main {
    static let usage = """
        usage: heraclitus-download URL-or-file [--to FILE] [--verbose]

        Ctrl-C cancels; the same command goes on where it was, if the server lets it. A download fails when nothing comes for
        30 seconds, or for as many as the environment variable DOWNLOAD_PATIENCE says. --verbose tells each transition.
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
        let isVerbose = arguments.contains("--verbose")
        arguments.removeAll { $0 == "--verbose" }
        guard arguments.count == 1, !arguments[0].hasPrefix("--") else { stop(usage, EX_USAGE) }
        do {
            let origin = try Origin(arguments[0], to: target)
            let ended = try await load(origin, isVerbose)
            print("\(target ?? origin.url.lastPathComponent): \(ended.verdict.text)")
            exit(ended.verdict.status)
        } catch {
            stop("heraclitus-download: \(error.localizedDescription)", 1)
        }
    }

    private static func load(_ origin: Origin, _ isVerbose: Bool) async throws -> any EndedState {
        let claim = try Claim.make(origin)
        let machine = restored(origin) ?? StateMachine<Download>()
        let keeper = Keeper(path: origin.archivePath)
        machine.onTransition { [unowned machine] in keeper.keep(machine, after: $0) }
        if isVerbose { machine.observe { complain("\($0.level): \($0)") } }
        if machine.isIn(LoadingState.self) {
            // The program was killed during a load.
            machine.activate()
        } else {
            try machine.fire.load { state in LoadingState(state.part ?? Part(origin: origin)) }
        }
        let interrupt = onInterrupt { try? machine.fire.cancel() }
        let ended = try await machine.wait(for: (any EndedState).self)
        // All observers have been told, and the machine is archived.
        await machine.settled()
        withExtendedLifetime((interrupt, claim)) {}
        return ended
    }

    /// The archived machine beside the target, if it belongs to the same download.
    private static func restored(_ origin: Origin) -> StateMachine<Download>? {
        guard let archive = FileManager.default.contents(atPath: origin.archivePath) else { return nil }
        do {
            let machine = try StateMachine<Download>(archive: archive)
            guard let part = machine.state.part else { return nil }
            if part.origin == origin { return machine }
            // The user may have moved the files.
            if part.origin.url == origin.url { return StateMachine(resumingIn: CancelledState(part.going(by: origin))) }
            complain("what there is of \(part.origin.url.absoluteString) is replaced")
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
