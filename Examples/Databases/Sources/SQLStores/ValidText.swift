extension String {
    /// Makes text of bytes that are UTF-8; `nil` of others.
    ///
    /// For short texts it takes a fraction of the time of `init(validating:as:)`, which looks for generic types at run time. So a listing takes little
    /// longer than the query.
    package init?(validated bytes: UnsafeRawBufferPointer) {
        let units = unsafe bytes.bindMemory(to: UInt8.self)
        self = unsafe String(decoding: units, as: UTF8.self)
        // ASCII is UTF-8. What is no UTF-8 is repaired, and differs then.
        if unsafe units.contains(where: { $0 >= 0x80 }), unsafe !utf8.elementsEqual(units) { return nil }
    }
}
