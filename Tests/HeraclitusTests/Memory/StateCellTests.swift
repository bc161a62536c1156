import Synchronization
import Testing

@testable import Fixtures
@testable import Heraclitus

@Suite("The cell of a machine's state") struct StateCellTests {
    private final class Probe: Sendable {
        let number: Int
        let deinitialized: @Sendable (Int) -> Void

        init(_ number: Int, _ deinitialized: @escaping @Sendable (Int) -> Void = { _ in }) {
            self.number = number
            self.deinitialized = deinitialized
        }

        deinit { deinitialized(number) }
    }

    @Test("A cell retains the state and the previous one, hands out the older one, and releases both at its end")
    func owned() {
        let released = Lock<[Int]>([])
        func probe(_ number: Int) -> OwnedObject {
            OwnedObject(Probe(number) { number in released.withLock { $0.append(number) } })
        }
        var gone: [Int] { released.withLock { $0 } }
        do {
            let cell = StateCell(probe(1), .unknown, previous: nil, beside: 0)
            switch cell.replace(by: probe(2), .unknown, alongside: {}) {
            case nil: break
            case _?: Issue.record("There was no state before.")
            }
            #expect(gone == [])
            switch cell.replace(by: probe(3), .unknown, alongside: {}) {
            case let old?:
                let number = old.withObject { ($0 as? Probe)?.number }
                #expect(number == 1)
                #expect(gone == [])
            case nil: Issue.record("The state before the previous one is missing.")
            }
            #expect(gone == [1])
            #expect(cell.read(as: Probe.self).number == 3)
            let (state, previous, _) = cell.read {}
            #expect((state as? Probe)?.number == 3 && (previous as? Probe)?.number == 2)
            cell.withOwnersView { state, previous in
                #expect((state as? Probe)?.number == 3 && (previous as? Probe)?.number == 2)
            }
        }
        #expect(gone.sorted() == [1, 2, 3])
    }

    @Test("An owned object is released once: by its owner, or by the receiver")
    func ownedObject() {
        weak var first: Probe?
        weak var second: Probe?
        do {
            let made = Probe(1)
            first = made
            let owned = OwnedObject(made)
            let isSame = owned.object === made
            #expect(isSame)
        }
        #expect(first == nil)
        var kept: AnyObject?
        do {
            let made = Probe(2)
            second = made
            kept = OwnedObject(made).handedOn()
        }
        let isSame = second != nil && kept === second
        #expect(isSame)
        kept = nil
        #expect(second == nil)
    }

    /// A cell, and a number that changes with it.
    private final class Shared: Sendable {
        let cell = StateCell(OwnedObject(Probe(0)), .unknown, previous: nil, beside: 0)
        let number = Atomic(0)
    }

    @Test("A reader gets both objects and their values of one moment, and may keep them")
    func races() {
        let shared = Shared()
        let isDone = Atomic(false)
        let wrong = Atomic(0)
        onThreads(3) { thread in
            if thread == 0 {
                for number in 1...20_000 {
                    _ = shared.cell.replace(by: OwnedObject(Probe(number)), .unknown) {
                        shared.number.store(number, ordering: .relaxed)
                    }
                }
                return isDone.store(true, ordering: .releasing)
            }
            while !isDone.load(ordering: .acquiring) {
                let (state, previous, number) = shared.cell.read { shared.number.load(ordering: .relaxed) }
                let isRight =
                    (state as? Probe)?.number == number
                    && (previous as? Probe)?.number == (number == 0 ? nil : number - 1)
                if !isRight || shared.cell.read(as: Probe.self).number < number { wrong.add(1, ordering: .relaxed) }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}
