import Foundation
import Heraclitus
import Synchronization
import Testing

@testable import Fixtures

@Suite("Observers") struct ObserverTests {
    /// An observer that records everything.
    private static func observe(_ machine: StateMachine<Door>, _ journal: CallLog) {
        machine.observe { journal.write($0.message) }
    }

    @Test("An observer gets transitions, rejections, actions, refusals and announcements, in order")
    func everything() throws {
        let journal = CallLog()
        let door = StateMachine<Door>()
        Self.observe(door, journal)
        try door.fire.open(OpenState())
        #expect(throws: InvalidTransition.self) { try door.fire.lock(LockedState(1)) }
        try door.fire.swing { _ in OpenState(45) }
        #expect(try door.perform(action: "paint", in: OpenState.self) { $0.angle } == 45)
        #expect(throws: InvalidTransition.self) { try door.perform(action: "knock", in: ClosedState.self) { _ in } }
        door.announce("windy", userInfo: ["speed": 9])
        #expect(
            journal.entries == [
                "open: ClosedState → OpenState",
                #"Door cannot fire "lock" in OpenState: no transition to LockedState. Allowed: "close", "swing", "smash"."#,
                "swing: OpenState → OpenState", #""paint" performed in OpenState"#,
                #"Door cannot perform "knock" in OpenState: allowed only in ClosedState. Events that lead there: "close"."#,
                #""windy" announced in OpenState"#,
            ]
        )
    }

    @Test("Observers get all values of the caller, and the caller's error")
    func contents() throws {
        let heard = Lock<[Occurrence]>([])
        let door = StateMachine<Door>(resumingIn: LockedState(7))
        door.observe { occurrence in heard.withLock { $0.append(occurrence) } }
        let rejection = #expect(throws: InvalidTransition.self) { try door.fire.unlock(userInfo: ["code": 6]) }
        #expect(throws: WrongCode.self) {
            try door.perform(action: "force", in: LockedState.self, userInfo: ["tool": "bar"]) { _ in throw WrongCode()
            }
        }
        try door.perform(action: "polish", in: (any DoorState).self, userInfo: ["cloth": true]) { _ in }
        door.announce("quiet", userInfo: ["decibel": 3])
        let occurrences = heard.withLock { $0 }
        try #require(occurrences.count == 4)
        let (performed, announced) = (occurrences[2], occurrences[3])
        #expect(occurrences.map(\.kind) == [.rejected, .refused, .performed, .announced])
        guard let rejected = occurrences[0].error as? InvalidTransition,
            let refused = occurrences[1].error as? InvalidTransition
        else {
            Issue.record("\(occurrences)")
            return
        }
        #expect(rejected.reason == .declined && rejected.underlyingError is WrongCode)
        #expect(rejected.description == rejection?.description && rejected.userInfo["code", as: Int.self] == 6)
        #expect(refused.reason == .actionFailed && refused.underlyingError is WrongCode && refused.action == "force")
        #expect(refused.userInfo["tool", as: String.self] == "bar")
        #expect(performed.action == "polish" && performed.state is LockedState)
        #expect(performed.userInfo["cloth", as: Bool.self] == true)
        #expect(announced.announcement == "quiet" && announced.state is LockedState)
        #expect(announced.userInfo["decibel", as: Int.self] == 3)
    }

    @Test("Observers of transitions and of everything are called in the order of adding")
    func order() throws {
        let journal = CallLog()
        let door = StateMachine<Door>()
        door.onTransition { _ in journal.write("1") }
        door.observe { _ in journal.write("2") }
        door.onTransition { _ in journal.write("3") }
        door.observe { _ in journal.write("4") }
        try door.fire.open(OpenState())
        #expect(journal.entries == ["1", "2", "3", "4"])
        door.announce("x")
        #expect(journal.entries == ["1", "2", "3", "4", "2", "4"])
    }

    @Test("A callback's rejected fire is told after all callbacks of the transition under way")
    func nested() throws {
        let journal = CallLog()
        let door = StateMachine<Door>()
        door.didEnter(OpenState.self) { _, transition in
            try? transition.machine(as: Door.self)?.fire.lock(LockedState(1))
            transition.machine(as: Door.self)?.announce("open")
            try? transition.machine(as: Door.self)?.fire.close()
        }
        door.guarded(\.open) { _, _, transition in
            try? transition.machine(as: Door.self)?.fire.smash()
        }
        Self.observe(door, journal)
        door.onTransition { _ in journal.write("everyone") }
        try door.fire.open(OpenState())
        #expect(
            journal.entries.map { $0.components(separatedBy: ":")[0] } == [
                "open", "everyone", #"Door cannot fire "smash" in ClosedState"#,
                #"Door cannot fire "lock" in OpenState"#, #""open" announced in OpenState"#, "close", "everyone",
            ]
        )
    }

    @Test("An observer may fire, also after a rejection; its fire is done before the rejected fire throws")
    func fires() throws {
        let journal = CallLog()
        let door = StateMachine<Door>()
        Self.observe(door, journal)
        door.observe { [unowned door] occurrence in
            if occurrence.kind == .rejected { try? door.fire.smash() }
        }
        #expect(throws: InvalidTransition.self) { try door.fire.close() }
        #expect(door.state is SmashedState)
        #expect(journal.entries.count == 2 && journal.entries[1] == "smash: ClosedState → SmashedState")
    }

    @Test(
        "An observer that answers each rejection with another rejected fire comes to an end",
        .timeLimit(.minutes(20))
    )
    func endless() throws {
        let door = StateMachine<Door>()
        let count = Atomic(0)
        let last = Lock<InvalidTransition.Reason?>(nil)
        door.observe { [unowned door] occurrence in
            guard let error = occurrence.error as? InvalidTransition else { return }
            count.add(1, ordering: .relaxed)
            last.withLock { $0 = error.reason }
            try? door.fire.close()
        }
        #expect(throws: InvalidTransition.self) { try door.fire.close() }
        // The last one says that there are more.
        #expect(count.load(ordering: .relaxed) == StateMachine<Door>.chainLimit + 2)
        #expect(last.withLock { $0 } == .endlessChain)
        try door.fire.open(OpenState())
    }

    @Test("Notices do not count as fires, so observers change nothing")
    func endlessNotices() throws {
        let door = StateMachine<Door>()
        let count = Atomic(0)
        door.observe { _ in count.add(1, ordering: .relaxed) }
        try door.perform { _ in
            for _ in 0..<StateMachine<Door>.chainLimit + 5 {
                door.announce("x")
                try? door.fire.close()
            }
            try door.fire.open(OpenState())
        }
        #expect(door.state is OpenState)
        #expect(count.load(ordering: .relaxed) == 2 * (StateMachine<Door>.chainLimit + 5) + 1)
    }

    final class WokenState: WorkflowState, EmptyState, EntryPreparing, Entering, ExitPreparing {
        func willEnter(_ transition: StateTransition) { transition.machine(as: Waking.self)?.announce("willEnter") }
        func didEnter(_ transition: StateTransition) { transition.machine(as: Waking.self)?.announce("didEnter") }
        func willExit(_ transition: StateTransition) { transition.machine(as: Waking.self)?.announce("willExit") }
    }

    struct Waking: Workflow {
        static var initial: any WorkflowState { WokenState() }
        let again = Event(from: WokenState.self, to: WokenState.self)
    }

    @Test("An announcement activates the machine, so that an observer's fire comes after the activation")
    func activates() {
        let machine = StateMachine<Waking>()
        let journal = CallLog()
        machine.observe { [unowned machine] occurrence in
            journal.write(occurrence.message.components(separatedBy: " ")[0])
            if occurrence.announcement == "hello" {
                try? machine.fire.again()
            }
        }
        machine.announce("hello")
        #expect(machine.isActive && machine.revision == 1)
        #expect(
            journal.entries == [
                "\"willEnter\"", "\"didEnter\"", "\"hello\"", "again:", "\"willExit\"", "\"willEnter\"", "\"didEnter\"",
            ]
        )
    }

    @Test("An observer cancelled during a notice gets no more of it")
    func cancelled() throws {
        let journal = CallLog()
        let door = StateMachine<Door>()
        let kept = Kept()
        door.observe { _ in
            journal.write("first")
            kept.cancelAll()
        }
        kept.add(door.observe { _ in journal.write("second") })
        door.announce("x")
        try door.fire.open(OpenState())
        #expect(journal.entries == ["first", "first"])

        let itself = Kept()
        itself.add(
            door.observe { _ in
                journal.write("itself")
                itself.cancelAll()
            }
        )
        door.announce("y")
        door.announce("z")
        #expect(journal.entries == ["first", "first", "first", "itself", "first"])
    }

    @Test("A cancelled observer gets nothing, and retains nothing")
    func released() {
        let journal = CallLog()
        let door = StateMachine<Door>()
        var owner: CallLog? = CallLog()
        weak let weakOwner = owner
        let registration = door.observe { [owner] _ in owner?.write("") }
        owner = nil
        #expect(weakOwner != nil)
        registration.cancel()
        #expect(weakOwner == nil)
        let kept = door.observe { _ in journal.write("heard") }
        door.announce("x")
        kept.cancel()
        door.announce("y")
        #expect(journal.entries == ["heard"])
    }

    @Test("A slow observer holds up fires and no reader")
    func slow() throws {
        let door = StateMachine<Door>()
        let isInside = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        door.observe { occurrence in
            guard occurrence.kind == .announced else { return }
            isInside.signal()
            mayGoOn.wait()
        }
        let announced = onThread { door.announce("slow") }
        #expect(isInside.comes())
        #expect(door.state is ClosedState && door.can.open && door.revision == 0)
        let fired = onThread { try? door.fire.open(OpenState()) }
        #expect(!fired.comes(within: 0.1))
        mayGoOn.signal()
        #expect(fired.comes() && announced.comes())
        #expect(door.state is OpenState)
    }

    @Test("A deadlock is told to observers once, although the turn never comes")
    func deadlock() throws {
        let (one, other) = (StateMachine<Door>(), StateMachine<Door>())
        let heard = Atomic(0)
        let both = DispatchSemaphore(value: 0)
        let arrived = Atomic(0)
        func cross(_ machine: StateMachine<Door>, to target: StateMachine<Door>) {
            machine.didEnter(OpenState.self) { _, _ in
                if arrived.add(1, ordering: .sequentiallyConsistent).newValue == 2 {
                    both.signal()
                    both.signal()
                }
                both.wait()
                try? target.fire.smash()
            }
            machine.observe { [unowned machine] occurrence in
                guard let error = occurrence.error as? InvalidTransition, error.reason == .deadlock else { return }
                heard.add(1, ordering: .sequentiallyConsistent)
                // The circle still exists.
                try? machine.fire.smash()
                machine.announce("circle")
                #expect(throws: InvalidTransition.self) { try machine.perform { _ in } }
            }
        }
        cross(one, to: other)
        cross(other, to: one)
        let threads = [onThread { try? one.fire.open(OpenState()) }, onThread { try? other.fire.open(OpenState()) }]
        for thread in threads { #expect(thread.comes()) }
        #expect(heard.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test("Concurrent announcements, actions and fires are told one after another, without a loss")
    func threads() {
        let door = StateMachine<Door>()
        let inside = Atomic(0)
        let heard = Lock<[String: Int]>([:])
        door.observe { occurrence in
            #expect(inside.add(1, ordering: .sequentiallyConsistent).newValue == 1)
            let kind = String(occurrence.message.split(separator: " ").last ?? "")
            heard.withLock { $0[kind, default: 0] += 1 }
            inside.subtract(1, ordering: .sequentiallyConsistent)
        }
        let total = Atomic(0)
        onThreads(4) { index in
            for _ in 0..<300 {
                switch index {
                case 0: door.announce("x")
                case 1: try? door.perform(action: "a", in: (any DoorState).self) { _ in }
                case 2: try? door.fire.open(OpenState())
                default: try? door.fire.close()
                }
                total.add(1, ordering: .relaxed)
            }
        }
        #expect(heard.withLock { $0.values.reduce(0, +) } == total.load(ordering: .relaxed))
    }

    @Test("A log gets an entry for everything, with a fitting level")
    func log() throws {
        let lines = CallLog()
        let door = StateMachine<Door>()
        door.observe { lines.write("\($0.level): \($0)") }
        try door.fire.open(OpenState())
        try door.fire.swing(OpenState(3))
        try? door.fire.lock(LockedState(1))
        try? door.fire[named: "fly"]()
        try? door.perform(action: "knock", in: ClosedState.self) { _ in }
        try door.perform(action: "paint", in: OpenState.self) { _ in }
        door.announce("windy")
        #expect(
            lines.entries == [
                "info: Door open: ClosedState → OpenState", "debug: Door swing: OpenState → OpenState",
                #"warning: Door cannot fire "lock" in OpenState: no transition to LockedState. Allowed: "close", "swing", "smash"."#,
                #"error: Door cannot fire "fly" in OpenState: the workflow has no such event. Its events are "open", "close", "lock", "swing", "unlock", "smash"."#,
                #"warning: Door cannot perform "knock" in OpenState: allowed only in ClosedState. Events that lead there: "close"."#,
                #"info: Door "paint" performed in OpenState"#, #"notice: Door "windy" announced in OpenState"#,
            ]
        )
        let levels: [Occurrence.Level] = [.debug, .info, .notice, .warning, .error]
        #expect(levels.map(\.rawValue) == ["debug", "info", "notice", "warning", "error"])
    }
}
