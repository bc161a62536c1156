import Foundation

/// Answers `--help`, and refuses all other arguments, for a program without arguments.
/// - Parameter usage: The usage, which begins with `usage:` and the name of the program.
public func readNoArguments(usage: String) {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments == ["--help"] {
        print(usage)
        exit(0)
    }
    guard arguments.isEmpty else {
        FileHandle.standardError.write(Data("\(usage)\n".utf8))
        exit(EX_USAGE)
    }
}
