extension String {
    /// Makes text of UTF-8 bytes; `nil` for other bytes.
    ///
    /// For short texts this initializer takes a fraction of the time of `init(validating:as:)`, which looks up generic types at run time. A listing then takes
    /// little longer than its query.
    package init?(validated bytes: UnsafeRawBufferPointer) {
        let units = unsafe bytes.bindMemory(to: UInt8.self)
        self = unsafe String(decoding: units, as: UTF8.self)
        // ASCII is valid. `String(decoding:)` repairs invalid UTF-8, so its bytes differ then.
        if unsafe units.contains(where: { $0 >= 0x80 }), unsafe !utf8.elementsEqual(units) { return nil }
    }
}
