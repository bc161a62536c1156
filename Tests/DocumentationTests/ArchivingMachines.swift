import Foundation
import Heraclitus
import HeraclitusStores
import Testing

private final class IdleState: EmptyState {}
private final class CompletedState: WorkflowState {
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}

private struct Download: Workflow {
    static var initial: any WorkflowState { IdleState() }
    let finish = Event(from: IdleState.self, to: CompletedState.self)
    let again = Event(updating: CompletedState.self)
}

private final class QueuedState: EmptyState {}
private final class DoneState: EmptyState {}

private struct Order: Workflow {
    static var initial: any WorkflowState { QueuedState() }
    let finish = Event(from: QueuedState.self, to: DoneState.self)
}

private final class OnTheWayState: Composite {
    let download: StateMachine<Download>
    init(download: StateMachine<Download> = StateMachine()) { self.download = download }
    var regions: [any Region] { [download] }
    func copied() -> OnTheWayState { OnTheWayState(download: download.copy()) }
}

private struct Parcel: Workflow {
    static var initial: any WorkflowState { OnTheWayState() }
    let arrive = Event(from: OnTheWayState.self, to: DoneState.self)
}

@Suite("Archiving machines") struct ArchivingArticleTests {
    @Test("A machine is saved to a file after every transition")
    func kept() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let machine = StateMachine<Download>()
        machine.onTransition { transition in
            do {
                try transition.machine(as: Download.self)?.archive().write(to: file, options: .atomic)
            } catch {
                print("The download was not kept: \(error)")
            }
        }
        try machine.fire.finish(CompletedState(byteCount: 7))
        try machine.fire.again(CompletedState(byteCount: 8))
        let later = try StateMachine<Download>(archive: Data(contentsOf: file))
        #expect(later.revision == 2 && (later.state as? CompletedState)?.byteCount == 8)
    }

    @Test("A machine with machines in its states is saved after each transition in the tree")
    func keptTree() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let machine = StateMachine<Parcel>()
        machine.observe(regions: true) { [weak machine] occurrence in
            guard let machine, occurrence.kind == .transitioned else { return }
            do {
                try machine.archive().write(to: file, options: .atomic)
            } catch {
                print("The download was not kept: \(error)")
            }
        }
        machine.activate()
        try #require(machine.state as? OnTheWayState).download.fire.finish(CompletedState(byteCount: 7))
        let later = try StateMachine<Parcel>(archive: Data(contentsOf: file))
        #expect(later.isIn(CompletedState.self))
    }

    @Test("The article prints an archive of its machine")
    func archive() throws {
        let machine = StateMachine<Download>()
        try machine.fire.finish(CompletedState(byteCount: 6))
        try machine.fire.again(CompletedState(byteCount: 6))
        try machine.fire.again(CompletedState(byteCount: 7))
        let json = try machine.archive()
        let later = try StateMachine<Download>(archive: json)
        later.activate()
        #expect(later.isActive)
        try expectBlock(String(decoding: json, as: UTF8.self), in: "ArchivingMachines")
    }

    @Test("The article's loop reads written lines")
    func lines() async throws {
        let machines = [StateMachine<Order>(), StateMachine<Order>()]
        var orders: [StateMachine<Order>] = []
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        try Archive.write(machines, to: file)
        for try await line in Archive.lines(of: Order.self, in: file) {
            switch line.result {
            case .success(let machine): orders.append(machine)
            case .failure(let error): print("line \(line.number): \(error)")
            }
        }
        #expect(orders.count == 2)
    }

    @Test("A state is archived on its own")
    func alone() throws {
        let data = try JSONEncoder().encode(StateArchive<Download>(CompletedState(byteCount: 7)))
        let state = try JSONDecoder().decode(StateArchive<Download>.self, from: data).state
        #expect((state as? CompletedState)?.byteCount == 7)
    }
}
