import Foundation
import Heraclitus
import Testing

@testable import Fixtures

@Suite("States on their own") struct StateArchiveTests {
    struct Entry: Codable {
        let note: String
        let state: StateArchive<Download>
    }

    @Test("A state is archived with its name and data, and restored as its class")
    func roundTrip() throws {
        let json = try Download.archive(of: LoadingState(request: Request(url: "a")))
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"data":{"request":{"url":"a"}},"format":1,"state":"LoadingState","version":1,"workflow":"Download"}"#
        )
        let state = try Download.state(from: json)
        #expect(state is LoadingState && state.request?.url == "a")
        #expect(try Download.state(from: Download.archive(of: IdleState(), prettyPrinted: true)) is IdleState)
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
        #expect(try Download.state(from: machine.archive()).request?.url == "c")
        let error = #expect(throws: ArchiveError.self) {
            try StateMachine<Download>(archive: Download.archive(of: IdleState()))
        }
        #expect(error?.description.contains("revision") == true)
    }

    @Test("Every decoder ignores a machine's members in the archive of a state")
    func members() throws {
        let json = Data(
            #"{"activated":null,"data":{},"format":1,"left":7,"revision":"x","state":"IdleState","version":1,"workflow":"Download"}"#
                .utf8
        )
        #expect(try Download.state(from: json) is IdleState)
        #expect(try JSONDecoder().decode(StateArchive<Download>.self, from: json).state is IdleState)
    }

    @Test("An archive of an older version is migrated")
    func migrated() throws {
        let old = #"{"data":{"url":"x"},"format":1,"state":"Waiting","version":1,"workflow":"Ticket"}"#
        let state = try Ticket.state(from: Data(old.utf8))
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
            #expect(try Download.state(from: Data(json.utf8)).request == nil)
        } else {
            let error = #expect(throws: ArchiveError.self) { try Download.state(from: Data(json.utf8)) }
            #expect(error?.description.contains(text) == true)
        }
    }

    @Test("An unregistered or oversized state is not written")
    func unwritable() {
        let error = #expect(throws: ArchiveError.self) { try Download.archive(of: OtherState()) }
        #expect(error?.description.contains("no state \"OtherState\"") == true)
        #expect(throws: ArchiveError.self) { try Download.archive(of: IdleState(), limit: 10) }
        #expect(throws: ArchiveError.self) {
            try JSONEncoder().encode(StateArchive<Download>(OtherState()))
        }
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
        let restored = try Mail.state(from: Mail.archive(of: machine.state))
        #expect((restored as? ArchivedState)?.folder == "old")
        let letter = StateMachine<Letter>()
        try letter.fire.archive()
        #expect(try Letter.state(from: Letter.archive(of: letter.state)) is Letter.ArchivedState)
    }
}
