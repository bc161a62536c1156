import Foundation
import Testing

@testable import PostgresStore

@Suite("The hash of long ids") struct SHA256Tests {
    @Test(
        "The hash is SHA-256 for any length",
        arguments: [
            ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("a", 55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            ("a", 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            ("a", 64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            ("long ", 2_000, "52b73dcd3b8083ba34777ab11ee46577ce0e1b560adac250a2805c6e3c3126e2"),
        ]
    )
    func vectors(text: String, count: Int, hash: String) {
        let found = Data(String(repeating: text, count: count).utf8).sha256
        #expect(found.map { String(format: "%02x", $0) }.joined() == hash)
    }
}
