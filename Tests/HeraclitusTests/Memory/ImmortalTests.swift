import Synchronization
import Testing

@testable import Fixtures
@testable import Heraclitus

@Suite("Immortal values") struct ImmortalTests {
    private final class Probe: Sendable {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    @Test("An immortal value retains the objects that it refers to")
    func kept() {
        weak var probe: Probe?
        let immortal: Immortal<Probe>
        do {
            let made = Probe(1)
            probe = made
            immortal = Immortal(made)
        }
        #expect(probe === immortal.value)
        #expect(immortal.value.number == 1)
    }

    @Test("A list has its elements in order, also by single references", arguments: [0, 1, 7])
    func list(_ count: Int) {
        let list = ImmortalArray((0..<count).map(Probe.init))
        #expect(list.map(\.number) == Array(0..<count))
        #expect(list.indices.allSatisfy { list.element($0).value === list[$0] })
    }

    @Test("Reading beyond a list's ends, or an erased value as another type, stops the program")
    func traps() async {
        await #expect(processExitsWith: .failure) { _ = ImmortalArray([1, 2])[2] }
        await #expect(processExitsWith: .failure) { _ = ImmortalArray([1, 2])[-1] }
        await #expect(processExitsWith: .failure) { _ = ImmortalArray([1, 2]).element(2) }
        await #expect(processExitsWith: .failure) { _ = ErasedImmortal(Immortal(1)).typed(as: UInt.self) }
    }

    @Test("An erased value has its original value")
    func erased() {
        let value = Immortal(["a", "b"])
        #expect(ErasedImmortal(value).typed(as: [String].self).value == ["a", "b"])
    }

    @Test("A published value is complete for threads that wait for it")
    func late() {
        for round in 0..<200 {
            let late = LateImmortal<[Int]>()
            #expect(late.value == nil)
            let wrong = Atomic(0)
            onThreads(3) { thread in
                if thread == 0 { return late.publish(Immortal([round, round])) }
                while true {
                    guard let value = late.value else { continue }
                    if value.value != [round, round] { wrong.add(1, ordering: .relaxed) }
                    return
                }
            }
            #expect(wrong.load(ordering: .relaxed) == 0)
        }
    }
}
