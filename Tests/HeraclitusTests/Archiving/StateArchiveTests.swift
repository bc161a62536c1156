import Foundation
import Heraclitus
import Testing

@testable import Fixtures

@Suite("States on their own") struct StateArchiveTests {
    struct Entry: Codable {
        let note: String
        let state: StateArchive<Download>
    }

    /// Reads a state in the way for JSON of others.
    private func state<W: Workflow>(of workflow: W.Type, from json: String) throws -> W.AnyState {
        try JSONValue(json: Data(json.utf8)).decoded(as: StateArchive<W>.self).state
    }

    @Test("A state is archived with its name and data, and restored as its class")
    func roundTrip() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(StateArchive<Download>(LoadingState(request: Request(url: "a"))))
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"data":{"request":{"url":"a"}},"format":1,"state":"LoadingState","version":1,"workflow":"Download"}"#
        )
        let state = try JSONDecoder().decode(StateArchive<Download>.self, from: json).state
        #expect(state is LoadingState && state.request?.url == "a")
    }

    @Test("A state within another value is coded, too")
    func within() throws {
        let entries = [
            Entry(note: "one", state: StateArchive<Download>(IdleState())),
            Entry(note: "two", state: StateArchive<Download>(LoadingState(request: Request(url: "b")))),
        ]
        let decoded = try JSONDecoder().decode([Entry].self, from: JSONEncoder().encode(entries))
        #expect(decoded.map(\.note) == ["one", "two"])
        #expect(decoded[0].state.state is IdleState && decoded[1].state.state.request?.url == "b")
    }

    @Test("The state of a machine's archive is readable, and a state's archive makes no machine")
    func ofMachine() throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(request: Request(url: "c")))
        let state = try JSONDecoder().decode(StateArchive<Download>.self, from: machine.archive()).state
        #expect(state.request?.url == "c")
        let json = try JSONEncoder().encode(StateArchive<Download>(IdleState()))
        let error = #expect(throws: ArchiveError.self) { try StateMachine<Download>(archive: json) }
        #expect(error?.description.contains("revision") == true)
    }

    @Test("Every decoder ignores a machine's members in the archive of a state")
    func members() throws {
        let json =
            #"{"activated":null,"data":{},"format":1,"left":7,"revision":"x","state":"IdleState","version":1,"workflow":"Download"}"#
        #expect(try state(of: Download.self, from: json) is IdleState)
        #expect(try JSONDecoder().decode(StateArchive<Download>.self, from: Data(json.utf8)).state is IdleState)
    }

    @Test("An archive of an older version is migrated")
    func migrated() throws {
        let old = #"{"data":{"url":"x"},"format":1,"state":"Waiting","version":1,"workflow":"Ticket"}"#
        let state = try state(of: Ticket.self, from: old)
        #expect((state as? QueuedState)?.urls == ["x"])
    }

    final class OtherState: DownloadState, EmptyState {}

    @Test(
        "Each kind of invalid archive has its own error",
        arguments: [
            (
                #"{"data":{},"format":1,"state":"IdleState","version":1,"workflow":"Other"}"#,
                "of the workflow \"Other\""
            ),
            (#"{"data":{},"format":1,"state":"Idle","version":1,"workflow":"Download"}"#, "no state \"Idle\""),
            (#"{"data":{},"format":1,"state":"IdleState","version":2,"workflow":"Download"}"#, "version 2"),
            (#"{"data":{},"format":1,"state":"LoadingState","version":1,"workflow":"Download"}"#, ""),
            (#"{"data":{},"format":2,"state":"IdleState","version":1,"workflow":"Download"}"#, "has format 2"),
            ("{", "Invalid JSON"),
        ]
    )
    func refused(_ json: String, _ text: String) throws {
        if text.isEmpty {
            // The request is optional, so its absence is valid.
            #expect(try state(of: Download.self, from: json).request == nil)
        } else {
            let error = #expect(throws: ArchiveError.self) { try state(of: Download.self, from: json) }
            #expect(error?.description.contains(text) == true)
        }
    }

    @Test("An unregistered state is not written")
    func unwritable() {
        let error = #expect(throws: ArchiveError.self) {
            try JSONEncoder().encode(StateArchive<Download>(OtherState()))
        }
        #expect(error?.description.contains("no state \"OtherState\"") == true)
    }
}

private final class ArchivedState: WorkflowState {
    let folder: String
    init(folder: String) { self.folder = folder }
}

private struct Mail: Workflow {
    static var initial: any WorkflowState { IdleState() }
    let archive = Event(from: IdleState.self, to: ArchivedState.self)
}

private struct Letter: Workflow {
    final class ArchivedState: EmptyState {}
    static var initial: any WorkflowState { IdleState() }
    let archive = Event(from: IdleState.self, to: ArchivedState.self)
}

extension StateArchiveTests {
    @Test("A state class may be called ArchivedState, within its workflow or beside it")
    func ownName() throws {
        let machine = StateMachine<Mail>()
        try machine.fire.archive(ArchivedState(folder: "old"))
        let json = try JSONEncoder().encode(StateArchive<Mail>(machine.state))
        let restored = try JSONDecoder().decode(StateArchive<Mail>.self, from: json).state
        #expect((restored as? ArchivedState)?.folder == "old")
        let letter = StateMachine<Letter>()
        try letter.fire.archive()
        let letterJSON = try JSONEncoder().encode(StateArchive<Letter>(letter.state))
        let found = try JSONDecoder().decode(StateArchive<Letter>.self, from: letterJSON).state
        #expect(found is Letter.ArchivedState)
    }
}
