import Testing

@testable import Heraclitus

@Suite("Objects that are lent") struct LentObjectsTests {
    private class Probe {}
    private final class OtherProbe: Probe {}

    private struct Probes {
        weak var source: Probe?
        weak var destination: Probe?
        weak var machine: Probe?
        weak var userInfo: Probe?

        var areAlive: [Bool] { [source, destination, machine, userInfo].map { $0 != nil } }
    }

    /// Lends four objects, lets somebody do something with what was lent, and releases the objects.
    private func lend<Kept>(_ body: (LentObjects<Int>) -> Kept) -> (Probes, Kept) {
        let (source, destination, machine, userInfo) = (Probe(), OtherProbe(), Probe(), Probe())
        let objects = LentObjects(1)
        objects.lend(2, to: destination, by: LentReference(machine), LentReference(userInfo))
        #expect(objects.source == nil)
        objects.lend(source: source)
        #expect(objects.terms == 2)
        let areSame = [
            objects.source === source, objects.destination === destination, objects.machine === machine,
            objects.userInfo === userInfo,
        ]
        #expect(areSame == [true, true, true, true])
        let kept = body(objects)
        return (Probes(source: source, destination: destination, machine: machine, userInfo: userInfo), kept)
    }

    @Test("What is lent is not kept alive")
    func lent() {
        let (probes, objects) = lend { $0 }
        #expect(probes.areAlive == [false, false, false, false])
        #expect(objects.terms == 2)
    }

    @Test("What somebody keeps is alive until it goes, however often it was kept")
    func kept() {
        var (probes, objects): (Probes, LentObjects<Int>?) = lend { objects in
            objects.keep()
            objects.keep()
            return objects
        }
        #expect(probes.areAlive == [true, true, true, true])
        let areSame = [objects?.source === probes.source, objects?.destination === probes.destination]
        #expect(areSame == [true, true])
        objects = nil
        #expect(probes.areAlive == [false, false, false, false])
    }

    @Test("Who reads later has the objects and not the machine")
    func later() {
        var (probes, later): (Probes, LentObjects<Int>?) = lend { objects in
            let later = objects.forLater(keeping: nil)
            let isSame = later.machine === objects.machine
            #expect(isSame)
            return later
        }
        #expect(probes.areAlive == [true, true, false, true])
        #expect(later?.terms == 2)
        #expect(later?.machine == nil)
        let isSame = later?.userInfo === probes.userInfo
        #expect(isSame)
        later = nil
        #expect(probes.areAlive == [false, false, false, false])
    }

    @Test("What was lent once is lent again, without what was lent before")
    func again() {
        let (_, objects) = lend { $0 }
        let next = Probe()
        objects.lend(3, to: next, by: LentReference(next), nil)
        #expect(objects.terms == 3 && objects.source == nil && objects.userInfo == nil)
        let isNext = objects.destination === next
        #expect(isNext)
    }

    @Test("A body gets an object as its class; that of another class stops the program")
    func typed() async {
        let probe = OtherProbe()
        var seen: OtherProbe?
        LentReference(probe).withObject(as: OtherProbe.self) { seen = $0 }
        #expect(seen === probe)
        #expect(LentReference(probe).id == ObjectIdentifier(probe))
        await #expect(processExitsWith: .failure) {
            let probe = Probe()
            LentReference(probe).withObject(as: OtherProbe.self) { _ in }
        }
    }

    @Test("What somebody has kept is not lent again")
    func trap() async {
        await #expect(processExitsWith: .failure) {
            let probe = Probe()
            let objects = LentObjects(1)
            objects.lend(1, to: probe, by: LentReference(probe), nil)
            objects.keep()
            objects.lend(1, to: probe, by: LentReference(probe), nil)
        }
    }
}
