import Heraclitus

/// Tells workers about saves that may bring work.
///
/// ```swift
/// final class MyStore: ArchiveStore {
///     let bell: StoreBell? = StoreBell()
///     func save(_ changes: [StoreChange]) async throws -> [Int] {
///         …
///         bell?.ring()
///     }
/// }
/// ```
public final class StoreBell: Sendable {
    private struct Content {
        var rings = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var next = 0
    }

    private let content = Lock(Content())
    private let listening = Lock<(@Sendable (StoreBell) -> Void)?>(nil)

    /// Makes a bell.
    public init() {}

    /// Makes a bell that connects to other ringers when it is first read.
    /// - Parameter listen: Called once, before the first read of ``rings``.
    package init(listen: @escaping @Sendable (StoreBell) -> Void) { listening.withLock { $0 = listen } }

    /// The number of rings so far.
    public var rings: Int {
        // Other first readers wait for the connection, because they would miss earlier rings.
        listening.withLock { listen in
            listen?(self)
            listen = nil
        }
        return content.withLock { $0.rings }
    }

    /// Wakes all waiting tasks.
    ///
    /// Callable on any thread.
    public func ring() {
        let waiting = content.withLock { content in
            content.rings += 1
            defer { content.waiting = [:] }
            return Array(content.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits for a further ring or for the cancellation of the task.
    /// - Parameter rings: The number of rings when the caller looked at the store.
    package func wait(after rings: Int) async {
        let number = content.withLock { content in
            content.next += 1
            return content.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = content.withLock { content in
                    if content.rings > rings || Task.isCancelled { return true }
                    content.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            content.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
