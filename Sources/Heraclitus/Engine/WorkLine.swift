// When does the work of states begin?

/// The line in which the work of all machines waits for tasks.
///
/// One task at a time starts what waits, in the order in which it came, and passes over what was ended meanwhile. So a state that is left soon
/// after it was entered mostly costs no task. To start a task is to wake a thread, which takes longer than a transition.
enum WorkLine {
    private static let contents = Lock(Contents())

    private struct Contents: Sendable {
        /// The work that was not taken yet, in the order in which it came.
        var waiting: [StateWork] = []

        /// Whether there is a task that takes what waits.
        var hasTask = false
    }

    /// Lets a task do some work when a thread is free, unless the work is ended before.
    static func append(_ work: StateWork) {
        let isFirst = contents.withLock { contents in
            contents.waiting.append(work)
            if contents.hasTask { return false }
            contents.hasTask = true
            return true
        }
        // Not in the lock: the thread that is woken may take the place of this one, and all machines would wait.
        if isFirst { WorkTask().start { await startAll(in: $0) } }
    }

    /// Starts all work that waits, also what comes meanwhile, and does the last itself if it is the only one.
    ///
    /// Until then it calls no user code, because other work waits for it; nor does it release users' objects: work that was ended refers to none.
    /// If the system takes its thread away for a moment, all work waits that has not begun.
    private static func startAll(in task: WorkTask) async {
        var last: StateWork?
        var hasStarted = false
        var foundNothing = false
        while true {
            let works = takeWaiting(orEnd: foundNothing)
            if works.isEmpty {
                if foundNothing { break }
                foundNothing = true
                // Where a state was left so soon, the next one is mostly entered soon, and then no other task has to be started.
                // Not if the last work counts: it waits for this task.
                if last?.isEnded != false { await Task.yield() }
            }
            for work in works {
                if last?.start() == true { hasStarted = true }
                last = work
                foundNothing = false
            }
        }
        // Behind those that were started before, which wait for threads.
        if hasStarted { last?.start() } else { await last?.run(in: task) }
    }

    /// Takes all work that waits.
    /// - Parameter isEnd: Whether the task takes no more if there is none.
    /// - Returns: The work, in the order in which it came.
    private static func takeWaiting(orEnd isEnd: Bool) -> [StateWork] {
        contents.withLock { contents in
            if isEnd, contents.waiting.isEmpty { contents.hasTask = false }
            var taken: [StateWork] = []
            swap(&taken, &contents.waiting)
            return taken
        }
    }
}
