import Foundation
import Heraclitus

// Archives, and for reference Foundation's coders on a plain struct that makes the same bytes.

@inline(never)
func archive(_ count: Int) throws {
    let machine = StateMachine<Download>()
    for _ in 0..<count { keep(try machine.archive().count) }
}

@inline(never)
func restore(_ count: Int) throws {
    let data = try StateMachine<Download>().archive()
    for _ in 0..<count { keep(try StateMachine<Download>(archive: data)) }
}

@inline(never)
func foundationEncode(_ count: Int) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let (value, data) = try plainArchive()
    let encoded = try encoder.encode(value)
    precondition(encoded == data, "Both write the same bytes.")
    for _ in 0..<count { keep(try encoder.encode(value).count) }
}

@inline(never)
func foundationDecode(_ count: Int) throws {
    let decoder = JSONDecoder()
    let data = try plainArchive().data
    for _ in 0..<count { keep(try decoder.decode(PlainArchive.self, from: data).revision) }
}

/// An archive of a machine as plain data, and its bytes.
private func plainArchive() throws -> (value: PlainArchive, data: Data) {
    let data = try StateMachine<Download>().archive()
    return (try JSONDecoder().decode(PlainArchive.self, from: data), data)
}

private final class LoadingState: WorkflowState {
    let attempt: Int
    let url: String
    init(attempt: Int, url: String) {
        self.attempt = attempt
        self.url = url
    }
}

private struct Download: Workflow {
    static var initial: any WorkflowState { LoadingState(attempt: 3, url: "https://downloads.example.org/a.tar.gz") }
    let retry = Event(updating: LoadingState.self)
}

private struct PlainArchive: Codable {
    struct State: Codable {
        let attempt: Int
        let url: String
    }

    let activated: Bool
    let data: State
    let format: Int
    let revision: Int
    let state: String
    let version: Int
    let workflow: String
}
