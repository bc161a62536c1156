import Heraclitus
import Testing

@testable import Fixtures

private final class OffState: EmptyState {}

private final class CountState<Item: Codable & Sendable>: WorkflowState {
    let item: Item
    init(_ item: Item) { self.item = item }
}

extension CountState: Entering where Item == Int {
    func didEnter(_ transition: StateTransition) { transition.context(as: Counter<Int>.self).write("\(item)") }
}

private struct Counter<Item: Codable & Sendable>: Workflow {
    typealias Context = CallLog
    static var initial: any WorkflowState { OffState() }
    let count = Event(from: OffState.self, to: CountState<Item>.self)
}

@Suite("Generic states") struct GenericStateTests {
    @Test("A generic state may have a hook for some of its types")
    func conditionalHook() throws {
        let log = CallLog()
        try StateMachine<Counter<String>>(context: log).fire.count(CountState("a"))
        #expect(log.entries == [])
        try StateMachine<Counter<Int>>(context: log).fire.count(CountState(3))
        #expect(log.entries == ["3"])
    }
}
