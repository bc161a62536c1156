import Heraclitus
import Testing

@testable import Fixtures

/// A desk whose state answers for the machines in it.
@Suite("The way from a machine to its holder", .timeLimit(.minutes(5))) struct HolderTests {
    final class OpenState: EmptyState {}
    final class LateState: EmptyState, Entering, ExitPreparing {
        func didEnter(_ transition: StateTransition) {
            if let desk = transition.holder(as: Desk.self) {
                #expect(throws: Never.self) { try desk.fire.note(userInfo: ["text": "entered"]) }
            }
        }
        func willExit(_ transition: StateTransition) {
            #expect(transition.holder(as: Desk.self) != nil)
        }
    }
    struct Paper: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let delay = Event(from: OpenState.self, to: LateState.self)
    }

    final class StaffedState: Composite, RegionObserving {
        let notes: [String]
        let paper: StateMachine<Paper>
        var regions: [any Region] { [paper] }
        init(notes: [String] = [], paper: StateMachine<Paper> = .init()) { (self.notes, self.paper) = (notes, paper) }
        func copied() -> StaffedState { StaffedState(notes: notes, paper: paper.copy()) }
        func regionDidTransition(_ transition: StateTransition, path: String) {
            #expect(transition.machine(as: Paper.self) === paper && transition.machine(as: Desk.self) == nil)
            #expect(throws: Never.self) {
                try transition.holder(as: Desk.self)?.fire.note(userInfo: ["text": "\(path) \(transition)"])
            }
        }
    }
    final class EmptyDeskState: EmptyState {}
    struct Desk: Workflow {
        static var initial: any WorkflowState { StaffedState() }
        let note = Event(updating: StaffedState.self).enters { staffed, call in
            StaffedState(notes: staffed.notes + [call.userInfo["text", as: String.self] ?? ""], paper: staffed.paper)
        }
        let leave = Event(from: StaffedState.self, to: EmptyDeskState.self)
    }

    @Test("A state fires its own machine when a machine in it has moved, and so does the machine's state")
    func up() throws {
        let desk = StateMachine<Desk>()
        let staffed = try #require(desk.state as? StaffedState)
        try staffed.paper.fire.delay()
        let later = try #require(desk.state as? StaffedState)
        #expect(later.notes == ["entered", "paper delay: OpenState → LateState"])
        // The state that is left with the holder's state reaches the holder, too.
        try desk.fire.leave()
    }

    @Test("A machine on its own has no holder, and a transition retains none")
    func alone() throws {
        let paper = StateMachine<Paper>()
        let transitions = Lock<[StateTransition]>([])
        paper.onTransition { transition in transitions.withLock { $0.append(transition) } }
        try paper.fire.delay()
        #expect(transitions.withLock { $0[0].holder(as: Desk.self) } == nil)
        weak var released: StateMachine<Desk>?
        do {
            let other = StateMachine<Paper>()
            other.onTransition { transition in transitions.withLock { $0.append(transition) } }
            let desk = StateMachine<Desk>(entering: StaffedState(paper: other))
            try other.fire.delay()
            released = desk
            #expect(transitions.withLock { $0[1].holder(as: Desk.self) } === desk)
        }
        #expect(released == nil && transitions.withLock { $0[1].holder(as: Desk.self) } == nil)
    }

    @Test("A transition of a stream leads to the holder")
    func streamed() async throws {
        let desk = StateMachine<Desk>()
        let staffed = try #require(desk.state as? StaffedState)
        var transitions = staffed.paper.transitions().makeAsyncIterator()
        try staffed.paper.fire.delay()
        let transition = await transitions.next()
        #expect(transition?.event == "delay" && transition?.holder(as: Desk.self) === desk)
    }

    final class OfficeState: Composite, RegionObserving {
        let desks: [StateMachine<Desk>]
        let heard = CallLog()
        private enum CodingKeys: CodingKey { case desks }
        var regions: [any Region] { desks }
        init(_ desks: [StateMachine<Desk>]) { self.desks = desks }
        func copied() -> OfficeState { OfficeState(desks.map { $0.copy() }) }
        func regionDidTransition(_ transition: StateTransition, path: String) {
            let desk = desks.firstIndex { $0 === transition.holder(as: Desk.self) }
            let office = transition.holder(as: Office.self)?.state as AnyObject === self
            let house = transition.holder(as: House.self) != nil
            heard.write("\(path) \(desk ?? -1) \(office) \(house)")
        }
    }
    struct Office: Workflow {
        static var initial: any WorkflowState { OfficeState([]) }
        let close = Event(from: OfficeState.self, to: EmptyDeskState.self)
    }
    final class HouseState: Composite {
        let office: StateMachine<Office>
        var regions: [any Region] { [office] }
        init(_ office: StateMachine<Office>) { self.office = office }
        func copied() -> HouseState { HouseState(office.copy()) }
    }
    struct House: Workflow {
        static var initial: any WorkflowState { EmptyDeskState() }
        let furnish = Event(from: EmptyDeskState.self, to: HouseState.self)
    }

    @Test("An observing state also reaches the machines between it and the region, and those around it")
    func between() throws {
        let paper = StateMachine<Paper>()
        let desks = [StateMachine<Desk>(), StateMachine<Desk>(entering: StaffedState(paper: paper))]
        let office = OfficeState(desks)
        let house = StateMachine<House>(entering: HouseState(StateMachine(entering: office)))
        try paper.fire.delay()
        // The desk notes two transitions of its paper, and has no holder that is a desk.
        #expect(office.heard.entries.first == "desks[1].paper 1 true true")
        #expect(office.heard.entries.dropFirst() == ["desks[1] -1 true true", "desks[1] -1 true true"])
        #expect(house.revision == 0)
    }

    final class LeafState: EmptyState {}
    final class BranchState: Composite, RegionObserving {
        let child: StateMachine<Tree>
        let heard = CallLog()
        private enum CodingKeys: CodingKey { case child }
        var regions: [any Region] { [child] }
        init(_ child: StateMachine<Tree>) { self.child = child }
        func copied() -> BranchState { BranchState(child.copy()) }
        func regionDidTransition(_ transition: StateTransition, path: String) {
            let holder = transition.holder(as: Tree.self)
            heard.write("\(path) \(holder?.state as AnyObject === self)")
        }
    }
    struct Tree: Workflow {
        static var initial: any WorkflowState { LeafState() }
        let grow = Event(from: LeafState.self, to: BranchState.self)
    }

    @Test("Each observing state gets its own machine, although all machines have one workflow")
    func recursive() throws {
        let leaf = StateMachine<Tree>()
        let inner = BranchState(leaf)
        let outer = BranchState(StateMachine(entering: inner))
        let root = StateMachine<Tree>(entering: outer)
        try leaf.fire.grow(BranchState(StateMachine()))
        #expect(inner.heard.entries == ["child true"])
        #expect(outer.heard.entries == ["child.child true"])
        #expect(root.revision == 0)
    }
}
