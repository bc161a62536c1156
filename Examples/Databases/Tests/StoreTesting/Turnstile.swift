public import Foundation
public import Heraclitus
public import HeraclitusStores

/// A workflow that counts, for tests of stores.
public struct Turnstile: Workflow {
    /// Its initial state.
    public static var initial: any WorkflowState { ClosedState(passed: 0, closeBy: nil) }

    /// The name in archives.
    public static var name: String { "Turnstile" }

    /// Counts one more.
    public let pass = Event(updating: ClosedState.self)

    /// Opens it.
    public let open = Event(from: ClosedState.self, to: OpenState.self)

    /// Fires by itself.
    public let close = Event(from: OpenState.self, to: ClosedState.self)
        .due(\.closeBy).enters { open in ClosedState(passed: open.passed, closeBy: nil) }

    /// Makes the workflow.
    public init() {}

    /// How many have passed.
    public final class ClosedState: WorkflowState {
        /// How many.
        public let passed: Int

        /// Unused; there for the size of it.
        public let closeBy: Date?

        /// Makes a state.
        public init(passed: Int, closeBy: Date?) { (self.passed, self.closeBy) = (passed, closeBy) }
    }

    /// Open for a while.
    public final class OpenState: WorkflowState {
        /// How many.
        public let passed: Int

        /// When it closes.
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

    /// What has changed since.
    public static var migrations: [Migration] { [.unchanged(in: 2)] }

    /// Opens it.
    public let open = Event(from: Turnstile.ClosedState.self, to: Turnstile.OpenState.self)

    /// Makes the workflow.
    public init() {}
}

extension ArchiveStore {
    /// Lets one pass, as a unit of work.
    public func pass(_ id: String, attempts: Int = 100) async throws {
        try await workflow(Turnstile.self).update(id, attempts: attempts) { machine in
            try machine.fire.pass { closed in Turnstile.ClosedState(passed: closed.passed + 1, closeBy: nil) }
        }
    }

    /// How many have passed.
    public func passed(_ id: String) async throws -> Int {
        (try await workflow(Turnstile.self).machine(id)?.machine.state as? Turnstile.ClosedState)?.passed ?? 0
    }
}
