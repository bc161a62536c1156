import Heraclitus
import HeraclitusTesting
import Testing

@testable import Fixtures

@Suite("Samples") struct SampleTests {
    class FailureState: WorkflowState, @unchecked Sendable {
        let code: Int
        init(_ code: Int) { self.code = code }
    }
    final class TimeOutState: FailureState, @unchecked Sendable {}
    final class LoadingState: EmptyState {}
    struct Loading: Workflow {
        static var initial: any WorkflowState { LoadingState() }
        static var states: [any WorkflowState.Type] { [TimeOutState.self] }
        let fail = Event(from: LoadingState.self, to: FailureState.self)
    }

    @Test("A sample for an event to a class may make a subclass")
    func subclasses() throws {
        let report = try exercise(
            Loading.self,
            samples: [.event(\.fail) { _ in TimeOutState(1) }, .event(\.fail) { _ in FailureState(2) }]
        )
        #expect(report.untried.isEmpty)
    }

    @Test("A superclass needs no sample, because it may be abstract")
    func superclasses() throws {
        let reason = "no sample makes FailureState from LoadingState"
        let made: [Sample<Loading>] = [.state(TimeOutState(1)), .event(\.fail) { _ in TimeOutState(1) }]
        for samples in made.map({ [$0] }) {
            let report = try exercise(Loading.self, samples: samples)
            #expect(report.untried.map(\.description) == ["fail: LoadingState → FailureState: \(reason)"])
        }
    }

    // MARK: Samples that do not fit

    final class OpenState: EmptyState {}
    final class CountedState: WorkflowState {
        let count: Int
        init(_ count: Int) { self.count = count }
    }
    struct Refusal: Error {}
    struct Counting: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let begin = Event(from: OpenState.self, to: CountedState.self)
        let count = Event(updating: CountedState.self)
        let end = Event(from: CountedState.self, to: OpenState.self)
    }
    struct GuardedCounting: Workflow {
        static var initial: any WorkflowState { OpenState() }
        let begin = Event(from: OpenState.self, to: CountedState.self).guarded { _, _, _ in throw Refusal() }
        let count = Event(updating: CountedState.self)
    }

    struct Resumed: Workflow {
        static var initial: any WorkflowState { OpenState() }
        static var states: [any WorkflowState.Type] { [CountedState.self] }
        let count = Event(updating: CountedState.self)
        let end = Event(from: CountedState.self, to: OpenState.self)
    }

    @Test("A state in which machines begin needs a sample without a source")
    func beginning() throws {
        let samples: [Sample<Resumed>] = [.state { (old: CountedState) in CountedState(old.count + 1) }]
        let failure = #expect(throws: ExerciseFailure.self) { try exercise(Resumed.self, samples: samples) }
        #expect(failure?.code == "// .state(SampleTests.CountedState(…)),")
        #expect(try exercise(Resumed.self, samples: samples + [.state(CountedState(1))]).untried.isEmpty)
    }

    @Test("A sample that fits none of the sources of its events counts as missing")
    func unfitting() throws {
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(
                Counting.self,
                samples: [.state { (counted: CountedState) in CountedState(counted.count + 1) }]
            )
        }
        guard case .missingSamples(["CountedState"]) = failure?.problem else { throw failure ?? Refusal() as any Error }
        let name = "SampleTests.CountedState"
        #expect(failure?.code == "// .state { (left: SampleTests.OpenState) in \(name)(…) },  // begin")
    }

    @Test("A sample is also missing if only some of the events to its state have one")
    func partlyFitting() throws {
        let failure = #expect(throws: ExerciseFailure.self) {
            try exercise(
                Counting.self,
                samples: [.event(\.begin) { _ in CountedState(1) }, .state { (_: OpenState) in CountedState(1) }]
            )
        }
        guard case .missingSamples(["CountedState"]) = failure?.problem else { throw failure ?? Refusal() as any Error }
        let name = "SampleTests.CountedState"
        #expect(failure?.code == "// .state { (left: \(name)) in \(name)(…) },  // count")
    }

    // MARK: Names of classes

    struct Box<Content: Codable & Sendable> {
        final class FullState: WorkflowState {
            static var name: String { "full" }
            let contents: [Content]
            init(_ contents: [Content]) { self.contents = contents }
        }
    }
    private final class `Torn Up`<Content>: EmptyState { static var name: String { "torn" } }
    private struct Boxing: Workflow {
        static var initial: any WorkflowState { `Torn Up`<(Int, String?)>() }
        let fill = Event(from: `Torn Up`<(Int, String?)>.self, to: Box<[String: Int]>.FullState.self)
    }

    @Test("Proposed samples name classes as code writes them, not as archives do")
    func classNames() {
        let full = "SampleTests.Box<Dictionary<String, Int>>.FullState"
        let missing = #expect(throws: ExerciseFailure.self) { try exercise(Boxing.self) }
        #expect(missing?.code == "// .state(\(full)(…)),")
        let unfit = #expect(throws: ExerciseFailure.self) {
            try exercise(
                Boxing.self,
                samples: [.state { (_: OpenState) in Box<[String: Int]>.FullState([]) }]
            )
        }
        let torn = "SampleTests.`Torn Up`<(Int, Optional<String>)>"
        #expect(unfit?.code == "// .state { (left: \(torn)) in \(full)(…) },  // fill")
    }

    @Test("A declined or unreachable transition needs no sample")
    func declined() throws {
        let report = try exercise(
            GuardedCounting.self,
            samples: [.state { (_: OpenState) in CountedState(1) }],
            covering: .transitions
        )
        #expect(report.untried.map(\.event) == ["begin", "count"])
    }
}
