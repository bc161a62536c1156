// The common part of the handwritten machines, which do the work without a library.

protocol HandState: AnyObject, Sendable {
    static var kind: HandKind { get }
    func didExit(to destination: any HandState, by event: HandEvent)
    func didEnter(from source: any HandState, by event: HandEvent)
}

extension HandState {
    func didExit(to destination: any HandState, by event: HandEvent) {}
    func didEnter(from source: any HandState, by event: HandEvent) {}
}

final class HandIdle: HandState {
    static var kind: HandKind { .idle }
}

final class HandLoading: HandState {
    static var kind: HandKind { .loading }
    let url: String
    init(url: String) { self.url = url }
    func didExit(to destination: any HandState, by event: HandEvent) { keep(url.utf8.count) }
    func didEnter(from source: any HandState, by event: HandEvent) { keep(url.utf8.count) }
}

final class HandCompleted: HandState {
    static var kind: HandKind { .completed }
    let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
}

final class HandFailure: HandState {
    static var kind: HandKind { .failure }
    let error: DownloadError
    let url: String
    init(_ error: DownloadError, url: String) {
        self.error = error
        self.url = url
    }
}

final class HandCancelled: HandState {
    static var kind: HandKind { .cancelled }
}

enum HandKind: UInt8 {
    case idle
    case loading
    case completed
    case failure
    case cancelled
}

enum HandEvent {
    case load
    case fail
    case retry
    case finish
    case reset
    case cancel
    case reload

    /// The source states, a bit each.
    private var sources: UInt8 {
        switch self {
        case .load: Self.bit(.idle)
        case .fail, .finish, .reload: Self.bit(.loading)
        case .retry: Self.bit(.failure)
        case .reset: Self.bit(.completed) | Self.bit(.failure) | Self.bit(.cancelled)
        case .cancel: Self.bit(.idle) | Self.bit(.loading)
        }
    }

    func leads(from kind: HandKind) -> Bool { sources & Self.bit(kind) != 0 }

    private static func bit(_ kind: HandKind) -> UInt8 { 1 << kind.rawValue }
}

struct HandInvalidTransition: Error {
    let event: HandEvent
    let source: HandKind
}
