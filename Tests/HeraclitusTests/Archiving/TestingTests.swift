import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Helpers of tests") struct TestingTests {
    class PlainFailure: WorkflowState, @unchecked Sendable {
        let code: Int
        init(_ code: Int) { self.code = code }
    }

    /// A failure that compiles and loses its `delay` in an archive.
    final class ForgetfulFailure: PlainFailure, @unchecked Sendable {
        private(set) var delay = 5
        init(_ code: Int, delay: Int) {
            self.delay = delay
            super.init(code)
        }
        required init(from decoder: any Decoder) throws { try super.init(from: decoder) }
    }

    final class CarefulFailure: PlainFailure, @unchecked Sendable {
        let delay: Int
        let lamp: StateMachine<TicketLamp>
        let dates: [String: Date?]
        var task: String { "live" }

        init(_ code: Int, delay: Int, lamp: StateMachine<TicketLamp>, dates: [String: Date?]) {
            (self.delay, self.lamp, self.dates) = (delay, lamp, dates)
            super.init(code)
        }

        enum Key: CodingKey { case delay, lamp, dates }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            delay = try container.decode(Int.self, forKey: .delay)
            lamp = try container.decode(StateMachine<TicketLamp>.self, forKey: .lamp)
            dates = try container.decode([String: Date?].self, forKey: .dates)
            try super.init(from: decoder)
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(delay, forKey: .delay)
            try container.encode(lamp, forKey: .lamp)
            try container.encode(dates, forKey: .dates)
            try super.encode(to: encoder)
        }
    }

    final class HalfState: WorkflowState {
        struct Part: Codable {
            let kept: Int
            var lost = 1
            enum CodingKeys: CodingKey { case kept }
        }
        let part: Part
        let parts: [Part]
        init(_ lost: Int) {
            part = Part(kept: 1, lost: lost)
            parts = [Part(kept: 2), Part(kept: 3, lost: lost)]
        }
    }

    @Test("A subclass that loses its own data is found, with the lost properties")
    func forgetful() throws {
        try expectArchives(PlainFailure(7))
        let error = #expect(throws: LostInArchive.self) { try expectArchives(ForgetfulFailure(7, delay: 9)) }
        #expect(error?.state == "ForgetfulFailure" && error?.properties == ["delay was 9 and is 5"])
        try expectArchives(ForgetfulFailure(7, delay: 9), except: ["delay"])
    }

    @Test("Properties kept by hand, including a machine and dates, are kept")
    func careful() throws {
        let lamp = StateMachine<TicketLamp>()
        try lamp.fire.toggle()
        let state = CarefulFailure(
            1,
            delay: 2,
            lamp: lamp,
            dates: ["a": Date(timeIntervalSinceReferenceDate: 0.123), "b": nil]
        )
        try expectArchives(state)
        try expectArchives(QueuedState(["a"], due: Date(timeIntervalSinceReferenceDate: 9.000_001), lamp: lamp))
    }

    /// A value that is not Equatable, and that changes in an archive if `isForgetful` is set.
    final class BagState: WorkflowState {
        enum Load: Codable {
            case crate(Int)
            case barrel(Int)
        }
        struct Piece: Codable { let weight: Int }
        let load: Load
        let pieces: [String: Piece]

        init(_ load: Load, _ pieces: [String: Piece]) { (self.load, self.pieces) = (load, pieces) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let load = try container.decode(Load.self, forKey: .load)
            if case .crate(13) = load { self.load = .barrel(13) } else { self.load = load }
            var pieces = try container.decode([String: Piece].self, forKey: .pieces)
            if pieces.removeValue(forKey: "lost") != nil { pieces["light"] = Piece(weight: 0) }
            self.pieces = pieces
        }
    }

    @Test("Cases are compared by name and dictionaries by key, in any order")
    func unlike() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<50).map { ("\($0)", BagState.Piece(weight: $0)) })
        for _ in 0..<10 { try expectArchives(BagState(.barrel(1), many)) }
        let error = #expect(throws: LostInArchive.self) {
            try expectArchives(
                BagState(.crate(13), ["light": BagState.Piece(weight: 1), "lost": BagState.Piece(weight: 2)])
            )
        }
        #expect(
            error?.properties == [
                "load was crate and is barrel", "pieces[light].weight was 1 and is 0", "pieces[lost] is gone",
            ]
        )
    }

    @Test("Losses deep inside are found, too")
    func deep() throws {
        try expectArchives(HalfState(1))
        let error = #expect(throws: LostInArchive.self) { try expectArchives(HalfState(2)) }
        #expect(error?.properties == ["part.lost was 2 and is 1", "parts[1].lost was 2 and is 1"])
        #expect(error?.description.hasPrefix("HalfState loses in an archive: part.lost") == true)
    }

    /// A state that loses its lazy property and the lazy property of its part.
    final class LazyState: WorkflowState, @unchecked Sendable {
        struct Part: Codable {
            lazy var sum = 1
            init() { sum = 5 }
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: CodingKeys.self) }
            private enum CodingKeys: CodingKey {}
        }
        lazy var big = 3
        let part: Part
        init() {
            part = Part()
            _ = big
        }
    }

    @Test("A lazy property has its name in the code")
    func lazyProperties() throws {
        let error = #expect(throws: LostInArchive.self) { try expectArchives(LazyState()) }
        #expect(error?.properties == ["big was Optional(3) and is nil", "part.sum was Optional(5) and is nil"])
        try expectArchives(LazyState(), except: ["big", "sum"])
    }

    /// A part that refers to its whole.
    final class FamilyState: WorkflowState, @unchecked Sendable {
        final class Child: @unchecked Sendable {
            let name: String
            var parent: FamilyState?
            var sibling: Child?
            init(_ name: String) { self.name = name }
            deinit {}
        }
        let children: [Child]
        let forgets: Bool

        init(_ names: [String], forgets: Bool = false) {
            children = names.map(Child.init)
            self.forgets = forgets
            for child in children { (child.parent, child.sibling) = (self, children.first) }
        }

        enum Key: CodingKey { case names, forgets }

        convenience init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let forgets = try container.decode(Bool.self, forKey: .forgets)
            let names = try container.decode([String].self, forKey: .names)
            self.init(forgets ? names.map { $0 + "?" } : names, forgets: forgets)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(children.map(\.name), forKey: .names)
            try container.encode(forgets, forKey: .forgets)
        }

        /// The parts refer to each other.
        func separate() { for child in children { (child.parent, child.sibling) = (nil, nil) } }
    }

    @Test("Objects that refer back to each other are compared, and their losses are found")
    func circles() throws {
        let state = FamilyState(["a", "b"])
        defer { state.separate() }
        try expectArchives(state)
        let forgetful = FamilyState(["a", "b"], forgets: true)
        defer { forgetful.separate() }
        let error = #expect(throws: LostInArchive.self) { try expectArchives(forgetful) }
        #expect(error?.properties.contains("children[0].name was a and is a?") == true)
        #expect(error?.properties.contains("children[1].name was b and is b?") == true)
    }

    /// A state with a closure, which every archive loses.
    final class CallingState: WorkflowState {
        let call: @Sendable () -> Int
        let other: (@Sendable () -> Int)?
        init(_ number: Int) {
            call = { number }
            other = nil
        }
        init(from decoder: any Decoder) throws {
            call = { 0 }
            other = nil
        }
        func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: CodingKeys.self) }
        private enum CodingKeys: CodingKey {}
    }

    @Test("A closure counts as lost unless it is excepted, because closures cannot be compared")
    func closures() throws {
        let error = #expect(throws: LostInArchive.self) { try expectArchives(CallingState(1)) }
        #expect(error?.properties == ["call is a function, which cannot be compared"])
        try expectArchives(CallingState(1), except: ["call"])
    }

    class Reason: Codable, @unchecked Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }
    final class TimeOut: Reason, @unchecked Sendable {}
    final class GoneState: WorkflowState {
        let reason: Reason
        init(_ reason: Reason) { self.reason = reason }
    }

    @Test("A value restored as another type with the same properties is found")
    func otherType() throws {
        try expectArchives(GoneState(Reason("a")))
        let error = #expect(throws: LostInArchive.self) { try expectArchives(GoneState(TimeOut("a"))) }
        #expect(error?.properties == ["reason was a TimeOut and is a Reason"])
    }
}
