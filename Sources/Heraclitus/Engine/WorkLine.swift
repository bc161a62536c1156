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

        /// The task that takes what waits, until it finds nothing more.
        var task: Task<Void, Never>?

        /// Takes all work that waits.
        mutating func takeWaiting() -> [StateWork] {
            var taken: [StateWork] = []
            swap(&taken, &waiting)
            return taken
        }
    }

    /// Lets a task do some work when a thread is free, unless the work is ended before.
    static func append(_ work: StateWork) {
        contents.withLock { contents in
            contents.waiting.append(work)
            if contents.task == nil { contents.task = Task.detached { await startAll() } }
        }
    }

    /// Starts all work that waits, also what comes meanwhile, and does the last itself.
    ///
    /// Until then it calls no user code, and releases none of users' objects, because other work waits for it.
    private static func startAll() async {
        var own: Task<Void, Never>?
        var last: StateWork?
        while own == nil {
            let works = contents.withLock { contents in
                if contents.waiting.isEmpty { own = contents.task.take() }
                return contents.takeWaiting()
            }
            for work in works {
                last?.start()
                last = work
            }
        }
        if let own, let last { await last.run(in: own) }
    }
}
