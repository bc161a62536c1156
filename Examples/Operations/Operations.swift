import Foundation
import Heraclitus
import Synchronization

/// Bakes loaves: each is mixed, then baked, then tasted; two hands work at once, and half way the baker is called away.
@main
struct Operations {
    static let loaves = 6

    static func main() throws {
        let hands = OperationQueue()
        hands.maxConcurrentOperationCount = 2
        let (working, done) = (Counter(), Counter())

        /// What every step does, and how many do it at once.
        @Sendable func work(for milliseconds: UInt32) {
            working.add(1)
            usleep(milliseconds * 1_000)
            working.add(-1)
            done.add(1)
        }

        let half = DispatchSemaphore(value: 0)
        var operations: [Operation] = []
        for loaf in 0..<loaves {
            let mix = StateMachineOperation { work(for: 2) }
            let bake = Baking {
                work(for: 4)
                if loaf == loaves / 2 { half.signal() }
            }
            let taste = AsyncStateMachineOperation { work(for: 1) }
            bake.addDependency(mix)
            taste.addDependency(bake)
            if let before = operations.last { mix.addDependency(before) }
            operations += [mix, bake, taste]
        }
        hands.addOperations(operations, waitUntilFinished: false)

        half.wait()
        print("half way, and called away")
        hands.cancelAllOperations()
        hands.waitUntilAllOperationsAreFinished()

        let cancelled = operations.count { $0.isCancelled }
        print(
            "all finished: \(operations.allSatisfy(\.isFinished)), still executing: \(operations.count(where: \.isExecuting))"
        )
        print("worked at once: at most \(working.most <= 2 ? "two" : "too many")")
        print("some were done: \(done.count > 3 * (loaves / 2)), some cancelled: \(cancelled > 0)")
        print("each was done or cancelled: \(done.count + cancelled >= operations.count)")

        let again = operations[0]
        guard let states = (again as? StateMachineOperation)?.stateMachine else { return }
        do throws(InvalidTransition) { try states.start() } catch { print(error) }
    }
}

/// An operation of one's own that has the states of one, and answers with them.
final class Baking: Operation, @unchecked Sendable {
    // Unchecked, as Operation is: what is lazy is there before anybody else knows the operation.

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
        super.cancel()
        states.cancel()
    }
}

/// Counts, and remembers the most there ever were.
final class Counter: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var count: Int { counts.withLock { $0.now } }
    var most: Int { counts.withLock { $0.most } }

    func add(_ difference: Int) {
        counts.withLock {
            $0.now += difference
            $0.most = max($0.most, $0.now)
        }
    }
}
