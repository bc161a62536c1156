import Foundation
import Heraclitus
import HeraclitusStores
import Synchronization
import Testing

@testable import Fixtures

@Suite("Copies and archives of a tree at one moment") struct TreeMomentTests {
    final class OffState: EmptyState {}
    final class OnState: EmptyState {}

    struct Light: Workflow {
        static var initial: any WorkflowState { OffState() }
        let turn = Event(from: OffState.self, to: OnState.self).or(from: OnState.self, to: OffState.self)
    }

    /// An interruption during the copying or encoding of a state, between its two lights.
    ///
    /// It is an object, because a task-local closure crashes with the optimizer of Swift 6.3. It happens once: an
    /// archive of a tree copies the tree and then encodes the copy.
    final class Interruption: Sendable {
        @TaskLocal static var current: Interruption?
        private let body: @Sendable () -> Void
        private let hasHappened = Atomic(false)
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func happen() { if !hasHappened.exchange(true, ordering: .relaxed) { body() } }
    }

    final class RoomState: Composite {
        let number: Int
        let lamp: StateMachine<Light>
        let window: StateMachine<Light>
        var regions: [any Region] { [lamp, window] }

        init(_ number: Int = 0, _ lamp: StateMachine<Light> = .init(), _ window: StateMachine<Light> = .init()) {
            self.number = number
            self.lamp = lamp
            self.window = window
        }

        func copied() -> RoomState {
            let lamp = lamp.copy()
            Interruption.current?.happen()
            return RoomState(number, lamp, window.copy())
        }

        private enum Key: CodingKey { case number, lamp, window }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            number = try container.decode(Int.self, forKey: .number)
            lamp = try container.decode(StateMachine<Light>.self, forKey: .lamp)
            window = try container.decode(StateMachine<Light>.self, forKey: .window)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(number, forKey: .number)
            try container.encode(lamp, forKey: .lamp)
            Interruption.current?.happen()
            try container.encode(window, forKey: .window)
        }

