import Foundation

/// SHA-256, as FIPS 180-4 defines it, for ids that are too long for an index.
enum SHA256 {
    /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = fractions(64) { cbrt($0) }

    /// Those of the square roots of the first 8.
    private static let initial: [UInt32] = fractions(8) { $0.squareRoot() }

    static func hash(of data: Data) -> Data {
        var message = [UInt8](data) + [0x80]
        message += Array(repeating: 0, count: (120 - message.count % 64) % 64)
        message += bytes(UInt64(data.count) * 8)
        var hash = initial
        for start in stride(from: 0, to: message.count, by: 64) { add(message[start..<(start + 64)], to: &hash) }
        return Data(hash.flatMap(bytes))
    }

    private static func add(_ block: ArraySlice<UInt8>, to hash: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<(start + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
            let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var state = hash
        for index in 0..<64 {
            let (a, e) = (state[0], state[4])
            let choice = e & state[5] ^ ~e & state[6]
            let sum =
                state[7] &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ choice &+ constants[index] &+ words[index]
            let majority = a & state[1] ^ a & state[2] ^ state[1] & state[2]
            state[3] &+= sum
            state[7] = sum &+ (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ majority
            state.insert(state.removeLast(), at: 0)
        }
        for index in 0..<8 { hash[index] &+= state[index] }
    }

    private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 - bits) }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Number($0)) }
    }

    private static func fractions(_ count: Int, _ root: (Double) -> Double) -> [UInt32] {
        var primes: [Int] = []
        for number in 2... where primes.count < count {
            if primes.allSatisfy({ number % $0 != 0 }) { primes.append(number) }
            if primes.count == count { break }
        }
        return primes.map { prime in
            let root = root(Double(prime))
            return UInt32((root - root.rounded(.down)) * 4_294_967_296)
        }
    }
}
