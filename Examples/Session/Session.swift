import Foundation
import Heraclitus

/// A client that listens to a server, through all failures of both.
struct Session: Workflow {
    typealias Context = Network
    static var initial: any SessionState { DisconnectedState(heard: 0) }

    let connect = Event(fromAny: .resting, to: ConnectingState.self)
        .enters { resting, call in
            ConnectingState(after: resting.heard, until: call.context.patienceEnds(from: call.now))
        }
    let connected = Event(from: ConnectingState.self, to: ConnectedState.self)
    let hear = Event(updating: ConnectedState.self)

    let fail = Event(fromAny: .online, to: [BackingOffState.self, FailedState.self]).whenFailed()
        .enters { online, call in
            call.context.setback(of: online, because: call.failure ?? Trouble.hungUp, at: call.now)
        }
    let timeOut = Event(fromAny: .online, to: [BackingOffState.self, FailedState.self]).due(\.until)
        .enters { online, call in
            call.context.setback(of: online, because: Trouble.silence(call.context.patience), at: call.now)
        }
    let retry = Event(from: BackingOffState.self, to: ConnectingState.self).due(\.until)
        .enters { backingOff, call in
            ConnectingState(
                after: backingOff.heard,
                failures: backingOff.failures,
                until: call.context.patienceEnds(from: call.now)
            )
        }

    let disconnect = Event(fromAny: .online, to: DisconnectedState.self)
        .or(from: BackingOffState.self, to: DisconnectedState.self)
        .enters { DisconnectedState(heard: $0.heard) }
}

/// The properties of every state.
protocol SessionState: WorkflowState {
    /// The number of the last received saying, after which the next connection continues.
    var heard: Int { get }

    /// The message for the user.
    var text: String { get }
}

/// A state that waits for the server until a time-out.
protocol OnlineState: SessionState {
    /// The number of failures since the last saying.
    var failures: Int { get }

    /// When its patience ends.
    var until: Date { get }
}

/// A state that waits until the user connects.
protocol RestingState: SessionState {}

extension StateGroup where State == any OnlineState {
    static var online: Self { Self { $0 is any OnlineState.Type } }
}

extension StateGroup where State == any RestingState {
    static var resting: Self { Self { $0 is any RestingState.Type } }
}
