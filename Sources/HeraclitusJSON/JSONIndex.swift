// How is one element of many found in a text, without looking at all of them each time?

extension JSONText {
    /// Up to how many elements looking at each is faster than an index.
    private static let few = 12

    func hasMany(_ container: Int) -> Bool { nodes[container].number > Self.few }

    func count(of container: Int) -> Int { Int(nodes[container].number) }

    /// Calls for each element of an array.
    func forEachElement(of array: Int, _ body: (Int) -> Void) {
        var element = array + 2
        for _ in 0..<nodes[array].number {
            body(element)
            element = end(of: element)
        }
    }

    /// Calls for the key and the value of each member of an object, until the answer is `false`.
    func forEachMember(of object: Int, _ body: (_ key: Int, _ value: Int) -> Bool) {
        var key = object + 2
        for _ in 0..<nodes[object].number {
            guard body(key, key + 1) else { return }
            key = end(of: key + 1)
        }
    }

    /// The value for a key of an object, of two the first; by its index, if it has one.
    func member(_ key: String, of object: Int, by index: [UInt32]?) -> Int? {
        if let index {
            let found = Int(index[Self.slot(of: key, in: index) { isKey($0, key) }])
            return found == 0 ? nil : found + 1
        }
        var found: Int?
        forEachMember(of: object) { node, value in
            guard isKey(node, key) else { return true }
            found = value
            return false
        }
        return found
    }

    /// The element of an array at a place that there is.
    func element(_ place: Int, of array: Int) -> Int {
        if let elements = indexIfMany(of: array) { return Int(elements[place]) }
        var element = array + 2
        for _ in 0..<place { element = end(of: element) }
        return element
    }

    /// The index of a container that somebody is going to ask more often; `nil` if it has few elements.
    func indexIfMany(of container: Int) -> [UInt32]? { hasMany(container) ? keptIndex(of: container) : nil }

    private func keptIndex(of container: Int) -> [UInt32] {
        if let kept = withIndexes({ $0[container] }) { return kept }
        let index = index(of: container)
        withIndexes { $0[container] = index }
        return index
    }

    /// Where the elements of an array are, by their place; where the keys of an object are, in an open hash table that is at most
    /// half full, with 0 for what is free.
    func index(of container: Int) -> [UInt32] {
        guard nodes[container].kind == .object else {
            var elements: [UInt32] = []
            elements.reserveCapacity(count(of: container))
            forEachElement(of: container) { elements.append(UInt32($0)) }
            return elements
        }
        var size = 1
        while size < 2 * count(of: container) { size *= 2 }
        var table = [UInt32](repeating: 0, count: size)
        forEachMember(of: container) { key, _ in
            let name = string(key)
            let slot = Self.slot(of: name, in: table) { isKey($0, name) }
            if table[slot] == 0 { table[slot] = UInt32(key) }
            return true
        }
        return table
    }

    /// The slot of a key, or the free one where it would be.
    private static func slot(of key: String, in table: [UInt32], _ isKey: (Int) -> Bool) -> Int {
        var slot = key.hashValue & (table.count - 1)
        while table[slot] != 0, !isKey(Int(table[slot])) { slot = (slot + 1) & (table.count - 1) }
        return slot
    }

    private func isKey(_ index: Int, _ key: String) -> Bool {
        guard nodes[index].kind == .plainString else { return string(index) == key }
        // Some letters beyond ASCII are spellings of one within: U+212A, the kelvin sign, is equal to "K".
        return source(index).elementsEqual(key.utf8) || !key.utf8.allSatisfy { $0 < 0x80 } && string(index) == key
    }
}
