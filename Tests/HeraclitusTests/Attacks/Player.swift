import Heraclitus

@testable import Fixtures

/// A thread of a random program: its operations, and its reactions when a machine calls it.
///
/// Callbacks run on the firing thread, and find its player there.
final class Player: Sendable {
    @TaskLocal static var current: Player?

    /// The place of a callback in a transition.
    enum Place {
        case preparing
        case announcing
    }

    let thread: Int

    /// The player's habit, as a range of the numbers that ``RandomArena`` draws: all operations, or one kind that is
    /// otherwise rare.
    let habit: Range<Int>
    private let content: Lock<Content>

    private struct Content: Sendable {
        var random: Seed
        var operations: [(arena: Int, operation: Call)] = []
        var under: [Int] = []
        var nested = 0
        var made: [Int] = []
        var count = 0
    }

    /// The player's machine.
    let arena = Lock<(any Arena)?>(nil)

    init(_ thread: Int, _ seed: Seed) {
        self.thread = thread
        var seed = seed
        // Anything; fires; reads; copies and archives; temporary observers.
        habit = seed.pick([0..<100, 0..<100, 0..<50, 50..<70, 70..<79, 89..<97])
        content = Lock(Content(random: seed))
    }

    /// Draws a random value.
    func draw<Value: Sendable>(_ body: (inout Seed) -> Value) -> Value { content.withLock { body(&$0.random) } }

    func chance(_ percent: Int) -> Bool { draw { $0.chance(percent) } }

    /// The operations on a machine.
    func operations(on arena: Int) -> [Call] {
        content.withLock { $0.operations.filter { $0.arena == arena }.map(\.operation) }
    }

    var operationCount: Int { content.withLock { $0.operations.count } }

    /// Records that an empty state was made on this thread.
    func noteMade(_ number: Int) { content.withLock { $0.made.append(number) } }

    /// The number of empty states made on this thread.
    var madeCount: Int { content.withLock { $0.made.count } }

    /// The empty state of a fire: the first one made after a count, because callbacks make theirs later.
    func made(after count: Int) -> Int? { content.withLock { $0.made.count > count ? $0.made[count] : nil } }

    /// Records an operation with its beginning and end.
    /// - Parameters:
    ///   - attempt: The attempt.
    ///   - arena: The machine's number.
    ///   - place: The place of the callback; `nil` outside callbacks.
    ///   - body: Gets the operation's id; returns the result and the stamp of the object.
    func note(
        _ attempt: Model.Attempt,
        on arena: Int,
        _ place: Place?,
        _ body: (Int) -> (Call.Result, built: Int?)
    ) {
        let (id, parent, root) = content.withLock { content in
            content.count += 1
            let id = thread << 40 | content.count
            if content.under.isEmpty { content.nested = 0 }
            let parent = content.under.last
            let root = content.under.first ?? id
            content.under.append(id)
            return (id, parent, root)
        }
        let begin = Count.stamp()
        let (result, built) = body(id)
        let end = Count.stamp()
        let operation = Call(
            id: id,
            attempt: attempt,
            result: result,
            begin: begin,
            end: end,
            built: built,
            parent: parent,
            root: root,
            isPreparing: place == .preparing
        )
        content.withLock { content in
            content.under.removeLast()
            content.operations.append((arena, operation))
        }
    }

    /// Whether the player may do another operation in the turn, so that the turn ends.
    private func mayGoOn() -> Bool {
        content.withLock { content in
            guard !content.under.isEmpty, content.nested < 6 else { return false }
            content.nested += 1
            return true
        }
    }
}

// MARK: - Callbacks

extension Player {
    /// Called by a guard.
    func isAsked(_ transition: StateTransition) throws {
        isCalled(.guards, transition)
        if chance(4) { throw Declined(number: (transition.source as? any NumberedState)?.number) }
    }

    /// Called by a hook of the definition, or by a closure of the machine's own.
    func isCalled(_ phase: Phase, byOwn isOwn: Bool = false, _ transition: StateTransition) {
        // Activations pass nothing along, and the player does not count their fires.
        guard transition.event != nil, let arena = arena.withLock({ $0 }), arena.makes(transition) else { return }
        if chance(4) { arena.addLatecomer(self, in: Moment(phase: phase, isOwn: isOwn), of: transition) }
        goOn(phase <= .willEnter ? .preparing : .announcing, arena)
    }

    /// Does one more thing to a machine in its turn, now and then; called from callbacks.
    func goOn(_ place: Place, _ arena: any Arena) {
        guard chance(place == .preparing ? 3 : 12), mayGoOn() else { return }
        arena.step(self, place)
    }
}

/// A machine that players are at.
protocol Arena: AnyObject, Sendable {
    /// Whether a transition is one of this machine.
    func makes(_ transition: StateTransition) -> Bool

    /// Lets a player do something to the machine, from a callback if a place is given.
    func step(_ player: Player, _ place: Player.Place?)

    /// Adds a listener from a callback of a transition, for a later or earlier phase of it.
    func addLatecomer(_ player: Player, in moment: Moment, of transition: StateTransition)

    /// Releases everything, and reports the results.
    func close(_ players: [Player]) -> History
}
