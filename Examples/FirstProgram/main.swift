import ExampleUsage
import Heraclitus

readNoArguments(usage: "usage: heraclitus-first-program\n\nModels a download, prints a rejection, restores an archive.")

// A state is a class with the data that it needs.
final class IdleState: EmptyState {}
final class LoadingState: WorkflowState {
    let url: String
    init(url: String) { self.url = url }
}
final class LoadedState: WorkflowState {
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}

// An event leads from one or more states to a state.
struct Download: Workflow {
    static var initial: any WorkflowState { IdleState() }
    let load = Event(from: IdleState.self, LoadedState.self, to: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: LoadedState.self)
    let cancel = Event(from: LoadingState.self, to: IdleState.self)
}

let machine = StateMachine<Download>()
try machine.fire.load(LoadingState(url: "https://example.org"))
print(machine)

// An event that is not allowed throws, and changes nothing.
do {
    try machine.fire.load(LoadingState(url: "https://example.com"))
} catch {
    print(error)
}

// Another process can restore the machine, and go on.
let archive = try machine.archive()
print(String(decoding: archive, as: UTF8.self))

let restored = try StateMachine<Download>(archive: archive)
try restored.fire.finish(LoadedState(byteCount: 1256))
print(restored)
