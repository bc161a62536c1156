import Foundation
import Heraclitus
import Testing

@Suite("States on their own") struct StateArchiveTests {
    struct Entry: Codable {
        let note: String
        let state: Download.ArchivedState
    }

    @Test("A state is archived with its name and data, and is of its class again")
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

    @Test("A state within something else is coded, too")
    func within() throws {
        let entries = [
            Entry(note: "one", state: Download.ArchivedState(IdleState())),
            Entry(note: "two", state: Download.ArchivedState(LoadingState(request: Request(url: "b")))),
        ]
        let decoded = try JSONDecoder().decode([Entry].self, from: JSONEncoder().encode(entries))
        #expect(decoded.map(\.note) == ["one", "two"])
        #expect(decoded[0].state.state is IdleState && decoded[1].state.state.request?.url == "b")
    }

    @Test("The state of a machine's archive is read, and a machine is not made of a state's")
    func ofMachine() throws {
        let machine = StateMachine<Download>()
        try machine.fire.load(LoadingState(request: Request(url: "c")))
        #expect(try Download.state(from: machine.archive()).request?.url == "c")
        let error = #expect(throws: ArchiveError.self) {
            try StateMachine<Download>(archive: Download.archive(of: IdleState()))
        }
        #expect(error?.description.contains("revision") == true)
    }

    @Test("What an older version has written is migrated")
    func migrated() throws {
        let old = #"{"data":{"url":"x"},"format":1,"state":"Waiting","version":1,"workflow":"Ticket"}"#
        let state = try Ticket.state(from: Data(old.utf8))
        #expect((state as? QueuedState)?.urls == ["x"])
    }

    final class OtherState: DownloadState, EmptyState {}

    @Test(
        "What is none is refused, each with its own error",
        arguments: [
            (
                #"{"data":{},"format":1,"state":"IdleState","version":1,"workflow":"Other"}"#,
                "of the workflow \"Other\""
            ),
            (#"{"data":{},"format":1,"state":"Idle","version":1,"workflow":"Download"}"#, "no state \"Idle\""),
            (#"{"data":{},"format":1,"state":"IdleState","version":2,"workflow":"Download"}"#, "version 2"),
            (#"{"data":{},"format":1,"state":"LoadingState","version":1,"workflow":"Download"}"#, ""),
            (#"{"data":{},"format":2,"state":"IdleState","version":1,"workflow":"Download"}"#, "format is 2"),
            ("{", "not JSON"),
        ]
    )
    func refused(_ json: String, _ text: String) throws {
        if text.isEmpty {
            // The request is optional: its absence is none of the archive's faults.
            #expect(try Download.state(from: Data(json.utf8)).request == nil)
        } else {
            let error = #expect(throws: ArchiveError.self) { try Download.state(from: Data(json.utf8)) }
            #expect(error?.description.contains(text) == true)
        }
    }

    @Test("A state that is not registered, or too large, is not written")
    func unwritable() {
        let error = #expect(throws: ArchiveError.self) { try Download.archive(of: OtherState()) }
        #expect(error?.description.contains("no state \"OtherState\"") == true)
        #expect(throws: ArchiveError.self) { try Download.archive(of: IdleState(), limit: 10) }
        #expect(throws: ArchiveError.self) {
            try JSONEncoder().encode(Download.ArchivedState(OtherState()))
        }
    }
}
