import Heraclitus

/// Compiles a table into a definition, in linear time and memory.
struct TableCompiler {
    let table: TransitionTable
    let states: TableStates
    let data: TableData
    let parts: DefinitionParts

    init(_ table: TransitionTable) {
        let data = TableData(table)
        let states = TableStates(table, data.keys)
        (self.table, self.data, self.states) = (table, data, states)
        parts = DefinitionParts(
            table,
            of: DataWorkflow.self,
            states,
            migrations: data.migrations.map(\.migration),
            rules: { Self.rules(of: $0, in: states) }
        )
    }

    /// The definition of a valid table.
    var definition: Definition { Definition(parts, table, of: DataWorkflow.self, states, sample: DataState("")) }

    /// The rules of an event.
    ///
    /// Sources with the same destinations share a rule, which keeps their number small.
    private static func rules(of event: TransitionTable.Event, in states: TableStates) -> [NumberedRule] {
        let general = event.fromAnyState.compactMap(states.number(named:))
        var rules: [NumberedRule] = []
        if !general.isEmpty { rules.append(NumberedRule(sources: .any, destinations: general, isUpdate: false)) }
        let (isGeneral, ignored) = (Set(general), Set(event.ignored))
        var sources: [Int] = []
        var destinations: [Int: [Int]] = [:]
        var updated: [Int] = []
        for pair in event.transitions {
            guard let source = states.number(named: pair.from), let destination = states.number(named: pair.to) else {
                continue
            }
            if pair.isUpdate {
                updated.append(source)
            } else if !isGeneral.contains(destination) || ignored.contains(pair.from) {
                if destinations[source] == nil { sources.append(source) }
                destinations[source, default: []].append(destination)
            }
        }
        let shared = Dictionary(grouping: sources) { destinations[$0, default: []] }
        rules += sources.map { destinations[$0, default: []] }.once.map { list in
            NumberedRule(sources: .states(shared[list, default: []]), destinations: list, isUpdate: false)
        }
        if !updated.isEmpty { rules.append(.init(sources: .states(updated), destinations: updated, isUpdate: true)) }
        return rules
    }
}
