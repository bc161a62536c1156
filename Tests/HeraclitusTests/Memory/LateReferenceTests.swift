import Synchronization
import Testing

@testable import Heraclitus

@Suite("References that are stored once") struct LateReferenceTests {
    private final class Probe: Sendable {}

    private final class Holder: Sendable {
        let late = LateReference<Probe>()
    }

    @Test("The first object lives as long as the reference, and every later one is released")
    func firstStays() {
        weak var first: Probe?
        weak var second: Probe?
        do {
            let holder = Holder()
            #expect(holder.late.object == nil)
            do {
                let (one, two) = (Probe(), Probe())
                (first, second) = (one, two)
                #expect(holder.late.storeIfNil(one) === one)
                #expect(holder.late.storeIfNil(two) === one)
            }
            #expect(holder.late.object === first)
            #expect(first != nil)
            #expect(second == nil)
            withExtendedLifetime(holder) {}
        }
        #expect(first == nil)
    }

    @Test("Threads that store at once all get the same object")
    func together() async {
        for _ in 0..<200 {
            let holder = Holder()
            let found = await withTaskGroup(of: ObjectIdentifier.self) { group in
                for _ in 0..<4 { group.addTask { ObjectIdentifier(holder.late.storeIfNil(Probe())) } }
                return await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert($1) }
            }
            #expect(found == [holder.late.object.map { ObjectIdentifier($0) }])
        }
    }
}
