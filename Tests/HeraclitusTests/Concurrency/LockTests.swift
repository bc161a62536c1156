import Testing

@testable import Fixtures
@testable import Heraclitus

@Suite("Short critical sections") struct LockTests {
    private final class Shared: Sendable {
        let lock = Lock(0)
    }

    @Test("One thread at a time uses the value, and the note beside it changes with it")
    func exclusion() {
        let shared = Shared()
        let wrong = Lock(0)
        onThreads(4) { thread in
            for _ in 0..<20_000 {
                shared.lock.withLock { value in
                    let before = value
                    if shared.lock.bits != UInt16(truncatingIfNeeded: before) { wrong.withLock { $0 += 1 } }
                    value = before + 1
                    shared.lock.setBits(UInt16(truncatingIfNeeded: value))
                }
            }
        }
        #expect(shared.lock.withLock { $0 } == 80_000)
        #expect(shared.lock.bits == UInt16(truncatingIfNeeded: 80_000))
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test("An error of the body is rethrown, and the lock is free again")
    func thrown() {
        let lock = Lock(1)
        #expect(throws: Objection.self) { try lock.withLock { _ throws(Objection) in throw Objection() } }
        #expect(lock.withLock { $0 } == 1)
    }
}
