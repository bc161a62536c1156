// Which task does the work of a state?

/// A task for the work of one state: for the first that still counts when the task begins.
///
/// One task at a time is about to begin. Where there is none, work gets a new one, and else it waits in one line for all machines. The task looks
/// for the first work that counts, lets another task begin for all that is behind it, and does it. So each work that is done has a task of its
/// own, which can be cancelled, and begins when a thread is free. Work in the line whose state is left before costs no task: it is passed over.
final class WorkTask: Sendable {
    private static let line = Lock(Line())

    /// The work that no task has taken yet, the first that came first.
    private struct Line: Sendable {
        var waiting: [StateWork] = []

        /// Whether a task is about to begin, which takes what waits after its own: from when one is made until one finds nothing that waits.
        var hasTask = false
    }

    private let contents: Lock<Contents>

    private struct Contents: Sendable {
        /// What was taken from the line for this task, the first last.
        var works: [StateWork]
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private init(_ works: [StateWork]) { contents = Lock(Contents(works: works)) }

    /// Lets some work begin in a task of its own when a thread is free, unless it is ended before.
    static func enqueue(_ work: StateWork) {
        let isInLine = line.withLock { line in
            guard line.hasTask else {
                line.hasTask = true
                return false
            }
            line.waiting.append(work)
            return true
        }
        if !isInLine { WorkTask([work]).start() }
    }

    /// Takes all that waits in the line.
    /// - Returns: Some work, the first last; none if nothing waits, and then no task is about to begin any more.
    private static func takeWaiting() -> [StateWork] {
        var taken = line.withLock { line in
            if line.waiting.isEmpty { line.hasTask = false }
            return line.waiting.takeAll()
        }
        taken.reverse()
        return taken
    }

    private func start() {
        // Detached, because work belongs to its state and not to whoever has fired.
        // The task and this object refer to each other only until the task has ended.
        let task = Task.detached { await self.run() }
        let isCancelled = contents.withLock { contents in
            contents.task = task
            return contents.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func run() async { await takeWork()?.run() }

    /// Takes the first work that still counts, and lets a task begin for what comes after that.
    private func takeWork() -> StateWork? {
        // The rest is not to stay here for as long as the work takes.
        var works = contents.withLock { $0.works.takeAll() }
        while !works.isEmpty {
            while let work = works.popLast() {
                // What is passed over is released here, with its state unless somebody else refers to that.
                guard work.assign(to: self) else { continue }
                // Before the work is done, which may keep this thread for long.
                if works.isEmpty { works = Self.takeWaiting() }
                if !works.isEmpty { WorkTask(consume works).start() }
                return work
            }
            works = Self.takeWaiting()
        }
        return nil
    }

    /// Cancels the task, also if it is still about to be made.
    func cancel() {
        let task = contents.withLock { contents in
            contents.isCancelled = true
            return contents.task
        }
        // Not in the lock, because cancellation handlers are user code.
        task?.cancel()
    }
}

extension [StateWork] {
    /// Empties the array, and returns what was in it.
    fileprivate mutating func takeAll() -> [StateWork] {
        var taken: [StateWork] = []
        swap(&self, &taken)
        return taken
    }
}
