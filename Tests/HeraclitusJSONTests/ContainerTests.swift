import Foundation
import HeraclitusJSON
import Testing

@Suite("Repeated containers") struct ContainerTests {
    class Base: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: "n")
            try nested.encode(1, forKey: "a")
            var list = container.nestedUnkeyedContainer(forKey: "z")
            try list.encode(1)
        }
    }
    final class Derived: Base {
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: "n")
            try nested.encode(2, forKey: "b")
            var list = container.nestedUnkeyedContainer(forKey: "z")
            try list.encode(2)
        }
    }

    @Test("A class and its subclass share the containers at a key, as in Foundation")
    func shared() throws {
        #expect(try json(Derived()) == #"{"n":{"a":1,"b":2},"z":[1,2]}"#)
        #expect(try json(Derived()) == foundationJSON(Derived()))
    }

    @Test("Mixing a value and a container, or two kinds of containers, at one key throws with the key")
    func mixed() throws {
        let valueFirst = Written { encoder in
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(["q": 1], forKey: "n")
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: "n")
            try nested.encode(2, forKey: "b")
        }
        let kinds = Written { encoder in
            var container = encoder.container(keyedBy: Key.self)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: "n")
            try nested.encode(2, forKey: "b")
            _ = container.nestedUnkeyedContainer(forKey: "n")
        }
        for value in [valueFirst, kinds] {
            let error = #expect(throws: EncodingError.self) { try json(["x": value]) }
            #expect("\(try #require(error))".contains("n"))
        }
    }

    @Test("A chain of containers far beyond the depth limit is rejected in linear time", .timeLimit(.minutes(5)))
    func chain() throws {
        let chain = Written { encoder in
            var container = encoder.unkeyedContainer()
            for _ in 0..<30_000 { container = container.nestedUnkeyedContainer() }
        }
        #expect(throws: EncodingError.self) { try json(chain) }
    }
}
