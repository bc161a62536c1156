import Testing

@testable import SQLStores

@Suite("Texts from bytes") struct ValidTextTests {
    @Test(
        "Bytes become text exactly if they are UTF-8",
        arguments: [
            [], [0], [0x41], [0x41, 0, 0x42], [0xC3, 0xA9], [0xEF, 0xBF, 0xBD], [0xF0, 0x9F, 0x91, 0xA9], [0xFF],
            [0xC3],
            [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x41, 0xE2, 0x82],
            // The repair of these bytes has an equal length.
            [0xF0, 0x9F, 0x91], [0x41, 0xF1, 0x80, 0x80, 0x42], Array(repeating: 0x61, count: 100) + [0x80],
        ] as [[UInt8]]
    )
    func valid(bytes: [UInt8]) {
        let text = unsafe bytes.withUnsafeBytes { unsafe String(validated: $0) }
        #expect(text == String(validating: bytes, as: UTF8.self))
        #expect(text.map { Array($0.utf8) } ?? bytes == bytes)
    }
}
