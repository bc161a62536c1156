import Foundation

/// A finished run of a program.
struct Run {
    let status: Int32
    let output: String
    let errors: String

    var lastLine: String { output.split(separator: "\n").last.map(String.init) ?? "" }
}

/// The place of an example's program, beside the test bundle.
func executable(_ example: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("heraclitus-\(example)")
}

/// Runs an example's program, such as `orders`, or another program by its path.
func run(
    _ program: String,
    _ arguments: [String],
    input: String? = nil,
    environment: [String: String] = [:],
    in folder: String? = nil
) throws -> Run {
    let process = Process()
    if !environment.isEmpty {
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }
    if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
    process.executableURL = program.hasPrefix("/") ? URL(fileURLWithPath: program) : executable(program)
    process.arguments = arguments
    let directory = try TemporaryDirectory()
    let (output, errors) = (directory.file("output"), directory.file("errors"))
    for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    process.standardInput =
        try input.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) } ?? FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return Run(
        status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
        output: try String(contentsOfFile: output, encoding: .utf8),
        errors: try String(contentsOfFile: errors, encoding: .utf8)
    )
}

/// A directory that is gone with its last reference.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func file(_ name: String) -> String { path + "/" + name }

    func write(_ content: String, to name: String) throws -> String {
        try Data(content.utf8).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The package's own folder.
let packageFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path
