public import Foundation
public import Heraclitus
public import HeraclitusStores

/// The common part of two releases of a program, each of which counts on machines until it is killed or its standard input ends.
public struct Release: Sendable {
    /// The file of the store.
    public let file: URL

    private let ledger: Ledger
    private let ids: [String]

    /// Reads the arguments: the file, the ledger, and the ids of the machines.
    public init() {
        let arguments = CommandLine.arguments
        (file, ids) = (URL(filePath: arguments[1]), Array(arguments[3...]))
        ledger = Ledger(at: URL(filePath: arguments[2]))
        // The process that started this one may have ended.
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            exit(0)
        }
    }

    /// Counts.
    /// - Parameters:
    ///   - machines: The machines, in the workflow of this release.
    ///   - count: Changes a machine, and returns its numbers.
    public func work<W: Workflow>(
        _ machines: StoredWorkflow<W>,
        _ count: @Sendable (StateMachine<W>) throws -> [String: Int]
    ) async {
        while let id = ids.randomElement() {
            let numbers = try? await machines.update(id) { try count($0) }
            for (name, number) in numbers ?? [:] { ledger.noteSaved("\(name)-\(id)", number) }
            // Leaves the processors to other programs.
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
