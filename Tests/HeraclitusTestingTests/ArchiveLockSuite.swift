import Foundation
import Heraclitus
import HeraclitusTesting

@testable import Fixtures

/// A suite that locks archives in its own folder.
protocol ArchiveLockSuite {}

extension ArchiveLockSuite {
    /// The breaks of a workflow that has replaced another one.
    func breaks<Old: Workflow, New: Workflow>(
        _ old: [Sample<Old>],
        _ new: [Sample<New>],
        except: Set<String> = []
    ) throws -> [IncompatibleArchives.Break] {
        var breaks: [IncompatibleArchives.Break] = []
        try inFolder { folder in
            try expectCompatible(Old.self, samples: old, in: folder, recording: true, except: except)
            do {
                try expectCompatible(New.self, samples: new, in: folder, recording: true, except: except)
            } catch let error as IncompatibleArchives {
                breaks = error.breaks
            }
        }
        return breaks
    }

    /// Changes the content of a cart from one type to another, and records the contents in that order.
    func lock<Content: Codable & Sendable>(
        _ contents: Content...,
        in folder: URL,
        recording: Bool = false,
        except: Set<String> = []
    ) throws {
        try GivenContent.$content.withValue(contents[0]) {
            let samples: [Sample<LockedShop<Content>>] = contents.map { content in .state(LockedCart(content)) }
            try expectCompatible(
                LockedShop<Content>.self,
                samples: samples,
                in: folder,
                recording: recording,
                except: except
            )
        }
    }
}

/// A state whose data has another type in each version of a program.
final class LockedCart<Content: Codable & Sendable>: WorkflowState {
    static var name: String { "Cart" }
    let content: Content
    init(_ content: Content) { self.content = content }
    init(from decoder: any Decoder) throws { content = try Content(from: decoder) }
    func encode(to encoder: any Encoder) throws { try content.encode(to: encoder) }
}

/// A workflow with only this state.
struct LockedShop<Content: Codable & Sendable>: Workflow {
    static var name: String { "Shop" }
    static var version: Int { (Content.self as? any VersionedContent.Type)?.version ?? 1 }
    static var migrations: [Migration] { (Content.self as? any VersionedContent.Type)?.migrations ?? [] }
    static var initial: any WorkflowState {
        guard let content = GivenContent.content as? Content else { preconditionFailure("Nothing is given.") }
        return LockedCart(content)
    }
    let change = Event(updating: LockedCart<Content>.self)
}

/// Data of a later version.
protocol VersionedContent {
    static var version: Int { get }
    static var migrations: [Migration] { get }
}

/// The data with which the workflow begins.
enum GivenContent {
    @TaskLocal static var content: (any Sendable)?
}
