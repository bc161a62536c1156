import ExampleUsage
import Foundation
import Heraclitus
import HeraclitusFoundation
import Synchronization

/// Bakes loaves: each is mixed, baked and tasted.
///
/// Two workers bake at once, and the baker is called away half way.
@main
struct Operations {
    static let loaves = 6
    static let steps = 3 * loaves

    static func main() throws {
        readNoArguments(
            usage: "usage: heraclitus-operations\n\nBakes six loaves in an operation queue, and cancels half way."
        )
        let hands = OperationQueue()
        hands.maxConcurrentOperationCount = 2
        let (working, done) = (Counter(), Counter())
        let (half, away) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))

        /// The work of every step.
        @Sendable func work() {
            working.add(1)
            // Waits until the other worker is busy, too.
            for _ in 0..<60_000 where working.most < 2 { usleep(1_000) }
            if done.add(1) >= steps / 2 {
                half.signal()
                away.wait()
                away.signal()
            }
            working.add(-1)
        }

        var operations: [Operation] = []
        for _ in 0..<loaves {
            let mix = StateMachineOperation { work() }
            let bake = Baking { work() }
            let taste = AsyncStateMachineOperation { work() }
            bake.addDependency(mix)
            taste.addDependency(bake)
            operations += [mix, bake, taste]
        }
        hands.addOperations(operations, waitUntilFinished: false)

        half.wait()
        print("half way, and called away")
        hands.cancelAllOperations()
        away.signal()
        hands.waitUntilAllOperationsAreFinished()

        let cancelled = operations.count { $0.isCancelled }
        let (finished, executing) = (operations.count(where: \.isFinished), operations.count(where: \.isExecuting))
        print("finished: \(finished) of \(operations.count), still executing: \(executing)")
        print("worked at once: \(working.most)")
        // The other worker may have a step in progress.
        print("about half was done: \((steps / 2...steps / 2 + 1).contains(done.count))")
        print("the rest was cancelled: \(done.count + cancelled >= operations.count)")

        let again = operations.first { !$0.isCancelled }
        guard let states = (again as? StateMachineOperation)?.stateMachine else { return }
        do throws(InvalidTransition) { try states.start() } catch { print(error) }
    }
}

/// A custom operation that answers with the states of its machine.
final class Baking: Operation, @unchecked Sendable {
    // Unchecked, as in Operation: lazy properties are set before other threads see the operation.

    private static let oven = DispatchQueue(label: "oven")

    private(set) lazy var states = OperationStateMachine(operation: self, dispatchQueue: Self.oven)

    init(_ bake: @escaping @Sendable () -> Void) {
        super.init()
        states.executionBlock = { [weak self] in
            guard let self else { return }
            if !isCancelled { bake() }
            states.finish()
        }
    }

    override var isAsynchronous: Bool { true }
    override var isReady: Bool { super.isReady && states.isReady }
    override var isExecuting: Bool { states.isExecuting }
    override var isFinished: Bool { states.isFinished }
    override func start() { try? states.start() }
    override func cancel() {
        states.cancel()
        super.cancel()
    }
}

/// Counts up and down, and keeps the maximum.
final class Counter: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var count: Int { counts.withLock { $0.now } }
    var most: Int { counts.withLock { $0.most } }

    @discardableResult
    func add(_ difference: Int) -> Int {
        counts.withLock {
            $0.now += difference
            $0.most = max($0.most, $0.now)
            return $0.now
        }
    }
}
