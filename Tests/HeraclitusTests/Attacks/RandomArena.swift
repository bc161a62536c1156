import Foundation
import Heraclitus

@testable import Fixtures

/// A machine for random operations of players, with everything that they have seen.
final class RandomArena<W: AttackedWorkflow>: Arena {
    let index: Int
    let machine: StateMachine<W>

    /// Whether a permanent observer is added.
    ///
    /// Without an observer, every fire builds its state from the previous one.
    let isObserved: Bool

    /// Whether at most one listener is added at a time, without other listeners.
    ///
    /// A machine without listeners checks for listeners only once more during a transition.
    private let isLonely: Bool

    private let initial: Shown
    private let initialRevision: Int
    private let isNew: Bool
    private let heard = Lock<[Told]>([])
    private let listeners = Lock<[Listener]>([])
    private let latecomers = Lock<[Latecomer]>([])
    private let listening = Lock<[(registration: Registration, index: Int)]>([])
    private let registrations = Lock<[Registration]>([])

    init(_ workflow: W.Type, _ index: Int, _ seed: inout Seed) throws {
        self.index = index
        isObserved = seed.chance(70)
        isLonely = !isObserved && seed.chance(50)
        isNew = seed.chance(50)
        if isNew {
            machine = StateMachine<W>()
        } else {
            // In the middle of its life, from an archive.
            let earlier = StateMachine<W>(resumingIn: Model.make(seed.below(6)))
            let walk = seed.below(6)
            for _ in 0..<walk {
                try? earlier.fire[named: seed.pick(W.model.events).name](Model.make(seed.below(6)))
            }
            machine = try StateMachine<W>(archive: earlier.archive())
        }
        initial = machine.state.shown
        initialRevision = machine.revision
        if isObserved { observe() }
    }

    func makes(_ transition: StateTransition) -> Bool { transition.machine(as: W.self) === machine }

    func close(_ players: [Player]) -> History {
        for entry in listening.withLock({ $0 }) { cancel(entry) }
        for registration in registrations.withLock({ $0 }) { registration.cancel() }
        return History(
            model: W.model,
            initial: initial,
            initialRevision: initialRevision,
            isNew: isNew,
            operations: players.flatMap { $0.operations(on: index) },
            heard: isObserved ? heard.withLock { $0 } : nil,
            listeners: listeners.withLock { $0 },
            latecomers: latecomers.withLock { $0 }
        )
    }
}

// MARK: - Observers

extension RandomArena {
    private func observe() {
        let observer = machine.observe { [weak self] in self?.hear($0) }
        let entered = machine.didEnter((any NumberedState).self) { [weak self] state, transition in
            guard let self else { return }
            guard transition.event == nil else {
                Player.current?.isCalled(.didEnter, byOwn: true, transition)
                return
            }
            write(.activated, nil)
        }
        let exited = machine.didExit((any NumberedState).self) { _, transition in
            Player.current?.isCalled(.didExit, byOwn: true, transition)
        }
        let asked = machine.add(.guard { if !$0.isUpdate { try Player.current?.isAsked($0) } })
        let prepared = machine.willExit((any NumberedState).self) { _, transition in
            Player.current?.isCalled(.willExit, byOwn: true, transition)
        }
        registrations.withLock { $0 = [observer, entered, exited, asked, prepared] }
    }

    private func hear(_ occurrence: Occurrence) {
        switch occurrence.kind {
        case .transitioned:
            guard let transition = occurrence.transition else { return }
            let destination = (transition.destination as? any NumberedState)?.shown
            write(
                .made(
                    event: transition.event,
                    from: (transition.source as? any NumberedState)?.shown,
                    to: destination ?? Shown(number: -1, name: ""),
                    isUpdate: transition.isUpdate
                ),
                transition.userInfo
            )
            Player.current?.isCalled(.observers, byOwn: true, transition)
        case .rejected:
            guard let error = occurrence.error as? InvalidTransition else { return }
            write(.rejected(error.reason), error.userInfo)
            Player.current?.goOn(.announcing, self)
        case .ignored: write(.ignored, occurrence.userInfo)
        case .performed:
            write(.performed, occurrence.userInfo)
            Player.current?.goOn(.announcing, self)
        case .refused, .announced, .failed: break
        @unknown default: break
        }
    }

    private func write(_ what: Told.What, _ userInfo: UserInfo?) {
        let operation = userInfo?["operation", as: Int.self]
        let isOnItsThread = operation.map { $0 >> 40 == Player.current?.thread } ?? true
        let revision = machine.revision
        heard.withLock {
            $0.append(
                Told(
                    what: what,
                    operation: operation,
                    revision: revision,
                    stamp: Count.stamp(),
                    isOnItsThread: isOnItsThread
                )
            )
        }
    }

