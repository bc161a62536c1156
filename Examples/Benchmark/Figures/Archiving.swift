import Foundation
import Heraclitus

// Figures of archives, against Foundation's coders on a plain struct that makes the same bytes.

extension Figure {
    static var archiving: [Figure] {
        let machine = StateMachine<Download>(resumingIn: LoadingState(url: Content.shared.url))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let decoder = JSONDecoder()
        let archive = succeeding { try machine.archive() }
        precondition(archive == succeeding { try encoder.encode(plainArchive) }, "Both sides write the same bytes.")
        return [
            Figure(
                name: "machine.archive()",
                unit: "ns",
                goal: 1.2,
                ours: perOperation { rounds in
                    for _ in 0..<rounds { keep(succeeding { try machine.archive() }.count) }
                },
                limit: perOperation { rounds in
                    for _ in 0..<rounds { keep(succeeding { try encoder.encode(plainArchive) }.count) }
                }
            ),
            Figure(
                name: "StateMachine(archive:)",
                unit: "ns",
                goal: 1.2,
                ours: perOperation { rounds in
                    for _ in 0..<rounds { keep(succeeding { try StateMachine<Download>(archive: archive) }) }
                },
                limit: perOperation { rounds in
                    for _ in 0..<rounds {
                        keep(succeeding { try decoder.decode(PlainArchive.self, from: archive) }.revision)
                    }
                }
            ),
        ]
    }
}

/// What a machine of the figures archives to, as plain data.
let plainArchive = PlainArchive(
    activated: true,
    data: .init(url: Content.shared.url),
    format: 1,
    revision: 0,
    state: "LoadingState",
    version: 1,
    workflow: "Download"
)

struct PlainArchive: Codable {
    struct State: Codable {
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

func succeeding<Result>(_ body: () throws -> Result) -> Result {
    do { return try body() } catch { preconditionFailure("\(error)") }
}
