import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Depth of nested machines") struct TreeDepthTests {
    final class NestState: Composite {
        let inner: StateMachine<Nest>?
        var regions: [any Region] { inner.map { [$0] } ?? [] }
        init(_ inner: StateMachine<Nest>?) { self.inner = inner }
        func copied() -> NestState { NestState(inner?.copy()) }
    }

    struct Nest: Workflow {
        static var initial: any WorkflowState { NestState(nil) }
        let go = Event(updating: NestState.self)
    }

    private static func nest(levels: Int) -> StateMachine<Nest> {
        (1..<levels).reduce(StateMachine<Nest>()) { inner, _ in StateMachine(resumingIn: NestState(inner)) }
    }

    @Test("An archive of too deeply nested machines is a typed error", arguments: [33, 300])
    func tooDeep(levels: Int) throws {
        let machine = Self.nest(levels: levels)
        let error = #expect(throws: ArchiveError.self) { try machine.archive() }
        #expect("\(try #require(error))".contains("more than 32 levels deep"))
        #expect("\(try #require(error))".count < 500)
    }

    @Test("Machines 32 levels deep are archived and read again, on a thread with a small stack")
    func deep() {
        let done = onSmallStack {
            let machine = Self.nest(levels: 32)
            #expect(throws: Never.self) {
                _ = try StateMachine<Nest>(archive: machine.archive())
                _ = machine.copy()
            }
        }
        #expect(done.comes())
    }

    @Test("An archive from outside with more levels than machines may have is a typed error", arguments: [33, 80])
    func readTooDeep(levels: Int) throws {
        let tail = #"},"format":1,"revision":0,"state":"NestState","version":1,"workflow":"Nest"}"#
        let text = (0..<levels).reduce("") { inner, _ in
            #"{"activated":true,"data":{"# + (inner.isEmpty ? "" : #""inner":"# + inner) + tail
        }
        let error = #expect(throws: ArchiveError.self) { try StateMachine<Nest>(archive: Data(text.utf8)) }
        #expect("\(try #require(error))".contains("more than 32 levels deep"))
    }

    final class DraftState: WorkflowState {
        let undo: StateArchive<Editor>?
        init(_ undo: StateArchive<Editor>?) { self.undo = undo }
    }

    struct Editor: Workflow {
        static var initial: any WorkflowState { DraftState(nil) }
        let type = Event(from: DraftState.self, to: DraftState.self)
    }

    @Test("An archive of single states within one another is read at any depth that is written")
    func states() throws {
        let machine = StateMachine<Editor>()
        for _ in 0..<40 { try machine.fire.type(DraftState(StateArchive(machine.state))) }
        let restored = try StateMachine<Editor>(archive: machine.archive())
        #expect(try restored.archive() == machine.archive())
    }

    // MARK: A machine in its own state

    /// A state with a machine that is set later, as in a mistaken program.
    final class KnotState: WorkflowState, Copying {
        let machine = Lock<StateMachine<Knot>?>(nil)
        init() {}
        func copied() -> Self { self }
        private enum Key: CodingKey { case machine }
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(machine.withLock { $0 }, forKey: .machine)
        }
    }

    struct Knot: Workflow {
        static var initial: any WorkflowState { KnotState() }
        let go = Event(updating: KnotState.self)
    }

    @Test("An archive of a machine whose state holds that machine throws a typed error, on a small stack")
    func knot() {
        let done = onSmallStack {
            let state = KnotState()
            let machine = StateMachine<Knot>(resumingIn: state)
            state.machine.withLock { $0 = machine }
            let error = #expect(throws: ArchiveError.self) { try machine.archive() }
            #expect(error.map { "\($0)".count < 1_000 } == true)
            #expect(throws: (any Error).self) { try JSONEncoder().encode(machine) }
            state.machine.withLock { $0 = nil }
        }
        #expect(done.comes())
    }

    /// A thread with the stack of a secondary thread on Apple's platforms.
    private func onSmallStack(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            body()
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
        return done
    }
}
