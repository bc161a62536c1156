import Foundation
import Heraclitus

/// Archives a download's machine beside its target, until the download is complete.
struct Keeper {
    /// The number of bytes between two archives, and so the most that is loaded twice after a kill.
    private static let step = 1 << 20

    let path: String

    func keep(_ machine: StateMachine<Download>, after transition: StateTransition) {
        if transition.destination is CompletedState {
            try? FileManager.default.removeItem(atPath: path)
        } else if isDue(after: transition) {
            do {
                try machine.archive(prettyPrinted: true).write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                complain("\(path): \(error.localizedDescription)")
            }
        }
    }

    private func isDue(after transition: StateTransition) -> Bool {
        guard transition.event == Download.events.progress.name, let old = transition.source as? LoadingState,
            let new = transition.destination as? LoadingState
        else { return true }
        return old.current.byteCount / Self.step != new.current.byteCount / Self.step
    }
}
