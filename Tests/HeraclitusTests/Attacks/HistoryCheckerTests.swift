import Heraclitus
import Testing

/// Gives the checker histories that are broken on purpose, to show that it finds faults.
@Suite("The checker of histories") struct HistoryCheckerTests {
    /// Empty 1 → open → Plain 2 → close → Empty 3, one after the other, with concurrent readers.
    private var good: History {
        var history = History(model: Typed.model, initial: Shown(number: 1, name: "Empty"))
        history.operations = [
            made(1, "open", .init(number: 2, name: "Plain"), from: 1, 10, built: 12, 20),
            made(2, "close", .init(number: 3, name: "Empty"), from: 2, 30, built: 32, 40),
            operation(3, .look, .state(.init(number: 2, name: "Plain")), 22, 25),
            operation(4, .fire(event: "close", to: "Empty"), .rejected(rejection("Empty", ["open", "call"])), 5, 15),
        ]
        history.heard = [
            heard(1, "open", .init(number: 1, name: "Empty"), .init(number: 2, name: "Plain"), 1, 17),
            heard(2, "close", .init(number: 2, name: "Plain"), .init(number: 3, name: "Empty"), 2, 37),
            Told(what: .rejected(.notAllowed), operation: 4, revision: 0, stamp: 9),
        ]
        return history
    }

    private var unobserved: History {
        var history = good
        history.heard = nil
        return history
    }

    private func operation(
        _ id: Int,
        _ attempt: Model.Attempt,
        _ result: Call.Result,
        _ begin: Int,
        built: Int? = nil,
        _ end: Int,
        under root: Int? = nil,
        isPreparing: Bool = false
    ) -> Call {
        Call(
            id: id,
            attempt: attempt,
            result: result,
            begin: begin,
            end: end,
            built: built,
            parent: root,
            root: root ?? id,
            isPreparing: isPreparing
        )
    }

    private func made(
        _ id: Int,
        _ event: String,
        _ state: Shown,
        from source: Int?,
        _ begin: Int,
        built: Int,
        _ end: Int,
        under root: Int? = nil
    ) -> Call {
        operation(
            id,
            .fire(event: event, to: state.name),
            .made(state, from: source),
            begin,
            built: built,
            end,
            under: root
        )
    }

    private func heard(_ id: Int, _ event: String, _ from: Shown, _ to: Shown, _ revision: Int, _ stamp: Int) -> Told {
        Told(
            what: .made(event: event, from: from, to: to, isUpdate: false),
            operation: id,
            revision: revision,
            stamp: stamp
        )
    }

    private func rejection(
        _ source: String,
        _ allowed: [String],
        _ reason: InvalidTransition.Reason = .notAllowed
    ) -> Call.Rejection {
        Call.Rejection(reason: reason, source: source, allowed: allowed, declinedIn: nil)
    }

    private func kinds(_ history: History, _ change: (inout History) -> Void) -> Set<HistoryChecker.Kind> {
        var history = history
        change(&history)
        return Set(HistoryChecker.check(history).map(\.kind))
    }

    @Test("A valid history has no fault, observed or not")
    func right() {
        #expect(HistoryChecker.check(good).isEmpty)
        #expect(HistoryChecker.check(unobserved).isEmpty)
    }

