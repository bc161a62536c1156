import Foundation
import Heraclitus

/// A client that hears a server, through whatever happens to the two.
struct Session: Workflow {
    typealias Context = Network
    static var initial: any SessionState { DisconnectedState(heard: 0) }

    let connect = Event(fromAny: .resting, to: ConnectingState.self)
        .enters { resting, call in
            ConnectingState(after: resting.heard, until: call.context.patienceEnds(from: call.now))
        }
    let connected = Event(from: ConnectingState.self, to: ConnectedState.self)
    let hear = Event(updating: ConnectedState.self)

    let fail = Event(fromAny: .online, to: BackingOffState.self, FailedState.self).whenFailed()
        .enters { online, call in
            call.context.setback(of: online, because: call.failure ?? Trouble.hungUp, at: call.now)
        }
    let timeOut = Event(fromAny: .online, to: BackingOffState.self, FailedState.self).due(\.until)
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

/// What every state can be asked.
protocol SessionState: WorkflowState {
    /// The number of the last saying that was heard, after which the next connection goes on.
    var heard: Int { get }

    /// What a person is told.
    var text: String { get }
}

/// A state that waits for the server, until its patience ends.
protocol OnlineState: SessionState {
    /// How often the session has failed since it last heard something.
    var failures: Int { get }

    /// When its patience ends.
    var until: Date { get }
}

/// A state in which nothing goes on until somebody connects.
protocol RestingState: SessionState {}

extension StateGroup where State == any OnlineState {
    static var online: Self { Self { $0 is any OnlineState.Type } }
}

extension StateGroup where State == any RestingState {
    static var resting: Self { Self { $0 is any RestingState.Type } }
}
