import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension StateMachine {
    /// Archives the machine to JSON: its state with its data, its revision, and whether it was activated.
    ///
    /// Keys are sorted and dates are written in ISO 8601, so that the same machine archives to the same bytes. A coder of
    /// your own does as well, for a machine is `Codable`; one that is to read what this writes decodes dates as
    /// `JSONDecoder.DateDecodingStrategy.archived`.
    ///
    /// Any thread may call it at any time; the archive shows one moment.
    /// - Returns: UTF-8 JSON, on one line.
    /// - Throws: ``ArchiveError/unwritableState(_:underlyingError:)`` if the state's data cannot be written.
    public func archive() throws(ArchiveError) -> Data {
        do {
            return try archiveEncoder.encode(envelope)
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw .unwritableState(stateName, underlyingError: error)
        }
    }

    /// Restores a machine from an archive.
    ///
    /// Restoring is not a transition: no guard, hook or observer runs. ``activate(userInfo:)``, or the first fire, tells
    /// the state that it is back.
    /// - Parameter archive: UTF-8 JSON, as ``archive()`` writes it.
    /// - Throws: ``ArchiveError``, whatever the bytes are.
    public convenience init(archive: Data) throws(ArchiveError) {
        do {
            let restored = try archiveDecoder.decode(Self.self, from: archive)
            self.init(MachineCore(restored.definition, restored.core.moment))
        } catch let error as ArchiveError {
            throw error
        } catch {
            throw .notJSON(explanation: ArchiveError.explanation(of: error))
        }
    }
}

private let archiveEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .archived
    return encoder
}()

private let archiveDecoder = {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .archived
    return decoder
}()
