import Foundation
import Heraclitus
import Synchronization

/// Keeps a download's machine beside its target, until that is complete.
final class Keeper: Sendable {
    /// How many bytes may come until what is kept is kept anew: what is loaded twice at most after the program was killed.
    private static let step = 1 << 20

    private let origin: Origin
    private let kept = Mutex((byteCount: -1, tag: String?.none))

    init(_ origin: Origin) { self.origin = origin }

    func keep(_ machine: StateMachine<Download>, after transition: StateTransition) {
        let path = origin.archivePath
        guard !(transition.destination is CompletedState) else {
            try? FileManager.default.removeItem(atPath: path)
            return
        }
        guard isDue(machine.state.part, transition) else { return }
        do {
            try machine.archive(prettyPrinted: true).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            complain("\(path): \(error.localizedDescription)")
        }
    }

    private func isDue(_ part: Part?, _ transition: StateTransition) -> Bool {
        kept.withLock { kept in
            let byteCount = part?.byteCount ?? 0
            let isDue =
                !transition.isUpdate || kept.tag != part?.tag || byteCount < kept.byteCount
                || byteCount >= kept.byteCount + Self.step
            if isDue { kept = (byteCount, part?.tag) }
            return isDue
        }
    }
}