    /// Adds a temporary observer, or cancels one.
    private func changeListeners(_ player: Player) {
        if isLonely || player.chance(50), let entry = listening.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            return cancel(entry)
        }
        let begin = Count.stamp()
        let index = listeners.withLock { listeners in
            listeners.append(Listener(addBegin: begin, addEnd: Int.max, seen: -1))
            return listeners.count - 1
        }
        let registration = machine.onTransition { [weak self] transition in
            guard let self else { return }
            let number = (transition.destination as? any NumberedState)?.number ?? -1
            let revision = machine.revision
            listeners.withLock { $0[index].heard.append((revision, number)) }
        }
        let end = Count.stamp()
        let seen = machine.state.number
        listeners.withLock {
            $0[index].addEnd = end
            $0[index].seen = seen
        }
        listening.withLock { $0.append((registration, index)) }
    }

    func addLatecomer(_ player: Player, in moment: Moment, of transition: StateTransition) {
        guard !isLonely, let number = (transition.destination as? any NumberedState)?.number else { return }
        let phase = player.draw { $0.pick([Phase.willExit, .willEnter, .didExit, .didEnter, .observers]) }
        // Each listener is called in every transition from now on.
        let index: Int? = latecomers.withLock { latecomers in
            guard latecomers.count < 8 else { return nil }
            latecomers.append(
                Latecomer(added: moment, phase: phase, transition: number, isUpdate: transition.isUpdate)
            )
            return latecomers.count - 1
        }
        guard let index else { return }
        let hear: @Sendable (StateTransition) -> Void = { [weak self] transition in
            guard let self, (transition.destination as? any NumberedState)?.number == number else { return }
            latecomers.withLock { $0[index].calls += 1 }
        }
        let any = (any NumberedState).self
        let registration =
            switch phase {
            case .willExit: machine.willExit(any) { hear($1) }
            case .willEnter: machine.willEnter(any) { hear($1) }
            case .didExit: machine.didExit(any) { hear($1) }
            case .didEnter: machine.didEnter(any) { hear($1) }
            default: machine.onTransition(hear)
            }
        registrations.withLock { $0.append(registration) }
    }

    private func cancel(_ entry: (registration: Registration, index: Int)) {
        let begin = Count.stamp()
        entry.registration.cancel()
        let end = Count.stamp()
        listeners.withLock {
            $0[entry.index].cancelBegin = begin
            $0[entry.index].cancelEnd = end
        }
    }
}

// MARK: - Operations of players

extension RandomArena {
    func step(_ player: Player, _ place: Player.Place?) {
        let before = player.arena.withLock { arena in
            let before = arena
            arena = self
            return before
        }
        defer { player.arena.withLock { $0 = before } }
        let usual = player.habit
        let choice = player.draw { place != nil ? $0.below(70) : $0.chance(90) ? $0.pick(usual) : $0.below(100) }
        switch choice {
        case ..<50: fire(player, place)
        case ..<56: look(player, place, .look) { .state(self.machine.state.shown) }
        case ..<60: look(player, place, .look) { .revision(self.machine.revision) }
        case ..<65: look(player, place, .look) { .allowed(self.machine.allowedEvents) }
        case ..<70: ask(player, place)
        case ..<76: look(player, nil, .look) { self.copied(player) }
        case ..<79: look(player, nil, .look) { self.archived() }
        case ..<85: perform(player)
        case ..<88: enter(player)
        case ..<89: look(player, nil, .activate) { self.activated() }
        case ..<97: changeListeners(player)
        default:
            let registration = machine.willEnter(NumberedPlain.self) { _, _ in }
            registration.cancel()
        }
    }

    private func look(
        _ player: Player,
        _ place: Player.Place?,
        _ attempt: Model.Attempt,
        _ body: () -> Call.Result
    ) {
        player.note(attempt, on: index, place) { _ in (body(), nil) }
    }

    private func ask(_ player: Player, _ place: Player.Place?) {
        let event = player.draw { $0.below(W.model.events.count) }
        let name = W.model.events[event].name
        look(player, place, .can(event: name)) {
            .can(player.chance(50) ? W.can(event, of: self.machine) : self.machine.can[named: name])
        }
    }

    private func activated() -> Call.Result {
        machine.activate()
        return .nothing
    }

    /// A copy shows one moment, and lives independently.
    private func copied(_ player: Player) -> Call.Result {
        let copy = machine.copy()
        let moment = Call.Result.moment(
            copy.state.shown,
            revision: copy.revision,
            previous: copy.previousState?.number ?? -1
        )
        let (event, kind) = player.draw { ($0.pick(W.model.events).name, $0.below(6)) }
        try? copy.fire[named: event](Model.make(kind))
        return moment
    }

