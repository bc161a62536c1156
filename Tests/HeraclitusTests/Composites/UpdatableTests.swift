import Heraclitus
import HeraclitusInspecting
import HeraclitusTesting
import Testing

@testable import Fixtures

extension UserInfo.Key<String> { fileprivate static var note: Self { Self("note") } }

@Suite("States with one value as data") struct UpdatableTests {
    final class RedState: EmptyState {}
    final class BlueState: EmptyState {}
    struct Lamp: Workflow {
        static var initial: any WorkflowState { RedState() }
        let shine = Event(from: RedState.self, to: BlueState.self)
    }

    protocol Noted: WorkflowState {
        var note: String { get }
        func noting(_ note: String) -> Self
    }
    protocol NotedValues { var note: String { get set } }

    final class OpenState: Updatable, Composite, Noted {
        struct Values: Codable, Sendable, NotedValues {
            var note = ""
            var count = 0
            var left = StateMachine<Lamp>()
            var right = StateMachine<Lamp>()
        }
        static var regionPaths: RegionPaths<Values> { RegionPaths(\.left, \.right) }
        let values: Values
        init(_ values: Values = Values()) { self.values = values }
    }
    final class ShutState: Updatable, Noted {
        struct Values: Codable, Sendable, NotedValues { var note = "" }
        let values: Values
        init(_ values: Values) { self.values = values }
    }
    struct Room: Workflow {
        static var initial: any Noted { OpenState() }
        let count = Event(updating: OpenState.self).enters { open in open.updated { $0.count += 1 } }
        let remark = Event(updatingAny: .noted).enters { state, call in state.noting(call.userInfo[.note] ?? "") }
        let shut = Event(from: OpenState.self, to: ShutState.self)
            .whenFinal(\.left, \.right).enters { ShutState(.init(note: $0.note)) }
    }

    @Test("An update changes one value and keeps the rest, including machines, in one state and in a group")
    func update() throws {
        #expect(Room.diagnostics.isEmpty)
        let room = StateMachine<Room>(journal: 10)
        let left = try #require(room.state as? OpenState).left
        try room.fire.count()
        try room.fire.remark(userInfo: UserInfo((.note, "warm")))
        let open = try #require(room.state as? OpenState)
        #expect(open.count == 1 && open.note == "warm" && open.left === left)
        try open.left.fire.shine()
        try open.right.fire.shine()
        #expect(room.isIn(ShutState.self) && room.state.note == "warm")
        #expect(room.journal.compactMap(\.cause) == [.completion(["left", "right"])])
        try room.fire.remark(userInfo: UserInfo((.note, "cold")))
        #expect(room.state.note == "cold")
    }

    @Test("A copy has its own machines")
    func copy() throws {
        let room = StateMachine<Room>()
        room.activate()
        let copy = room.copy()
        try (copy.state as? OpenState)?.left.fire.shine()
        #expect((copy.state as? OpenState)?.left.isIn(BlueState.self) == true)
        #expect((room.state as? OpenState)?.left.isIn(RedState.self) == true)
    }

    @Test("The archive of the state is that of its data")
    func archive() throws {
        let room = StateMachine<Room>()
        try room.fire.remark(userInfo: UserInfo((.note, "warm")))
        try (room.state as? OpenState)?.left.fire.shine()
        let archive = try JSONValue(text: room.archive())
        #expect(archive["data"]?["note"] == "warm" && archive["data"]?["left"]?["state"] == "BlueState")
        let restored = try StateMachine<Room>(archive: room.archive())
        #expect((restored.state as? OpenState)?.left.isIn(BlueState.self) == true)
        try expectArchives(OpenState())
    }

    @Test("A machine in the data has the name of its property, for observers and tables")
    func names() throws {
        let room = StateMachine<Room>()
        let heard = CallLog()
        room.observe(regions: true) { heard.write($0.path ?? "") }
        try (room.state as? OpenState)?.right.fire.shine()
        #expect(heard.entries == ["right"])
        #expect(Room.table.regions.map(\.name) == ["left", "right"])
    }
}

extension UpdatableTests.Noted where Self: Updatable, Values: UpdatableTests.NotedValues {
    var note: String { values.note }
    func noting(_ note: String) -> Self { updated { $0.note = note } }
}

extension StateGroup where State == any UpdatableTests.Noted {
    fileprivate static var noted: Self { Self { $0 is any UpdatableTests.Noted.Type } }
}
