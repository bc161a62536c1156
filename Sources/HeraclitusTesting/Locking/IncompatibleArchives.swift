/// The error of ``expectCompatible(_:samples:in:recording:firedByHooks:except:)``: which changes of a workflow break what is stored.
public struct IncompatibleArchives: Error, Equatable {
    /// A change that breaks what is stored.
    public struct Break: Hashable, Sendable {
        /// The version that has stored it.
        public let version: Int

        /// The name of the state; `nil` for what is no state's.
        public let state: String?

        /// A sentence that says what is wrong.
        public let explanation: String

        /// Code that mends it: a step for `Workflow.migrations`, or something else for the workflow.
        public let remedy: String
    }

    /// The name of the workflow.
    public let workflow: String

    /// The changes.
    public let breaks: [Break]
}

extension IncompatibleArchives: CustomStringConvertible {
    /// How to roll a release out that has a new version, step by step.
    static let rollout = """
        While both releases run:
          1. Start processes of the new release beside those of the old one. Old processes leave machines that new ones have saved alone, and new ones read both.
          2. Stop the old processes. From now on a step back needs the new release.
          3. Run `upgrade`. Keep the steps of `migrations` until it has reached the end.
        """

    /// A paragraph for each change, with the code that mends it, and the steps of the rollout.
    public var description: String {
        (["What is stored of \(workflow) cannot all be read any more."]
            + breaks.map { found in
                "\nVersion \(found.version)\(found.state.map { ", \($0)" } ?? ""): \(found.explanation)\n"
                    + found.remedy.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
                    .joined(separator: "\n")
            } + ["\n" + Self.rollout]).joined(separator: "\n")
    }
}
