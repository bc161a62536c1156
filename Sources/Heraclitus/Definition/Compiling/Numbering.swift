/// Numbers values in the order of their first mention.
struct Numbering<Key: Hashable, Value> {
    private(set) var values: [Value] = []
    private(set) var numbers: [Key: Int] = [:]

    mutating func number(of value: Value, _ key: Key) -> Int {
        if let number = numbers[key] { return number }
        numbers[key] = values.count
        values.append(value)
        return values.count - 1
    }
}
