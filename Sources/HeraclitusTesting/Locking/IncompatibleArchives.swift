/// The error of ``expectCompatible(_:context:samples:in:recording:firedByHooks:except:)``: changes of a workflow that
/// break stored archives.
public struct IncompatibleArchives: Error, Equatable {
    /// A change that breaks stored archives.
    public struct Break: Hashable, Sendable {
        /// The version that stored the archives.
        public let version: Int

        /// The name of the state; `nil` for a break outside states.
        public let state: String?

        /// A sentence about the break.
        public let explanation: String

        /// Code that mends the break: a step for `Workflow.migrations`, or another change of the workflow.
        public let remedy: String
    }

    /// The name of the workflow.
    public let workflow: String

    /// The changes.
    public let breaks: [Break]
}

extension IncompatibleArchives: CustomStringConvertible {
    /// The steps of rolling out a release with a new version.
    static let rollout = """
        While both releases run:
          1. Start processes of the new release beside those of the old one. Old processes skip machines that new ones have saved; new ones read both.
          2. Stop the old processes. From now on run this release or a later one.
          3. Run `upgrade` on each store until it has no failures. Then you may remove the steps, with the files of older versions.
        """

    /// A paragraph with the remedy for each break, and the steps of the rollout.
    public var description: String {
        (["What is stored of \(workflow) cannot all be read any more."]
            + breaks.map { found in
                "\nVersion \(found.version)\(found.state.map { ", \($0)" } ?? ""): \(found.explanation)\n"
                    + found.remedy.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
                    .joined(separator: "\n")
            } + ["\n" + Self.rollout]).joined(separator: "\n")
    }
}
