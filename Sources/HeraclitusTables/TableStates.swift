import Heraclitus

/// The states of a table by name, with the keys of their data.
final class TableStates: NamedStates {
    private let names: [String]
    private let numbers: [String: Int]
    private let keys: [String: [String: TransitionTable.Key]]

    init(_ table: TransitionTable, _ keys: [String: [String: TransitionTable.Key]]) {
        names = table.states
        numbers = Dictionary(table.states.enumerated().map { ($1, $0) }) { first, _ in first }
        self.keys = keys
    }

    var type: any WorkflowState.Type { DataState.self }

    /// The number of different names.
    var count: Int { numbers.count }

    func number(named name: String) -> Int? { numbers[name] }

    func number(of object: AnyObject, likely: Int?) -> Int? {
        guard let state = object as? DataState else { return nil }
        // Comparing a name takes less than hashing it: a sixth of a transition.
        let isLikely = likely.map { names[$0] == state.name } ?? false
        guard let number = isLikely ? likely : numbers[state.name] else { return nil }
        return keys.isEmpty || mismatch(of: state.data, in: state.name) == nil ? number : nil
    }

    func name(of object: AnyObject) -> String? { (object as? DataState)?.name }

    func mismatch(of object: AnyObject) -> (any Error)? {
        (object as? DataState).flatMap { mismatch(of: $0.data, in: $0.name) }
    }

    private func mismatch(of data: [String: JSONValue], in name: String) -> DataMismatch? {
        keys[name]?.mismatch(of: data, in: name)
    }

    func read(_ value: JSONValue, of state: Int, at path: [any CodingKey]) throws -> any WorkflowState {
        guard let data = value.objectValue else {
            throw DecodingError.corrupted("The data of a state is an object.", at: path)
        }
        if let mismatch = mismatch(of: data, in: names[state]) {
            throw DecodingError.corrupted(mismatch.description, at: path + [JSONKey(mismatch.key)], because: mismatch)
        }
        return DataState(names[state], data)
    }

    /// The next state keeps the data for its own keys.
    func make(_ state: Int, leaving source: AnyObject?) -> (any WorkflowState)? {
        let data = (source as? DataState)?.data ?? [:]
        let kept = keys[names[state]].map { keys in data.filter { keys[$0.key] != nil } } ?? data
        return mismatch(of: kept, in: names[state]) == nil ? DataState(names[state], kept) : nil
    }
}
