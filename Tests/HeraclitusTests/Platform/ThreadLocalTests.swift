import Foundation
import Synchronization
import Testing

@testable import Fixtures
@testable import Heraclitus

@Suite("Values of threads") struct ThreadLocalTests {
    private struct Content: ThreadContent {
        var number = 0
        var object: Probe?
    }

    private final class Probe: Sendable {
        static let count = Atomic(0)

        init() { Self.count.add(1, ordering: .relaxed) }

        deinit { Self.count.subtract(1, ordering: .relaxed) }
    }

    private static let content = ThreadLocal<Content>()

    private static func runToItsEnd(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
    }

    @Test("Each thread has its own value, finds it again, and releases it at its end")
    func own() {
        let numbers = 1...40
        let wrong = Atomic(0)
        for number in numbers {
            Self.runToItsEnd {
                if Self.content.current.content.number != 0 { wrong.add(1, ordering: .relaxed) }
                Self.content.current.content.number = number
                Self.content.current.content.object = Probe()
                Thread.sleep(forTimeInterval: 0.001)
                if Self.content.current.content.number != number { wrong.add(1, ordering: .relaxed) }
            }
        }
        func isOver() -> Bool { Probe.count.load(ordering: .relaxed) == 0 }
        for _ in 0..<300_000 where !isOver() { Thread.sleep(forTimeInterval: 0.001) }
        #expect(Probe.count.load(ordering: .relaxed) == 0)
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}
