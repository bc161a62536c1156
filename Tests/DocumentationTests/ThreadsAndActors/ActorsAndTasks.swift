import Heraclitus
import Testing

private protocol DownloadState: WorkflowState { var title: String { get } }
private final class IdleState: DownloadState, EmptyState { var title: String { "Idle" } }
private final class LoadingState: DownloadState {
    let url: String
    let before: String
    var title: String { "Loading \(url) after \(before)" }

    init(url: String, after before: String = "") {
        self.url = url
        self.before = before
    }
}
private final class LoadedState: DownloadState {
    let byteCount: Int
    var title: String { "\(byteCount) bytes" }
    init(byteCount: Int) { self.byteCount = byteCount }
}

private struct Download: Workflow {
    static var initial: any DownloadState { IdleState() }
    let load = Event(from: IdleState.self, LoadedState.self, to: LoadingState.self)
    let finish = Event(from: LoadingState.self, to: LoadedState.self)
}

@Sendable private func fetch(_ url: String) async -> Int { url.utf8.count }

@MainActor private final class DownloadModel {
    let machine = StateMachine<Download>()
    private(set) var title = "Idle"
    private var observation: Task<Void, Never>?

    func observe() {
        let states = machine.states()
        observation = Task { [weak self] in
            for await state in states { self?.title = state.title }
        }
    }

    func load(_ url: String) throws {
        try machine.fire.load { _ in LoadingState(url: url, after: title) }  // the closure may read `title`
    }
}

private actor Downloads {
    let machine = StateMachine<Download>()
    private var count = 0

    func load(_ url: String) throws {
        try machine.fire.load { _ in
            count += 1  // runs here, on this actor
            return LoadingState(url: url, after: "\(count)")
        }
    }

    func observe() {
        let transitions = machine.transitions()
        Task { [weak self] in
            for await transition in transitions where transition.destination is LoadingState {
                await self?.countLoading()
            }
        }
    }

    private func countLoading() { count += 1 }
}

@MainActor private final class DirectModel {
    let machine = StateMachine<Download>()
    private(set) var title = "Idle"

    init() {
        machine.didEnter(LoadingState.self) { [weak self] loading, _ in
            MainActor.assumeIsolated { self?.title = loading.title }
        }
    }
}

extension Downloads {
    fileprivate var loaded: Int { count }
}

@Suite("Main actor, actors and tasks") struct ActorArticleTests {
    @Test("A model on the main actor fires and observes")
    @MainActor func model() async throws {
        let model = DownloadModel()
        model.observe()
        try model.load("a")
        for _ in 0..<300_000 where model.title != "Loading a after Idle" { try await Task.sleep(for: .milliseconds(1)) }
        #expect(model.title == "Loading a after Idle")
    }

    @Test("A hook uses the main actor when the main thread fires")
    @MainActor func direct() throws {
        let model = DirectModel()
        try model.machine.fire.load(LoadingState(url: "b"))
        #expect(model.title == "Loading b after ")
    }

    @Test("An actor fires with its own properties")
    func actor() async throws {
        let downloads = Downloads()
        try await downloads.load("c")
        #expect(await downloads.loaded == 1)
        #expect(downloads.machine.state.title == "Loading c after 1")
    }

    @Test("An observing model and an observing actor are released with their machines")
    func released() async throws {
        weak var ofModel: StateMachine<Download>?
        weak var ofActor: StateMachine<Download>?
        do {
            let (model, downloads) = (DownloadModel(), Downloads())
            await model.observe()
            await downloads.observe()
            try await downloads.load("d")
            for _ in 0..<300_000 where await downloads.loaded < 2 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(await downloads.loaded == 2)
            (ofModel, ofActor) = (model.machine, downloads.machine)
        }
        for _ in 0..<300_000 where ofModel != nil || ofActor != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(ofModel == nil && ofActor == nil)
    }

    @Test("A task fires after its work, and a waiting task gets the state")
    func tasks() async throws {
        let machine = StateMachine<Download>()
        machine.didEnter(LoadingState.self) { loading, transition in
            let machine = transition.machine(as: Download.self)
            Task { [weak machine] in
                let byteCount = await fetch(loading.url)
                try? machine?.fire.finish(LoadedState(byteCount: byteCount))
            }
        }
        try machine.fire.load(LoadingState(url: "https://example.org"))
        let loaded = try await machine.wait(for: LoadedState.self)
        #expect(loaded.byteCount == 19)
    }

    @Test("An awaited value is computed before the fire")
    func awaited() async throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(url: "https://example.org"))
        let byteCount = await fetch("https://example.org")
        try machine.fire.finish(LoadedState(byteCount: byteCount))
        #expect(machine.state.title == "19 bytes")
    }
}
