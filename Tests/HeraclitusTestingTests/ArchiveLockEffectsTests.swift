import Foundation
import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Archive locks of the effects of inner machines") struct ArchiveLockEffectsTests: ArchiveLockSuite {
    protocol Message: Effect { init() }
    struct Mail: Message { var to = "a" }
    struct Letter: Message { var to = "a" }

    final class SentState<M: Message>: EmptyState, Effecting {
        static var name: String { "sent" }
        var effects: [any Effect] { [M()] }
    }
    struct Post<M: Message>: Workflow {
        static var name: String { "Post" }
        static var initial: any WorkflowState { SentState<M>() }
        let again = Event(updating: SentState<M>.self)
    }
    final class BusyState<M: Message>: Composite {
        static var name: String { "busy" }
        let post: StateMachine<Post<M>>
        init(_ post: StateMachine<Post<M>> = StateMachine()) { self.post = post }
        var regions: [any Region] { [post] }
        func copied() -> BusyState { BusyState(post.copy()) }
    }
    struct Office<M: Message>: Workflow {
        static var name: String { "Office" }
        static var effects: [any Effect.Type] { [M.self] }
        static var initial: any WorkflowState { BusyState<M>() }
        let paint = Event(updating: BusyState<M>.self)
    }
    struct LaterOffice: Workflow {
        static var name: String { "Office" }
        static var version: Int { 2 }
        static var migrations: [Migration] { [.effect("Mail", becomes: "Letter", in: 2)] }
        static var effects: [any Effect.Type] { [Letter.self] }
        static var initial: any WorkflowState { BusyState<Letter>() }
        let paint = Event(updating: BusyState<Letter>.self)
    }

    private let mails: [Sample<Office<Mail>>] = [.state(BusyState<Mail>())]
    private let laterLetters: [Sample<LaterOffice>] = [.state(BusyState<Letter>())]

    @Test("Effects of inner machines are in the lock")
    func inner() throws {
        let letters: [Sample<Office<Letter>>] = [.state(BusyState<Letter>())]
        let explanation = "The effect \"Mail\" is gone. Stored ones would wait for ever."
        #expect(try breaks(mails, letters).map(\.explanation) == [explanation])
        #expect(try breaks(mails, laterLetters) == [])
    }

    enum Alarm: String, Effect { case loud, silent }
    enum QuietAlarm: String, Effect {
        case silent
        static var name: String { "Alarm" }
        init(from decoder: any Decoder) { self = .silent }
    }
    final class RungState<E: Effect>: EmptyState, Effecting {
        static var name: String { "rung" }
        var effects: [any Effect] { E.self == Alarm.self ? [Alarm.loud] : [QuietAlarm.silent] }
    }
    struct Clock<E: Effect>: Workflow {
        static var name: String { "Clock" }
        static var effects: [any Effect.Type] { [E.self] }
        static var initial: any WorkflowState { RungState<E>() }
        let again = Event(updating: RungState<E>.self)
    }

    @Test("An effect that is itself a single value is compared, too")
    func singleValue() throws {
        let found = try breaks([Sample<Clock<Alarm>>](), [Sample<Clock<QuietAlarm>>]())
        #expect(
            found.map(\.explanation) == [
                #"The data of the effect "Alarm" is "loud" in an archive, and is "silent" when that is read."#
            ]
        )
        #expect(found.first?.remedy.contains("    data = …\n") == true)
    }
}