    @Test("A transition that is unobserved, or lost to the next one, is found")
    func lost() {
        #expect(kinds(good) { $0.told.remove(at: 1) } == [.lostTransition])
        #expect(
            kinds(unobserved) {
                $0.operations.append(made(9, "open", .init(number: 9, name: "Plain"), from: 1, 10, built: 13, 20))
            } != []
        )
    }

    @Test("A transition without an operation is found")
    func invented() {
        #expect(kinds(good) { $0.operations.remove(at: 1) }.contains(.inventedTransition))
    }

    @Test("A missing or repeated revision is found")
    func revisions() {
        for revision in [1, 3] {
            #expect(
                kinds(good) {
                    $0.told[1] = heard(
                        2,
                        "close",
                        .init(number: 2, name: "Plain"),
                        .init(number: 3, name: "Empty"),
                        revision,
                        37
                    )
                } == [.brokenChain]
            )
        }
    }

    @Test("A transition outside the table is found")
    func againstTable() {
        for history in [good, unobserved] {
            #expect(
                kinds(history) {
                    $0.operations[1] = made(
                        2,
                        "swing",
                        .init(number: 3, name: "Empty"),
                        from: 2,
                        30,
                        built: 32,
                        40
                    )
                    $0.told[1] = heard(
                        2,
                        "swing",
                        .init(number: 2, name: "Plain"),
                        .init(number: 3, name: "Empty"),
                        2,
                        37
                    )
                }.contains(.againstTable)
            )
        }
    }

    @Test("A read of a state too late and a read of a state too early are found")
    func staleRead() {
        for history in [good, unobserved] {
            #expect(
                kinds(history) { $0.operations[2] = operation(3, .look, .state($0.initial), 22, 25) }
                    == [.impossibleOrder]
            )
            #expect(
                kinds(history) {
                    $0.operations[2] = operation(3, .look, .state(.init(number: 3, name: "Empty")), 22, 25)
                } == [.impossibleOrder]
            )
            #expect(
                kinds(history) { $0.operations[2] = operation(3, .look, .revision(2), 22, 25) } == [.impossibleOrder]
            )
            #expect(kinds(history) { $0.operations[2] = operation(3, .look, .revision(9), 22, 25) } == [.unexplained])
        }
    }

    @Test("Two reads in an impossible order are found")
    func readsGoBack() {
        for history in [good, unobserved] {
            let newThenOld: (inout History) -> Void = { [self] history in
                history.operations.append(operation(5, .look, .state(.init(number: 2, name: "Plain")), 13, 14))
                history.operations.append(operation(6, .look, .state(.init(number: 1, name: "Empty")), 15, 16))
            }
            #expect(kinds(history, newThenOld) == [.impossibleOrder])
        }
    }

    @Test("A copy with the state of one moment and the revision of another is found")
    func tornCopy() {
        for (revision, previous) in [(2, 1), (1, 3), (0, -1)] {
            let state = Shown(number: 2, name: "Plain")
            #expect(
                kinds(good) {
                    $0.operations[2] = operation(
                        3,
                        .look,
                        .moment(state, revision: revision, previous: previous),
                        22,
                        25
                    )
                } == [.unexplained]
            )
        }
    }

    @Test("A rejection, an ignored event and an answer that no state of that time explains are found")
    func unexplained() {
        for history in [good, unobserved] {
            // For a later state, for a state with other events, and for a state that would have accepted the event.
            let plain = rejection("Plain", ["close", "swing", "call"])
            #expect(
                kinds(history) {
                    $0.operations[3] = operation(4, .fire(event: "leave", to: "Base"), .rejected(plain), 1, 8)
                }.contains(.unexplained)
            )
            #expect(
                kinds(history) {
                    $0.operations[3] = operation(
                        4,
                        .fire(event: "close", to: "Empty"),
                        .rejected(rejection("Empty", ["open"])),
                        5,
                        15
                    )
                } == [.unexplained]
            )
            #expect(
                kinds(history) {
                    $0.operations[3] = operation(
                        4,
                        .fire(event: "open", to: "Plain"),
                        .rejected(rejection("Empty", ["open", "call"])),
                        5,
                        15
                    )
                } == [.unexplained]
            )
            let asked = Model.Attempt.can(event: "close")
            #expect(kinds(history) { $0.operations[2] = operation(3, asked, .can(false), 22, 25) } == [.unexplained])
            #expect(
                kinds(history) { $0.operations[2] = operation(3, .look, .allowed(["open"]), 22, 25) } == [.unexplained]
            )
            #expect(
                kinds(history) {
                    $0.operations[2] = operation(3, .fire(event: "open", to: "Plain"), .ignored, 1, 8)
                }.contains(.unexplained)
            )
        }
    }

    @Test("A callback's fire is judged by the state that all accepted transitions lead to")
    func nested() {
        // `close` is fired during the callbacks of `open`.
        let under = made(2, "close", .init(number: 3, name: "Empty"), from: 2, 15, built: 16, 17, under: 1)
        let nested: (inout History) -> Void = { history in
            history.operations[1] = under
            history.operations[2] = self.operation(3, .look, .state(.init(number: 3, name: "Empty")), 22, 25)
            history.told[0] = self.heard(1, "open", history.initial, .init(number: 2, name: "Plain"), 1, 18)
            history.told[1] = self.heard(
                2,
                "close",
                .init(number: 2, name: "Plain"),
                .init(number: 3, name: "Empty"),
                2,
                19
            )
        }
        #expect(kinds(good, nested) == [])
        let early = operation(
            7,
            .fire(event: "swing", to: "Plain"),
            .rejected(rejection("Empty", ["open", "call"])),
            13,
            14,
            under: 1
        )
        // Rejected as if `close` had been accepted before, although it came later.
        #expect(
            kinds(good) {
                nested(&$0)
                $0.operations.append(early)
                $0.told.append(Told(what: .rejected(.notAllowed), operation: 7, revision: 2, stamp: 19))
            }.contains(.wrongNesting)
        )
        let inGuard = operation(8, .fire(event: "close", to: "Empty"), .ignored, 13, 14, under: 1, isPreparing: true)
        #expect(
            kinds(good) {
                nested(&$0)
                $0.operations.append(inGuard)
            }.contains(.wrongNesting)
        )
    }

    @Test("A rejection that observers miss, get twice or on another thread is found")
    func telling() {
        #expect(kinds(good) { $0.told.removeLast() } == [.wrongTelling])
        #expect(kinds(good) { $0.told.append($0.told[2]) } == [.wrongTelling])
        #expect(kinds(good) { $0.told[0].isOnItsThread = false } == [.wrongTelling])
        #expect(kinds(good) { $0.isNew = true } == [.wrongTelling])
    }

    @Test("An observer that misses a transition, or gets one too early or too late, is found")
    func listening() {
        let listener = Listener(
            addBegin: 1,
            addEnd: 2,
            cancelBegin: 50,
            cancelEnd: 51,
            seen: 1,
            heard: [(1, 2), (2, 3)]
        )
        func kinds(_ change: (inout Listener) -> Void) -> Set<HistoryChecker.Kind> {
            var listener = listener
            change(&listener)
            return self.kinds(good) { $0.listeners = [listener] }
        }
        #expect(kinds { _ in } == [])
        #expect(kinds { $0.heard.removeFirst() } == [.wrongListening])
        #expect(kinds { $0.heard.removeLast() } == [.wrongListening])
        #expect(kinds { $0.heard.reverse() } == [.wrongListening])
        #expect(kinds { ($0.addBegin, $0.seen) = (25, 2) } == [.wrongListening])
        #expect(kinds { ($0.cancelBegin, $0.cancelEnd) = (22, 23) } == [.wrongListening])
    }

    @Test("A listener added by a callback that is called too early or not called is found")
    func latecomers() {
        func kinds(_ phase: Phase, of state: Int = 2, isOwn: Bool = true, calls: Int) -> Set<HistoryChecker.Kind> {
            let added = Moment(phase: .didExit, isOwn: isOwn)
            return self.kinds(good) {
                $0.latecomers = [
                    Latecomer(added: added, phase: phase, transition: state, isUpdate: false, calls: calls)
                ]
            }
        }
        #expect(kinds(.didEnter, calls: 1) == [] && kinds(.didExit, calls: 0) == [] && kinds(.willExit, calls: 0) == [])
        #expect(kinds(.didExit, isOwn: false, calls: 1) == [])
        #expect(kinds(.didEnter, calls: 0) == [.wrongListening] && kinds(.didEnter, calls: 2) == [.wrongListening])
        #expect(kinds(.didExit, calls: 1) == [.wrongListening])
        #expect(kinds(.didExit, isOwn: false, calls: 0) == [.wrongListening])
        // For a transition that was never made.
        #expect(kinds(.didEnter, of: 99, calls: 1) == [.wrongListening])
    }
}

extension History {
    /// The observers' list; only observed histories have one.
    fileprivate var told: [Told] {
        get { heard ?? Array(repeating: Told(what: .activated, operation: nil, revision: 0, stamp: 0), count: 3) }
        set { if heard != nil { heard = newValue } }
    }
}
