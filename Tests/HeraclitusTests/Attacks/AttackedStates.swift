import Heraclitus
import Synchronization

/// A state with a unique number, which its copies and archives keep.
protocol NumberedState: WorkflowState {
    var number: Int { get }
}

extension NumberedState {
    var shown: Shown { Shown(number: number, name: type(of: self).name) }
}

/// A state as an observer saw it.
struct Shown: Hashable, Sendable {
    let number: Int
    let name: String
}

/// Draws the numbers of states, and the stamps that order operations.
enum Count {
    private static let states = Atomic<Int>(0)
    private static let stamps = Atomic<Int>(0)

    static func state() -> Int { states.add(1, ordering: .relaxed).newValue }

    static func stamp() -> Int { stamps.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// The error of a guard or builder that has declined, with the number of the state it saw.
struct Declined: Error {
    let number: Int?
    var isBuilders = false
}

final class NumberedEmpty: NumberedState, EmptyState {
    let number: Int
    static var name: String { "Empty" }

    /// Called by the machine on the firing thread.
    init() {
        number = Count.state()
        Player.current?.noteMade(number)
    }
}

class NumberedBase: NumberedState, @unchecked Sendable {  // only a constant; the class has a subclass
    let number: Int
    class var name: String { "Base" }
    init(_ number: Int) { self.number = number }
}

final class NumberedSub: NumberedBase, @unchecked Sendable {
    override class var name: String { "Sub" }
}

/// A state with more data than a number.
final class NumberedPlain: NumberedState {
    let number: Int
    let text: String
    static var name: String { "Plain" }
    init(_ number: Int) {
        self.number = number
        text = "number \(number)"
    }
}

/// A state that declines sometimes, and tries to fire from its guards.
final class NumberedCareful: NumberedState, ExitGuarding, EntryGuarding, ExitPreparing {
    let number: Int
    static var name: String { "Careful" }
    init(_ number: Int) { self.number = number }

    func shouldExit(_ transition: StateTransition) throws { try Player.current?.isAsked(transition) }
    func shouldEnter(_ transition: StateTransition) throws { try Player.current?.isAsked(transition) }
    func willExit(_ transition: StateTransition) { Player.current?.isCalled(.willExit, transition) }
}

/// A state that fires further events from its hooks.
final class NumberedLively: NumberedState, EntryPreparing, Entering, Exiting, Copying {
    let number: Int
    static var name: String { "Lively" }
    init(_ number: Int) { self.number = number }

    func willEnter(_ transition: StateTransition) { Player.current?.isCalled(.willEnter, transition) }
    func didEnter(_ transition: StateTransition) { Player.current?.isCalled(.didEnter, transition) }
    func didExit(_ transition: StateTransition) { Player.current?.isCalled(.didExit, transition) }
    func copied() -> Self { Self(number) }
}

/// A state outside every workflow.
final class Stranger: NumberedState {
    let number: Int
    init(_ number: Int) { self.number = number }
}

extension Model {
    static let types: [any NumberedState.Type] = [
        NumberedEmpty.self, NumberedBase.self, NumberedSub.self, NumberedPlain.self, NumberedCareful.self,
        NumberedLively.self,
    ]

    /// Makes a state of a kind, or one outside every workflow.
    static func make(_ kind: Int) -> any NumberedState {
        switch kind {
        case 0: NumberedEmpty()
        case 1: NumberedBase(Count.state())
        case 2: NumberedSub(Count.state())
        case 3: NumberedPlain(Count.state())
        case 4: NumberedCareful(Count.state())
        case 5: NumberedLively(Count.state())
        default: Stranger(Count.state())
        }
    }
}