        /// The next number in the same room.
        var next: RoomState { RoomState(number + 1, lamp, window) }
    }

    struct Room: Workflow {
        static var initial: any WorkflowState { RoomState() }
        let count = Event(updating: RoomState.self)
        let leave = Event(from: RoomState.self, to: OffState.self)
    }

    /// One more level.
    final class FloorState: Composite {
        let room: StateMachine<Room>
        var regions: [any Region] { [room] }
        init(_ room: StateMachine<Room> = .init()) { self.room = room }
        func copied() -> FloorState { FloorState(room.copy()) }
    }

    struct House: Workflow {
        static var initial: any WorkflowState { FloorState() }
        let leave = Event(from: FloorState.self, to: OffState.self)
    }

    private static func room(_ house: StateMachine<House>) throws -> StateMachine<Room> {
        try #require(house.state as? FloorState).room
    }

    private static func state(_ house: StateMachine<House>) throws -> RoomState {
        try #require(room(house).state as? RoomState)
    }

    /// Takes a copy with an interruption in its middle.
    private static func during<Result>(
        _ meanwhile: @escaping @Sendable () -> Void,
        take copy: () throws -> Result
    ) rethrows -> Result {
        try Interruption.$current.withValue(Interruption(meanwhile), operation: copy)
    }

    enum Way: CaseIterable { case copy, archive, encode, lines, state }

    private static func taken(_ house: StateMachine<House>, _ way: Way) throws -> StateMachine<House> {
        switch way {
        case .copy: return house.copy()
        case .archive: return try StateMachine<House>(archive: house.archive())
        case .encode: return try JSONDecoder().decode(StateMachine<House>.self, from: JSONEncoder().encode(house))
        case .lines:
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            try Archive.write([house], to: file)
            return try StateMachine<House>(archive: Data(contentsOf: file))
        case .state:
            let json = try JSONEncoder().encode(StateArchive<House>(house.state))
            return StateMachine(resumingIn: try JSONDecoder().decode(StateArchive<House>.self, from: json).state)
        }
    }

    @Test("A change during the copying or archiving of a tree is absent from the whole copy", arguments: Way.allCases)
    func meanwhile(way: Way) throws {
        let house = StateMachine<House>()
        house.activate()
        let (room, state) = (try Self.room(house), try Self.state(house))
        let copy = try Self.during {
            // As another thread could.
            #expect(throws: Never.self) {
                try state.lamp.fire.turn(OnState())
                try state.window.fire.turn(OnState())
                try room.fire.count(\.next)
                try house.fire.leave()
            }
        } take: {
            try Self.taken(house, way)
        }
        let copied = try Self.state(copy)
        #expect(copied.lamp.isIn(OffState.self) && copied.window.isIn(OffState.self) && copied.number == 0)
        #expect(copied.window.revision == 0 && copy.revision == 0)
        #expect(house.isIn(OffState.self) && state.window.isIn(OnState.self) && room.revision == 1)
        // The copy goes on independently, and a later copy is of a later moment.
        try copied.window.fire.turn(OnState())
        #expect(house.copy().isIn(OffState.self))
    }

    @Test("A region on its own is copied with its regions as of one moment, and a region that was left stays unchanged")
    func inner() throws {
        let house = StateMachine<House>()
        house.activate()
        let (room, state) = (try Self.room(house), try Self.state(house))
        let copy = Self.during {
            #expect(throws: Never.self) { try state.window.fire.turn(OnState()) }
        } take: {
            room.copy()
        }
        #expect(try #require(copy.state as? RoomState).window.isIn(OffState.self))
        try house.fire.leave()
        let left = room.copy()
        #expect(try #require(left.state as? RoomState).window.isIn(OnState.self))
    }

    @Test("A state without a machine is archived with its machines as of one moment, too")
    func free() throws {
        let state = RoomState()
        let json = try Self.during {
            #expect(throws: Never.self) {
                try state.lamp.fire.turn(OnState())
                try state.window.fire.turn(OnState())
            }
        } take: {
            try JSONEncoder().encode(StateArchive<Room>(state))
        }
        let archived = try #require(
            try JSONDecoder().decode(StateArchive<Room>.self, from: json).state as? RoomState
        )
        #expect(archived.lamp.isIn(OffState.self) && archived.window.isIn(OffState.self))
        let laterJSON = try JSONEncoder().encode(StateArchive<Room>(state))
        let later = try #require(
            try JSONDecoder().decode(StateArchive<Room>.self, from: laterJSON).state as? RoomState
        )
        #expect(later.lamp.isIn(OnState.self) && later.window.isIn(OnState.self))
    }

    /// Fires the window, the lamp and the room in turn, so that their revisions differ by at most one.
    private static func goOn(_ house: StateMachine<House>, _ rounds: Int) throws {
        let (room, state) = (try room(house), try state(house))
        for round in 0..<rounds {
            let isOn = !round.isMultiple(of: 2)
            try state.window.fire.turn(isOn ? OffState() : OnState())
            try state.lamp.fire.turn(isOn ? OffState() : OnState())
            try room.fire.count(\.next)
        }
    }

    private static func expectOneMoment(_ house: StateMachine<House>) throws {
        let (room, state) = (try room(house), try state(house))
        let revisions = [state.window.revision, state.lamp.revision, room.revision]
        #expect(revisions == revisions.sorted(by: >) && revisions[0] - revisions[2] <= 1, "\(revisions)")
        #expect(state.number == room.revision)
    }

    @Test("Each copy of a tree is of a moment that existed, despite concurrent threads", arguments: Way.allCases)
    func threads(way: Way) async throws {
        try await onOwnThread { try Self.attack(way) }
    }

    private static func attack(_ way: Way) throws {
        let house = StateMachine<House>()
        house.activate()
        let isDone = Atomic(false)
        let failures = Lock<[any Error]>([])
        onThreads(3) { index in
            do {
                if index == 0 {
                    defer { isDone.store(true, ordering: .releasing) }
                    try Self.goOn(house, 400)
                } else {
                    while !isDone.load(ordering: .acquiring) { try Self.expectOneMoment(Self.taken(house, way)) }
                }
            } catch {
                failures.withLock { $0.append(error) }
            }
        }
        #expect(failures.withLock { $0.isEmpty })
        try Self.expectOneMoment(Self.taken(house, way))
        #expect(try Self.room(house).revision == 400)
    }

    @Test("A copy in a region's callback is of this moment: the region has moved, and its holder has not yet")
    func callback() throws {
        let order = StateMachine<Forest.Order>()
        try order.fire.place(Forest.PlacedState())
        let copies = Lock<[StateMachine<Forest.Order>]>([])
        order.first.onTransition { _ in
            #expect(throws: Never.self) { try order.fire.ship() }
            copies.withLock { $0.append(order.copy()) }
        }
        try order.first.fire.begin(Forest.BusyState())
        #expect(order.isIn(Forest.ShippedState.self))
        let copy = try #require(copies.withLock { $0.first })
        #expect(copy.isIn(Forest.BusyState.self) && copy.stateName == "PlacedState")
    }

    @Test("A copy from between a region's end and the following event goes on like the original")
    func completion() throws {
        typealias Tests = CompletionTests
        let state = Tests.BookedState()
        let journey = StateMachine<Tests.Journey>()
        try journey.fire.book(state)
        let copies = Lock<[StateMachine<Tests.Journey>]>([])
        state.hotel.onTransition { _ in copies.withLock { $0.append(journey.copy()) } }
        try state.train.fire.pay()
        try state.hotel.fire.pay()
        #expect(journey.isIn(Tests.UnderWayState.self))
        let copy = try #require(copies.withLock { $0.first })
        #expect(copy.stateName == "BookedState" && copy.isIn(Tests.PaidState.self))
        copy.activate()
        #expect(copy.isIn(Tests.UnderWayState.self))
    }

    @Test("A machine in two places, and another tree within a copy, are copied")
    func odd() throws {
        let other = StateMachine<House>()
        other.activate()
        let house = StateMachine<House>()
        house.activate()
        let window = try Self.state(other).window
        let nested = Lock<StateMachine<House>?>(nil)
        let copy = Self.during {
            // Once only, and not within the copy.
            guard nested.withLock({ $0 == nil }) else { return }
            #expect(throws: Never.self) { try window.fire.turn(OnState()) }
            nested.withLock { $0 = other }
            let copy = other.copy()
            nested.withLock { $0 = copy }
        } take: {
            house.copy()
        }
        let inner = try #require(nested.withLock { $0 })
        let innerWindow = try Self.state(inner).window
        #expect(inner !== other && innerWindow.isIn(OnState.self))
        #expect(try Self.state(copy).window.isIn(OffState.self))
    }
}
