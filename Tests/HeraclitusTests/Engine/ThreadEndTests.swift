import Foundation
import Heraclitus
import Testing

@Suite("Threads that end within a callback") struct ThreadEndTests {
    /// A machine whose turn a thread has begun and not ended.
    static func abandoned(_ hook: (StateMachine<Door>) -> Registration) -> StateMachine<Door> {
        let door = StateMachine<Door>()
        door.activate()
        let registration = hook(door)
        let thread = Thread { try? door.fire.open(OpenState()) }
        thread.start()
        while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
        registration.cancel()
        return door
    }

    @Test("What was committed stays, and other threads go on with the machine")
    func afterCommit() throws {
        let door = Self.abandoned { $0.didEnter(OpenState.self) { _, _ in Thread.exit() } }
        #expect(door.isIn(OpenState.self))
        let done = onThread { try? door.fire.close() }
        #expect(done.comes())
        #expect(door.isIn(ClosedState.self))
        #expect(door.revision == 2)
    }

    @Test("A transition that its callback has kept keeps its objects, whatever becomes of the machine")
    func kept() throws {
        let kept = Lock<StateTransition?>(nil)
        let door = Self.abandoned { door in
            door.didEnter(OpenState.self) { _, transition in
                kept.withLock { $0 = transition }
                Thread.exit()
            }
        }
        let done = onThread {
            for angle in 1...20 { try? door.fire.swing(OpenState(angle)) }
            try? door.fire.close()
        }
        #expect(done.comes())
        #expect(door.isIn(ClosedState.self) && door.revision == 22)
        let transition = try #require(kept.withLock { $0 })
        #expect(transition.source is ClosedState)
        #expect((transition.destination as? OpenState)?.angle == 90)
        #expect(transition.machine(as: Door.self) === door)
    }

    @Test("What was not committed has not happened")
    func beforeCommit() throws {
        let door = Self.abandoned { $0.willExit(ClosedState.self) { _, _ in Thread.exit() } }
        #expect(door.isIn(ClosedState.self))
        #expect(door.revision == 0)
        let done = onThread { try? door.fire.smash() }
        #expect(done.comes())
        #expect(door.revision == 1)
    }

    @Test("A thread that waits when the owner ends gets the machine")
    func waiting() throws {
        let door = StateMachine<Door>()
        door.activate()
        let isInside = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let registration = door.didEnter(OpenState.self) { _, _ in
            isInside.signal()
            mayEnd.wait()
            Thread.exit()
        }
        Thread { try? door.fire.open(OpenState()) }.start()
        isInside.wait()
        let done = onThread { try? door.fire.close() }
        #expect(!done.comes(within: 0.05))
        mayEnd.signal()
        #expect(done.comes())
        #expect(door.isIn(ClosedState.self))
        registration.cancel()
    }

    @Test("A thread that has fired another machine before it ends leaves both to others")
    func afterAnother() throws {
        let other = StateMachine<Door>()
        let door = Self.abandoned { door in
            door.didEnter(OpenState.self) { _, _ in
                try? other.fire.open(OpenState())
                Thread.exit()
            }
        }
        let done = onThread {
            try? door.fire.close()
            try? other.fire.close()
        }
        #expect(done.comes(within: 30))
        #expect(door.isIn(ClosedState.self) && other.isIn(ClosedState.self))
    }

    @Test("No later thread is taken for the one that has ended")
    func later() throws {
        let door = Self.abandoned { $0.didEnter(OpenState.self) { _, _ in Thread.exit() } }
        // Threads get the memory of those that have ended. A fire of the owner's would be queued and never carried out.
        for number in 1...50 {
            let done = onThread { #expect(throws: Never.self) { try door.fire.swing(OpenState(number)) } }
            #expect(done.comes())
            #expect(door.revision == 1 + number)
        }
    }
}
