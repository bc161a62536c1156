// Of which state is an object, by its class?

/// A class of states with its number.
struct RegisteredClass: Sendable {
    let type: ObjectIdentifier
    let index: Int

    init(_ type: any AnyObject.Type, index: Int) {
        self.type = ObjectIdentifier(type)
        self.index = index
    }
}

/// The numbers of the classes of a workflow's states: an open hash table, at most half full.
struct ClassTable: Sendable {
    private let slots: ImmortalArray<RegisteredClass?>
    private let mask: Int

    init(_ classes: [RegisteredClass]) {
        var size = 4
        while size < 2 * classes.count { size *= 2 }
        mask = size - 1
        var slots = [RegisteredClass?](repeating: nil, count: size)
        for type in classes {
            var place = Self.hash(type.type) & mask
            while slots[place] != nil { place = (place + 1) & mask }
            slots[place] = type
        }
        self.slots = ImmortalArray(slots)
    }

    subscript(type: ObjectIdentifier) -> Int? {
        var place = Self.hash(type) & mask
        while let found = slots[place] {
            if found.type == type { return found.index }
            place = (place + 1) & mask
        }
        return nil
    }

    /// The middle of a product with 2^64 divided by the golden ratio: addresses of classes differ in few bits.
    @inline(__always)
    private static func hash(_ type: ObjectIdentifier) -> Int {
        Int(truncatingIfNeeded: (UInt64(UInt(bitPattern: type)) &* 0x9E37_79B9_7F4A_7C15) >> 40)
    }
}
