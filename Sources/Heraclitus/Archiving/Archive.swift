#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What an archive has besides the machine.
public struct ArchiveExtras: OptionSet, Sendable {
    /// The extras, a bit each.
    public let rawValue: Int

    /// Makes a set of extras.
    /// - Parameter rawValue: The extras, a bit each.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The workflow's ``TransitionTable``, for tools that do not have the workflow's code; nobody reads it back.
    public static let definition = ArchiveExtras(rawValue: 1)
}

extension StateMachine {
    /// How many bytes an archive may have if nobody says otherwise: 64 MiB.
    public static var archiveLimit: Int { 64 << 20 }

    /// Archives the machine to JSON: its state with its data, its revision, and whether it was activated.
    ///
    /// Keys are sorted and dates are written in ISO 8601, so that the same machine archives to the same bytes. A coder of
    /// your own does as well, for a machine is `Codable`; one that is to read what this writes decodes dates as
    /// `JSONDecoder.DateDecodingStrategy.archived`.
    ///
    /// Any thread may call it at any time; the archive shows one moment.
    /// - Parameters:
    ///   - extras: What to put into the archive besides the machine.
    ///   - isPrettyPrinted: Whether to write it on several lines for people to read.
    ///   - limit: How many bytes the archive may have; ``archiveLimit`` unless said otherwise, as when it is read.
    /// - Returns: UTF-8 JSON, on one line unless it is pretty printed.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` if the state's data cannot be written, or not so that it
    ///   could be read again, with the key; ``ArchiveError/tooLarge(_:limit:)``.
    public func archive(
        including extras: ArchiveExtras = [],
        prettyPrinted isPrettyPrinted: Bool = false,
        limit: Int = StateMachine.archiveLimit
    ) throws(ArchiveError) -> Data {
        let archive = try envelope(including: extras).encoded(isPrettyPrinted ? prettyEncoder : archiveEncoder)
        guard archive.count <= limit else { throw .tooLarge(archive.count, limit: limit) }
        return archive
    }

    /// Archives the machine, whatever its size, and says which state it archives: both as of one moment.
    func archiveAndState() throws(ArchiveError) -> (archive: Data, state: String) {
        let envelope = envelope()
        return (try envelope.encoded(archiveEncoder), definition.states[envelope.snapshot.status.index].name)
    }

    /// Restores a machine from an archive.
    ///
    /// Restoring is not a transition: no guard, hook or observer runs. ``activate(userInfo:)``, or the first fire, tells
    /// the state that it is back. What an older version of the workflow has written goes through its
    /// ``Workflow/migrations`` first.
    /// - Parameters:
    ///   - archive: UTF-8 JSON, as ``archive(including:prettyPrinted:limit:)`` writes it.
    ///   - limit: How many bytes the archive may have; ``archiveLimit`` unless said otherwise.
    /// - Throws: ``ArchiveError``, whatever the bytes are.
    public convenience init(archive: Data, limit: Int = StateMachine.archiveLimit) throws(ArchiveError) {
        guard archive.count <= limit else { throw .tooLarge(archive.count, limit: limit) }
        let definition = CompiledWorkflow<W>.shared.definition
        let snapshot: Snapshot
        do {
            snapshot = try EnvelopeReader(ArchiveDecoder(.text(try JSONText([UInt8](archive)), 0)), definition)
                .snapshot()
        } catch let error as ArchiveError {
            throw error
        } catch let problem as JSONProblem {
            throw .notJSON(explanation: problem.description)
        } catch {
            throw .notJSON(explanation: ArchiveError.explanation(of: error))
        }
        self.init(MachineCore(definition, snapshot))
    }
}

extension Envelope {
    fileprivate func encoded(_ encoder: JSONEncoder) throws(ArchiveError) -> Data {
        do {
            let archive = try encoder.encode(self)
            try archive.expectReadable()
            return archive
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw .unwritableState(definition.states[snapshot.status.index].name, underlyingError: error)
        }
    }
}

extension Data {
    /// Throws if this, which an encoder has written, is not what the reader takes: the encoder writes a `Decimal` that is no
    /// number as `NaN`, and values at any depth.
    fileprivate func expectReadable() throws {
        let survey = JSONSurvey(span)
        guard survey.depth > JSONText.depthLimit || survey.hasNoNumber else { return }
        do {
            _ = try JSONText([UInt8](self))
        } catch {
            throw EncodingError.invalidValue(
                survey.depth > JSONText.depthLimit ? "a value" : "a number",
                .init(codingPath: error.path, debugDescription: "It could not be read again: \(error.explanation)")
            )
        }
    }
}

private let archiveEncoder = encoder([.sortedKeys, .withoutEscapingSlashes])

private let prettyEncoder = encoder([.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])

private func encoder(_ formatting: JSONEncoder.OutputFormatting) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    encoder.dateEncodingStrategy = .archived
    return encoder
}
