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
    /// A paragraph for each change, with the code that mends it.
    public var description: String {
        (["What is stored of \(workflow) cannot all be read any more."]
            + breaks.map { found in
                "\nVersion \(found.version)\(found.state.map { ", \($0)" } ?? ""): \(found.explanation)\n"
                    + found.remedy.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
                    .joined(separator: "\n")
            }).joined(separator: "\n")
    }
}
