import Foundation
import Heraclitus

/// Keeps a download's machine beside its target, until that is complete.
struct Keeper {
    /// How many bytes may come until what is kept is kept anew: what is loaded twice at most after the program was killed.
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