    private func archived() -> Call.Result {
        do {
            let restored = try StateMachine<W>(archive: machine.archive())
            return .moment(restored.state.shown, revision: restored.revision, previous: nil)
        } catch {
            return .notInState("an archive: \(error)")
        }
    }

    private func perform(_ player: Player) {
        let isNamed = player.chance(60)
        player.note(.perform(named: isNamed), on: index, nil) { id in
            func body(_ state: any NumberedState) -> Call.Result {
                let revision = machine.revision
                for _ in 0..<3 { player.goOn(.announcing, self) }
                return .performed(state.shown, revision: revision)
            }
            do {
                guard isNamed else { return (try machine.perform(block: body), nil) }
                let userInfo = self.userInfo(id)
                return (try machine.perform(action: "act", in: NumberedBase.self, userInfo: userInfo, body), nil)
            } catch {
                return (.notInState((error as? InvalidTransition)?.source ?? "\(error)"), nil)
            }
        }
    }

    private func userInfo(_ id: Int) -> UserInfo { isObserved ? ["operation": id] : [:] }

    private func rejection(_ error: InvalidTransition) -> Call.Result {
        let declined = error.underlyingError as? Declined
        return .rejected(
            Call.Rejection(
                reason: error.reason,
                source: error.source,
                allowed: error.allowedEvents,
                declinedIn: declined?.number,
                isBuilders: declined?.isBuilders ?? false
            )
        )
    }

    private func enter(_ player: Player) {
        // An object made before the fire was not built from the state being left.
        guard isObserved else { return }
        let kind = player.draw { $0.below(7) }
        let isNamed = player.chance(30)
        let name = kind < 6 ? Model.states[kind] : "Stranger"
        player.note(isNamed ? .enterNamed(name) : .enter(name), on: index, nil) { id in
            do throws(InvalidTransition) {
                if isNamed {
                    let count = player.madeCount
                    try machine.enter(named: name, userInfo: userInfo(id))
                    return (.made(Shown(number: player.made(after: count) ?? -1, name: name), from: nil), nil)
                }
                let state = Model.make(kind)
                try machine.enter(state, userInfo: userInfo(id))
                return (.made(state.shown, from: nil), nil)
            } catch { return (rejection(error), nil) }
        }
    }
}

// MARK: - Firing

extension RandomArena {
    private func fire(_ player: Player, _ place: Player.Place?) {
        let (event, kind, way, isStranger) = player.draw {
            ($0.below(W.model.events.count), $0.below(6), $0.below(100), $0.chance(3))
        }
        let name = way == 99 ? "nothing" : W.model.events[event].name
        if isObserved, way >= 92, way < 99 { return fireEmpty(player, place, name) }
        let isByName = way >= 60 || isStranger || !W.takes(event, kind)
        let destination = isStranger ? "Stranger" : Model.states[kind]
        player.note(.fire(event: name, to: destination), on: index, place) { id in
            var made: Shown?
            var source: Int?
            var built: Int?
            func make(_ left: (any NumberedState)?) throws -> any NumberedState {
                source = left?.number
                built = Count.stamp()
                if left != nil, isObserved {
                    player.goOn(.preparing, self)
                    if player.chance(3) { throw Declined(number: source, isBuilders: true) }
                }
                let state = Model.make(isStranger ? 6 : kind)
                made = state.shown
                return state
            }
            func current() -> (any NumberedState)? { isObserved ? nil : machine.state }
            // In a callback the machine still shows its old state; a builder gets the state of the accepted
            // transitions.
            let hasBuilder = way % 2 == 1 || (place != nil && !isObserved)
            let userInfo = userInfo(id)
            do throws(InvalidTransition) {
                switch (isByName, hasBuilder) {
                case (true, false): try machine.fire[named: name](try make(current()), userInfo: userInfo)
                case (true, true): try machine.fire[named: name](userInfo: userInfo) { try make($0) }
                case (false, false): try W.fire(event, of: machine, userInfo: userInfo, try make(current()))
                case (false, true): try W.fire(event, of: machine, userInfo: userInfo) { try make($0) }
                }
            } catch { return (rejection(error), built) }
            return (made.map { .made($0, from: source) } ?? .ignored, built)
        }
    }

    /// Fires without an object, which the machine makes.
    private func fireEmpty(_ player: Player, _ place: Player.Place?, _ name: String) {
        player.note(.fire(event: name, to: nil), on: index, place) { id in
            let count = player.madeCount
            do throws(InvalidTransition) {
                try machine.fire[named: name](userInfo: userInfo(id))
            } catch { return (rejection(error), nil) }
            guard let made = player.made(after: count) else { return (.ignored, nil) }
            return (.made(Shown(number: made, name: Model.states[Model.empty]), from: nil), nil)
        }
    }
}
