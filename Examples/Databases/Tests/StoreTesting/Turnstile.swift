public import Foundation
public import Heraclitus
public import HeraclitusStores

/// A workflow that counts, for tests of stores.
public struct Turnstile: Workflow {
    /// Its initial state.
    public static var initial: any WorkflowState { ClosedState(passed: 0, closeBy: nil) }

    /// The name in archives.
    public static var name: String { "Turnstile" }

    /// Counts up.
    public let pass = Event(updating: ClosedState.self)

    /// Opens the turnstile.
    public let open = Event(from: ClosedState.self, to: OpenState.self)

    /// Closes the turnstile when it is due.
    public let close = Event(from: OpenState.self, to: ClosedState.self)
        .due(\.closeBy).enters { open in ClosedState(passed: open.passed, closeBy: nil) }

    /// Makes the workflow.
    public init() {}

    /// A closed turnstile.
    public final class ClosedState: WorkflowState {
        /// The number of passes.
        public let passed: Int

        /// Unused; gives both states an equal size.
        public let closeBy: Date?

        /// Makes a state.
        public init(passed: Int, closeBy: Date?) { (self.passed, self.closeBy) = (passed, closeBy) }
    }

    /// A turnstile that is open for a while.
    public final class OpenState: WorkflowState {
        /// The number of passes.
        public let passed: Int

        /// The closing time.
        public let closeBy: Date

        /// Makes a state.
        public init(passed: Int, closeBy: Date) { (self.passed, self.closeBy) = (passed, closeBy) }
    }
}

/// The next version of the workflow.
public struct LaterTurnstile: Workflow {
    /// Its initial state.
    public static var initial: any WorkflowState { Turnstile.ClosedState(passed: 0, closeBy: nil) }

    /// The name in archives.
    public static var name: String { Turnstile.name }

    /// The version.
    public static var version: Int { 2 }

    /// The changes since version 1.
    public static var migrations: [Migration] { [.unchanged(in: 2)] }

    /// Opens the turnstile.
    public let open = Event(from: Turnstile.ClosedState.self, to: Turnstile.OpenState.self)

    /// Makes the workflow.
    public init() {}
}

extension ArchiveStore {
    /// Passes the turnstile in a unit of work.
    public func pass(_ id: String, attempts: Int = 100) async throws {
        try await workflow(Turnstile.self).update(id, attempts: attempts) { machine in
            try machine.fire.pass { closed in Turnstile.ClosedState(passed: closed.passed + 1, closeBy: nil) }
        }
    }

    /// The number of passes.
    public func passed(_ id: String) async throws -> Int {
        (try await workflow(Turnstile.self).machine(id)?.machine.state as? Turnstile.ClosedState)?.passed ?? 0
    }
}
